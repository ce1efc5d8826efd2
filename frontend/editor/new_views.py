"""Pages that create a template: from an example as a draft, or as a copy of a version."""

import json
from collections.abc import Sequence
from typing import Any

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext

from frontend.editor.example_documents import EXAMPLES
from frontend.web.decorators import form_page, signed_in
from frontend.web.forms import add_errors, set_choices
from frontend.web.page import render_page
from promptuary.renderer.interop.imported import LossError, slugify
from registry.accounts.actor import Actor
from registry.core import names
from registry.core.errors import Conflict, Invalid, NotFound, PreconditionRequired, PromptuaryError
from registry.core.problem_details import find_status
from registry.namespaces import queries as namespace_queries
from registry.templates import drafts, version_queries
from registry.templates import queries as template_queries
from registry.templates import save as templates_service
from registry.templates.models import Version

__all__ = ["copy_version", "create_template", "derive_address", "describe_address"]

COPY = "copy"
_NEXT_NUMBERS = range(2, 10)
"""Suffixes to try if a name is taken."""


class NewForm(forms.Form):
    """The place of a new template and its starting point."""

    namespace = forms.ChoiceField()
    path = forms.CharField(max_length=460)
    start = forms.ChoiceField()

    def __init__(self, *args: Any, namespaces: Sequence[str], starts: Sequence[str], **options: Any) -> None:
        super().__init__(*args, **options)
        set_choices(self, "namespace", [(name, name) for name in namespaces])
        set_choices(self, "start", [(start, start) for start in starts])

    def clean_path(self) -> str:
        """The path derived from the name."""
        return derive_address(str(self.cleaned_data["path"]))


def derive_address(name: str) -> str:
    """The path inside the namespace for a name: "Refunds/Late reply" becomes refunds/late-reply.

    A name without letters or digits is returned unchanged, so that path validation reports the error.
    """
    stripped = name.strip().strip("/")
    try:
        return slugify(stripped)
    except LossError:
        return stripped


@form_page
@signed_in
def create_template(request: HttpRequest, actor: Actor) -> HttpResponse:
    """Choose a place and an example, which opens in the editor as a draft; its first save creates version 1."""
    form = _build_form(request, actor, list(EXAMPLES))
    status = 200
    if request.method == "POST":
        status = 422
        if form.is_valid():
            try:
                name = _begin(actor, form.cleaned_data)
            except PromptuaryError as error:
                add_errors(form, error)
                status = find_status(error)
            else:
                return redirect("edit", name)
    in_place = request.GET.get("in", "")
    context = {
        "section": "templates",
        "form": form,
        "starts": EXAMPLES.values(),
        "in_place": in_place,
        "folder": in_place.partition("/")[2],
        **_suggest_address(request, actor),
    }
    return render_page(
        request, "editor/new.html", context, regions={"address": "editor/_new_address.html"}, status=status
    )


def describe_address(actor: Actor, namespace: str, path: str) -> dict[str, str]:
    """The full name of a path in a namespace, also split into folders and last part for display, and why it can't be
    used; all empty without a path.
    """
    if not path:
        return {"address": "", "refusal": ""}
    name = f"{namespace}/{path}"
    dirname, _, basename = name.rpartition("/")
    address_parts = {
        "address": name,
        "address_dirname": f"{dirname.replace('/', ' / ')} / ",
        "address_basename": basename,
    }
    try:
        names.check_template(name)
        _require_free(actor, name)
    except Invalid as error:
        return {**address_parts, "refusal": next(iter(error.fields.values()), error.message)}
    return {**address_parts, "refusal": ""}


def _suggest_address(request: HttpRequest, actor: Actor) -> dict[str, str]:
    """The template name derived from the typed one."""
    fields = request.POST or request.GET
    return describe_address(actor, fields.get("namespace", ""), derive_address(fields.get("path", "")))


@form_page
@signed_in
def copy_version(request: HttpRequest, actor: Actor, name: str) -> HttpResponse:
    """Copy one version into a new template, with its samples: the same document, so the same digest."""
    origin = version_queries.resolve_version(actor, name, request.POST.get("ref") or request.GET.get("ref") or "latest")
    form = _build_form(request, actor, [COPY])
    status = 200
    if request.method == "POST":
        status = 422
        if form.is_valid():
            try:
                copied = _copy(actor, origin, form.cleaned_data)
            except PromptuaryError as error:
                add_errors(form, error)
                status = find_status(error)
            else:
                sentence = gettext("Copied {name} v{number}; this is version 1 of {copied}.")
                messages.success(request, sentence.format(name=name, number=origin.number, copied=copied))
                return redirect("template", copied)
    context = {"section": "templates", "form": form, "origin": origin, "name": name}
    return render_page(request, "editor/new.html", context, status=status)


def _build_form(request: HttpRequest, actor: Actor, starts: list[str]) -> NewForm:
    """The form with the namespaces that the user may write in; `?in=support/refunds` prefills the place, `?start=` the
    example.
    """
    writable = namespace_queries.require_writable_namespaces(actor)
    space, _, folder = request.GET.get("in", "").partition("/")
    first = {
        "namespace": space if space in writable else writable[0],
        "path": f"{folder}/" if folder else "",
        "start": start if (start := request.GET.get("start")) in starts else starts[min(1, len(starts) - 1)],
    }
    return NewForm(request.POST or None, initial=first, namespaces=writable, starts=starts)


def _begin(actor: Actor, fields: dict[str, Any]) -> str:
    """Save the example as the user's draft under the new name."""
    name = f"{fields['namespace']}/{fields['path']}"
    _require_free(actor, name)
    start = EXAMPLES[fields["start"]]
    if template_queries.find_draft(actor, name) is not None:
        sentence = gettext("You have a draft of {name} already: open it, or choose another name.")
        raise Conflict(sentence.format(name=name))
    drafts.save_draft(
        actor=actor,
        namespace=fields["namespace"],
        path=fields["path"],
        document=start.document,
        samples=json.dumps(start.samples, ensure_ascii=False, indent=2),
        message=gettext("First version"),
    )
    return name


def _copy(actor: Actor, origin: Version, fields: dict[str, Any]) -> str:
    name = f"{fields['namespace']}/{fields['path']}"
    _require_free(actor, name)
    sample_set = origin.template.current_samples()
    address = f"{origin.template.name}@{origin.number}"
    try:
        templates_service.save_version(
            actor=actor,
            name=name,
            document=origin.document,
            message=gettext("Copy of {name}").format(name=address),
            samples=sample_set.samples if sample_set else {},
            copied_from=address,
        )
    except PreconditionRequired as error:
        sentence = gettext("{name} was made by somebody else just now: choose another name.")
        raise Conflict(sentence.format(name=name)) from error
    return name


def _require_free(actor: Actor, name: str) -> None:
    if not _is_taken(actor, name):
        return
    path = name.partition("/")[2]
    free = next((f"{path}-{number}" for number in _NEXT_NUMBERS if not _is_taken(actor, f"{name}-{number}")), "")
    sentence = gettext("there is a {name} already. Try {free}.") if free else gettext("there is a {name} already.")
    raise Invalid(fields={"path": sentence.format(name=name, free=free)})


def _is_taken(actor: Actor, name: str) -> bool:
    try:
        template_queries.get_template(actor, name)
    except NotFound:
        return False
    return True
