"""Every error of the API as a problem document: the domain's, the framework's, and unexpected ones."""

import logging
from http import HTTPStatus
from itertools import islice
from typing import Any
from uuid import uuid4

from django.conf import settings
from django.core.exceptions import PermissionDenied, RequestDataTooBig, TooManyFieldsSent
from django.http import Http404, HttpRequest, HttpResponse, UnreadablePostError
from django.utils.formats import number_format
from django.utils.translation import gettext
from django.views.decorators.csrf import csrf_exempt
from rest_framework import exceptions
from rest_framework.response import Response
from rest_framework.views import set_rollback

from promptuary.renderer import RenderError
from registry.core.database_errors import describe_busy, is_unavailable
from registry.core.errors import PromptuaryError
from registry.core.input_checks import BadJson
from registry.core.problem_details import CONTENT_TYPE, Problem, describe_error, describe_missing_sign_in

__all__ = ["build_problem_response", "handle_exception", "unknown_address"]

_MAX_FAULTS = 50

_log = logging.getLogger(__name__)


def handle_exception(error: Exception, context: dict[str, Any]) -> Response:
    """REST framework's exception handler."""
    set_rollback()
    if is_unavailable(error):
        _log.warning("the database or the disk can't be used: %s", error)
        return build_problem_response(describe_error(describe_busy(error, context["request"].method)))
    return build_problem_response(_describe(error))


def build_problem_response(problem: Problem) -> Response:
    """A problem document as a view's response."""
    return Response(problem.to_dict(), problem.status, headers=problem.headers, content_type=CONTENT_TYPE)


@csrf_exempt  # it changes nothing, and an API client that mistyped an address has no form to reload
def unknown_address(request: HttpRequest, *_rest: str, **_named: str) -> HttpResponse:
    """404 for unknown addresses of the API, with or without a key."""
    problem = Problem(
        404,
        "not-found",
        gettext("Not found"),
        gettext("There is nothing at {path}; see /api/v1/docs.").format(path=request.path),
    )
    return HttpResponse(problem.to_bytes(), status=404, content_type=CONTENT_TYPE)


def _describe(error: Exception) -> Problem:
    if isinstance(error, BadJson):
        return Problem(400, "bad-json", gettext("Bad JSON"), error.message)
    if isinstance(error, PromptuaryError | RenderError):
        return describe_error(error)
    if isinstance(error, Http404):
        return Problem(404, "not-found", gettext("Not found"), gettext("There is nothing at this address."))
    if isinstance(error, PermissionDenied):
        return Problem(403, "not-allowed", gettext("Not allowed"), str(error) or gettext("This is not allowed."))
    if isinstance(error, UnreadablePostError | RequestDataTooBig | TooManyFieldsSent):
        return _describe_unreadable(error)
    if isinstance(error, exceptions.APIException):
        return _describe_framework_error(error)
    number = uuid4().hex
    _log.error("internal error %s", number, exc_info=error)
    detail = gettext("Something went wrong on the server. Its log has the details under {number}.").format(
        number=number
    )
    return Problem(500, "internal", gettext("Internal error"), detail, {"error": number})


def _describe_unreadable(error: UnreadablePostError | RequestDataTooBig | TooManyFieldsSent) -> Problem:
    """A request of which Django reads no more."""
    if isinstance(error, RequestDataTooBig):
        return Problem(413, "too-large", gettext("Too large"), gettext("The request is too large."))
    if isinstance(error, TooManyFieldsSent):
        sentence = gettext("The request has too many parameters: at most {most} are allowed.")
        sentence = sentence.format(most=number_format(settings.DATA_UPLOAD_MAX_NUMBER_FIELDS, force_grouping=True))
    else:
        sentence = gettext("The body is incomplete. Send the request again.")
    return Problem(400, "bad-request", gettext("Bad request"), sentence)


def _describe_framework_error(error: exceptions.APIException) -> Problem:
    detail = str(error.detail) if isinstance(error.detail, str) else str(error)
    if isinstance(error, exceptions.ValidationError):
        fields = _limit_faults(_flatten_faults(error.detail))
        sentences = "; ".join(f"{field}: {sentence}" if field else sentence for field, sentence in fields.items())
        return Problem(400, "bad-request", gettext("The request is not valid"), sentences, {"fields": fields})
    if isinstance(error, exceptions.NotAuthenticated | exceptions.AuthenticationFailed):
        return describe_missing_sign_in(detail if isinstance(error, exceptions.AuthenticationFailed) else "")
    if isinstance(error, exceptions.Throttled):
        wait = str(max(1, int(getattr(error, "wait", None) or 1)))
        sentence = gettext("Too many requests; try again in {wait} s.").format(wait=wait)
        return Problem(429, "too-many", gettext("Too many requests"), sentence, headers={"Retry-After": wait})
    types = {403: "not-allowed", 404: "not-found", 405: "method-not-allowed", 406: "not-acceptable"}
    kind = types.get(error.status_code, "unsupported-media-type" if error.status_code == 415 else "bad-request")
    headers = {"WWW-Authenticate": error.auth_header} if hasattr(error, "auth_header") else {}
    return Problem(error.status_code, kind, HTTPStatus(error.status_code).phrase, detail, headers=headers)


def _limit_faults(fields: dict[str, str]) -> dict[str, str]:
    """The first faults and the number of the others, as a body may have one in each of its rows."""
    if len(fields) <= _MAX_FAULTS:
        return fields
    first = dict(islice(fields.items(), _MAX_FAULTS))
    sentence = gettext("{count} more fields are not valid.").format(
        count=number_format(len(fields) - _MAX_FAULTS, force_grouping=True)
    )
    return {**first, "": f"{first[''].rstrip()} {sentence}" if "" in first else sentence}


def _flatten_faults(detail: Any, where: str = "") -> dict[str, str]:
    """Field path to sentence: `samples.empty: …`."""
    if isinstance(detail, dict):
        flat: dict[str, str] = {}
        for name, inner in detail.items():
            flat |= _flatten_faults(inner, where if name == "non_field_errors" else f"{where}.{name}".lstrip("."))
        return flat
    if isinstance(detail, list):
        if all(isinstance(item, str) for item in detail):
            return {where: " ".join(str(item) for item in detail)}
        flat = {}
        for index, inner in enumerate(detail):
            flat |= _flatten_faults(inner, f"{where}.{index}".lstrip(".")) if inner else {}
        return flat
    return {where: str(detail)}
