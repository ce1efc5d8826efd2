"""The page of bulk actions: tag or archive all the templates ticked in the list."""

from collections.abc import Sequence

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect
from django.template.loader import render_to_string
from django.utils.translation import gettext, ngettext

from frontend.web.decorators import form_page, signed_in
from frontend.web.forms import add_errors
from frontend.web.page import render_page
from registry.accounts.actor import Actor
from registry.bookmarks import queries as bookmark_queries
from registry.core.errors import Invalid
from registry.core.input_checks import parse_number
from registry.core.problem_details import find_status
from registry.templates import bulk

__all__ = ["change_several"]


class _TagForm(forms.Form):
    """Tags to add and to remove, separated by commas."""

    add = forms.CharField(max_length=500, required=False)
    remove = forms.CharField(max_length=500, required=False)
    message = forms.CharField(max_length=500, required=False)


class _ArchiveForm(forms.Form):
    """The reason for archiving, and whether protected labels may point to the templates."""

    reason = forms.CharField(max_length=500, required=False)
    force = forms.BooleanField(required=False)


@form_page
@signed_in
def change_several(request: HttpRequest, actor: Actor) -> HttpResponse:
    """The selected templates and the form of the action; `act` is tag or archive.

    A POST with `undo` reverts the action.
    """
    if request.method == "POST" and request.POST.get("undo"):
        return _undo(request, actor)
    sent = request.POST if request.method == "POST" else request.GET
    act = "archive" if sent.get("act") == "archive" else "tag"
    names = _read_chosen_names(sent)
    form_class = _ArchiveForm if act == "archive" else _TagForm
    form, status = form_class(request.POST if request.method == "POST" else None), 200
    refusals: dict[str, str] = {}
    if request.method == "POST":
        status = 422
        if form.is_valid():
            try:
                changed_names = _perform_action(actor, act, names, form)
            except Invalid as error:
                refusals = {name: error.fields[name] for name in names if name in error.fields}
                add_errors(form, _summarize(refusals, names) if refusals else error)
                status = find_status(error)
            else:
                _add_done_message(request, actor, act, changed_names, names)
                return _redirect_to_list(actor, names)
    templates = {template.name: template for template in bookmark_queries.find_readable(actor, names)}
    context = {
        "section": "templates",
        "act": act,
        "form": form,
        "rows": [(template, refusals.get(name, "")) for name, template in templates.items()],
        "missing": [(name, sentence) for name, sentence in refusals.items() if name not in templates],
    }
    return render_page(request, "browse/bulk.html", context, status=status)


def _add_done_message(
    request: HttpRequest, actor: Actor, act: str, changed_names: Sequence[str], names: Sequence[str]
) -> None:
    """Confirm in the status line of the next page what was done, with an undo button."""
    # Name the version that the tags created, so that undo doesn't revert one saved later.
    refs = {
        template.name: template.latest.number
        for template in bookmark_queries.find_readable(actor, changed_names)
        if template.latest
    }
    context = {"sentence": _describe_result(act, changed_names, names), "act": act, "refs": refs}
    messages.success(request, render_to_string("frontend/browse/_bulk_done.html", context, request))


def _undo(request: HttpRequest, actor: Actor) -> HttpResponse:
    """Undo an action, and report the result in the status line of the list."""
    numbers = _read_refs(request.POST)
    try:
        if request.POST.get("act") == "archive":
            done = bulk.unarchive_templates(actor=actor, names=list(numbers))
        else:
            done = bulk.undo_tags(actor=actor, numbers=numbers)
    except Invalid as error:
        reasons = [f"{name}: {sentence}" for name, sentence in error.fields.items()]
        messages.error(request, " ".join([gettext("Nothing was taken back."), *reasons]))
    else:
        sentence = ngettext(
            "{count} template is as it was before.", "{count} templates are as they were before.", len(done)
        )
        messages.success(request, sentence.format(count=len(done)))
    return _redirect_to_list(actor, list(numbers))


def _read_refs(sent: QueryDict) -> dict[str, int]:
    """Version numbers by template name, parsed from `name@number`."""
    numbers = {}
    for ref in sent.getlist("ref"):
        name, _, number = ref.replace("\0", "").rpartition("@")
        numbers[name] = parse_number(number) or 0
    return numbers


def _redirect_to_list(actor: Actor, names: Sequence[str]) -> HttpResponse:
    """Redirect to the list of the namespace that all the templates are in, else to the list of all templates."""
    namespaces = {template.name.partition("/")[0] for template in bookmark_queries.find_readable(actor, names)}
    return redirect("folder", namespaces.pop()) if len(namespaces) == 1 else redirect("browse")


def _read_chosen_names(sent: QueryDict) -> list[str]:
    return list(dict.fromkeys(name.replace("\0", "") for name in sent.getlist("template")))


def _perform_action(actor: Actor, act: str, names: Sequence[str], form: forms.Form) -> list[str]:
    values = form.cleaned_data
    if act == "archive":
        return bulk.archive_templates(actor=actor, names=names, reason=values["reason"], force=values["force"])
    add, remove = values["add"].split(","), values["remove"].split(",")
    return bulk.tag_templates(actor=actor, names=names, add=add, remove=remove, message=values["message"])


def _summarize(refusals: dict[str, str], names: Sequence[str]) -> Invalid:
    sentence = ngettext(
        "Nothing was changed: {refused} of {count} template can't be.",
        "Nothing was changed: {refused} of {count} templates can't be.",
        len(names),
    )
    return Invalid(sentence.format(refused=len(refusals), count=len(names)))


def _describe_result(act: str, changed_names: Sequence[str], names: Sequence[str]) -> str:
    if act == "archive":
        archived = ngettext(
            "{count} template archived. They can still be fetched, and restored.",
            "{count} templates archived. They can still be fetched, and restored.",
            len(changed_names),
        )
        return archived.format(count=len(changed_names))
    unchanged = len(names) - len(changed_names)
    sentences = [
        ngettext(
            "{count} template got a new version with other tags.",
            "{count} templates got a new version with other tags.",
            len(changed_names),
        ).format(count=len(changed_names))
    ]
    if unchanged:
        unchanged_sentence = ngettext(
            "{count} template had them already.", "{count} templates had them already.", unchanged
        )
        sentences.append(unchanged_sentence.format(count=unchanged))
    return " ".join(sentences)
