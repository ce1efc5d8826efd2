"""Views of the Langfuse API: one prompt, the list, and the check of the keys. Reading only."""

import base64
import functools
from collections.abc import Callable
from typing import Any

from django.core.paginator import Paginator
from django.http import HttpRequest, JsonResponse
from django.views.decorators.csrf import csrf_exempt

from registry.accounts.actor import Actor
from registry.core.client_address import read_client_address
from registry.core.errors import NotFound, PromptuaryError
from registry.core.input_checks import parse_number
from registry.core.problem_details import describe_error
from registry.langfuse.conversion import convert_version, read_config
from registry.namespaces.key_attempts import key_attempts
from registry.namespaces.throttling import check_rates
from registry.namespaces.verbs import Verb
from registry.serving.responses import APPROVAL
from registry.templates import limited_key_view, version_queries
from registry.templates.label_moves import find_approval_of_label
from registry.templates.limited_key_view import VisibleTemplate
from registry.templates.models import Template, Version
from registry.usage import recorder

__all__ = ["projects", "prompt", "prompts", "refuse_write", "traces"]

View = Callable[..., JsonResponse]
_NAMES = {
    400: "InvalidRequestError",
    401: "UnauthorizedError",
    403: "ForbiddenError",
    404: "LangfuseNotFoundError",
    405: "MethodNotAllowedError",
    429: "TooManyRequestsError",
}
LIMIT = 100


class BadQuestion(Exception):
    """An invalid query; 400 in Langfuse's form."""


def with_key(view: Callable[..., JsonResponse], *, writes: bool = False) -> View:
    """Read the key from Basic authentication's password (the user name is ignored); errors in Langfuse's form.

    writes: whether the view takes other methods than GET and HEAD.
    """

    @csrf_exempt
    @functools.wraps(view)
    def answer(request: HttpRequest, **address: str) -> JsonResponse:
        try:
            actor = _read_actor(request)
            if actor is None:
                return _answer_error(401, "Use an API key of Promptuary as the secret key.")
            request.auth = actor.key  # type: ignore[attr-defined]  # as REST framework does; the work is counted by it
            check_rates(actor)
            if not writes and request.method not in ("GET", "HEAD"):
                return _answer_error(403, "Prompts are changed in Promptuary, where changes are checked and approved.")
            return view(request, actor, **address)
        except BadQuestion as error:
            return _answer_error(400, str(error))
        except PromptuaryError as error:
            problem = describe_error(error)
            answer = _answer_error(problem.status, problem.detail)
            for name, value in problem.headers.items():
                answer[name] = value
            return answer

    return answer


@with_key
def prompt(request: HttpRequest, actor: Actor, name: str) -> JsonResponse:
    """One prompt, by version, by label, or of `production`; the latest is never a fallback."""
    number, label = request.GET.get("version", ""), request.GET.get("label", "")
    if number and label:
        raise BadQuestion("Give either a version or a label.")
    if number and not (number.isascii() and number.isdigit()):
        raise BadQuestion("version is a whole number.")
    ref = number if number not in ("", "0") else label or "production"
    try:
        version_found = version_queries.resolve_version(actor, name, ref, verb=Verb.FETCH)
    except NotFound:
        which = f"version {ref}" if ref.isdigit() else f"label '{ref}'"
        raise NotFound(f"Prompt not found: '{name[:200]}' with {which}") from None
    approval = find_approval_of_label(version_found.template, ref)
    row = _describe_version(version_found, actor) | {"name": name, "approval": approval.value if approval else None}
    if actor.key is not None:
        former_name = name if name != version_found.template.name else ""
        recorder.note_fetch(actor.key.id, version_found.pk, ref, former_name)
    return JsonResponse(row, headers={APPROVAL: approval.value} if approval else {})


@with_key
def prompts(request: HttpRequest, actor: Actor) -> JsonResponse:
    """A page of the list of prompts, by name."""
    page, limit = _read_number(request, "page", 1, 1_000_000), _read_number(request, "limit", 10, LIMIT)
    rows = limited_key_view.list_visible(
        actor, name=request.GET.get("name"), tag=request.GET.get("tag"), label=request.GET.get("label")
    )
    pages = Paginator(rows, limit)
    entries = list(pages.page(page).object_list) if page <= pages.num_pages else []
    meta = {
        "page": page,
        "limit": limit,
        "totalItems": pages.count,
        "totalPages": pages.num_pages if pages.count else 0,
    }
    visible = limited_key_view.list_visible_templates(actor, entries)
    data = [_describe_template(actor, template, visible[template.pk]) for template in entries]
    return JsonResponse({"data": data, "meta": meta, "pagination": meta})


@with_key
def projects(_request: HttpRequest, actor: Actor) -> JsonResponse:
    """The key's namespace as the only project, for the client's `auth_check`."""
    name = actor.key.namespace.name if actor.key else ""
    project = {"id": name, "name": name, "organization": {"id": name, "name": name}, "metadata": {}}
    return JsonResponse({"data": [project]})


@with_key
def refuse_write(request: HttpRequest, _actor: Actor, **_address: str) -> JsonResponse:
    """A view for write-only addresses; `with_key` has already refused everything but reads."""
    return _answer_error(405, f"{request.path} is for writing; prompts are changed in Promptuary.")


def _drop_traces(_request: HttpRequest, _actor: Actor) -> JsonResponse:
    """Accept and drop traces that a client with a key sends; tracing should be switched off there."""
    return JsonResponse({})


traces = with_key(_drop_traces, writes=True)


def _describe_template(actor: Actor, template: Template, visible: VisibleTemplate) -> dict[str, Any]:
    """A template's entry in the list; a narrow key sees what its labels serve and the versions it may fetch."""
    version, latest, numbers = visible.version, template.latest, limited_key_view.list_visible_numbers(actor, template)
    is_latest = latest is not None and version is not None and version.number == latest.number
    return {
        "name": template.name,
        "type": "text" if visible.format == "text" else "chat",
        "versions": list(range(1, latest.number + 1 if latest else 1)) if numbers is None else sorted(numbers),
        "labels": [*sorted(label.name for label in template.labels.all()), *(["latest"] if is_latest else [])],
        "tags": list(visible.tags),
        "lastUpdatedAt": (version.created_at if numbers is not None and version else template.updated_at).isoformat(),
        "lastConfig": read_config(version) if version else {},
    }


def _describe_version(version: Version, actor: Actor) -> dict[str, Any]:
    template = version.template
    visible = limited_key_view.may_see_version(template, version)
    labels = sorted(template.labels.filter(version=version).values_list("name", flat=True))
    latest = template.latest
    is_latest = latest is not None and latest.number == version.number
    moment = version.created_at.isoformat()
    return {
        "id": version.digest,
        "createdAt": moment,
        "updatedAt": moment,
        "projectId": actor.key.namespace.name if actor.key else "",
        "createdBy": version.author.username,
        "name": template.name,
        "version": version.number,
        **convert_version(version),
        "config": read_config(version),
        "labels": [*labels, *(["latest"] if is_latest else [])],
        "tags": list(visible.tags),
        "commitMessage": version.message or None,
        "resolutionGraph": None,
        "isActive": "production" in labels,
        "digest": version.digest,
    }


def _read_actor(request: HttpRequest) -> Actor | None:
    scheme, _, token = request.META.get("HTTP_AUTHORIZATION", "").partition(" ")
    if scheme.lower() != "basic":
        return None
    try:
        _public, _, secret = base64.b64decode(token, validate=True).decode("utf-8").partition(":")
    except ValueError:  # not base64, or not UTF-8
        return None
    return key_attempts().authenticate(secret, read_client_address(request.META))


def _read_number(request: HttpRequest, name: str, default: int, maximum: int) -> int:
    text = request.GET.get(name, "")
    if not text:
        return default
    number = parse_number(text)
    if number is None or not 1 <= number <= maximum:
        raise BadQuestion(f"{name} is a whole number from 1 to {maximum}.")
    return number


def _answer_error(status: int, message: str) -> JsonResponse:
    answer = JsonResponse({"message": message, "error": _NAMES.get(status, "Error")}, status=status)
    answer["Cache-Control"] = "no-store"
    return answer
