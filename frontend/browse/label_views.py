"""The panel that moves an unprotected label or rolls back a protected one, and the page of all label moves."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from itertools import pairwise
from typing import Any
from urllib.parse import urlsplit

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext

from frontend.browse.label_status import list_label_statuses
from frontend.changes.actions import add_label_moved_message
from frontend.changes.label_evidence import build_evidence_context
from frontend.changes.rollout_rows import build_rollout_rows
from frontend.web.decorators import form_page, signed_in
from frontend.web.forms import LinesField, add_errors, list_version_choices, parse_form_number, set_choices
from frontend.web.page import build_breadcrumbs, render_page
from frontend.web.reasons import build_reason_context, read_reason
from registry.accounts.actor import Actor
from registry.changes import label_preview
from registry.core.errors import Conflict, Invalid, NotAllowed
from registry.core.names import LABEL, LATEST
from registry.core.problem_details import find_status
from registry.namespaces import permissions
from registry.namespaces.verbs import Verb
from registry.rollouts import queries as rollout_queries
from registry.rollouts import services as rollout_services
from registry.templates import label_queries as labels_query
from registry.templates import labels
from registry.templates import queries as template_queries
from registry.templates.approved_versions import list_approved_digests
from registry.templates.label_models import LabelMove
from registry.templates.label_roll_backs import LabelRollBack, list_rolled_back
from registry.templates.label_ways_back import find_ways_back
from registry.templates.models import Template

__all__ = ["show_label_form"]

PANEL = "browse/_label_panel.html"
MAX_EARLIER = 5


@dataclass(frozen=True)
class EarlierVersion:
    """A version that a label may be rolled back to: its message, and from when to when it was last live. roll_back: the
    roll back by which the label left it, None if it didn't or returned to it since.
    """

    number: int
    message: str
    since: datetime
    until: datetime | None
    roll_back: LabelRollBack | None

    @property
    def seconds_live(self) -> float | None:
        """How long it was live then; None if it still is."""
        return None if self.until is None else (self.until - self.since).total_seconds()


class LabelForm(forms.Form):
    """The version to move an unprotected label to, or to roll a protected one back to. `expected` is the version number
    that the page showed, 0 if the label wasn't set.
    """

    label = forms.CharField(max_length=36)
    version = forms.TypedChoiceField(coerce=int)
    expected = forms.IntegerField(required=False, widget=forms.HiddenInput)
    reason = LinesField(required=False, max_length=10_000)

    def __init__(self, *args: Any, newest: int, label_numbers: Mapping[str, int], **options: Any) -> None:
        super().__init__(*args, **options)
        set_choices(self, "version", list_version_choices(newest, label_numbers))


@form_page
@signed_in
def show_label_form(request: HttpRequest, actor: Actor, name: str) -> HttpResponse:
    """The form for one label; `do` selects whether a POST moves, rolls back or removes it, or stops its rollout."""
    template = template_queries.get_template(actor, name)
    label_numbers = labels_query.read_label_numbers(template)
    label = request.POST.get("label") or request.GET.get("label", "")
    form = _build_form(request, template, label, label_numbers)
    keep = f"{actor.person.username}:label:{name}:{label}"
    status = 200
    if request.method == "POST":
        response, status = _act(request, actor, template, form, keep)
        if response is not None:
            return response
    moves = labels_query.list_label_moves(actor, name, label or None, limit=100).items
    context = {
        "section": "templates",
        "template": template,
        "crumbs": build_breadcrumbs(name),
        "form": form,
        "label": label,
        "keep": keep,
        "protected_labels": template.namespace.protected_labels,
        "protected": label in template.namespace.protected_labels,
        "holds": label_numbers.get(label),
        "label_numbers": label_numbers,
        "marks": list_label_statuses(actor, template, label_numbers, moves),
        "moves": moves,
        "held_before": _list_held_before(template, label, label_numbers, moves),
        "may_move": permissions.is_allowed(actor, Verb.MOVE, template.namespace, template.path),
        "may_roll_back": permissions.is_allowed(actor, Verb.ROLL_BACK, template.namespace, template.path),
    }
    if label == LATEST or not LABEL.fullmatch(label):
        context["known_labels"] = labels_query.list_known_labels(actor, template.namespace)
        return render_page(request, "browse/labels.html", context, status=status)
    context["rolled_back"] = list_rolled_back(template.pk, label) if context["protected"] else {}
    return _show_panel(request, actor, context, _choose_target(request, context), status)


def _build_form(request: HttpRequest, template: Template, label: str, label_numbers: Mapping[str, int]) -> LabelForm:
    newest = template.latest.number if template.latest else 1
    first = {"label": label, "version": request.GET.get("version") or newest, "expected": label_numbers.get(label)}
    return LabelForm(request.POST or None, initial=first, newest=newest, label_numbers=label_numbers)


def _act(
    request: HttpRequest, actor: Actor, template: Template, form: LabelForm, keep: str
) -> tuple[HttpResponse | None, int]:
    """Do what the submitted form asks. Returns the response and the status; without one the errors are in the form."""
    if not form.is_valid():
        return None, 422
    values = {**form.cleaned_data, "reason": read_reason(request.POST)}
    action = request.POST.get("do", "move")
    stops_rollout = action == "stop_rollout"
    try:
        if stops_rollout:
            sentence = _stop_rollout(actor, request, values["reason"])
        else:
            sentence = _change_label(actor, template.name, action, values)
    except (Invalid, Conflict, NotAllowed) as error:
        add_errors(form, error)
        return None, find_status(error)
    if stops_rollout:
        messages.success(request, sentence, extra_tags=keep)
    else:
        add_label_moved_message(request, actor, template, values["label"], sentence, tags=keep)
    return redirect(_find_page_behind(request, template.name)), 302


def _choose_target(request: HttpRequest, context: dict[str, Any]) -> int:
    """The version of the request, or the default one if the label can't go there or left it since; 0 without any."""
    template, label, is_protected = context["template"], context["label"], context["protected"]
    newest = template.latest.number if template.latest else 1
    targets = context["held_before"] if is_protected else list(range(newest, 0, -1))
    version = parse_form_number(request.POST.get("version") or request.GET.get("version"))
    is_stale = request.method == "GET" and parse_form_number(request.GET.get("from")) != context["holds"]
    if version not in targets or (is_stale and version in context["rolled_back"]):
        return _find_default_target(template, label, targets, is_protected=is_protected)
    return version


def _find_default_target(template: Template, label: str, targets: list[int], *, is_protected: bool) -> int:
    """The version to choose first: of a protected label the last good one, never one that it was rolled back from or
    past; 0 if there isn't one.
    """
    if not is_protected:
        return next(iter(targets), 0)
    back = find_ways_back([template.pk]).get((template.pk, label), 0)
    return back if back in targets else 0


def _show_panel(request: HttpRequest, actor: Actor, context: dict[str, Any], version: int, status: int) -> HttpResponse:
    """The panel before one label moves; version: the target, 0 if there isn't one."""
    template, label, is_protected = context["template"], context["label"], context["protected"]
    may = context["may_roll_back"] if is_protected else context["may_move"]
    rollouts = rollout_queries.list_active(actor, [template.pk])
    rollout = next((rollout for rollout in rollouts if rollout.label == label), None)
    if rollout:
        version = rollout.stable.number
    is_moved = bool(version) and rollout is None  # stopping a rollout leaves the label in place
    preview = label_preview.find_preview(actor, template.name, label, version) if is_moved else None
    context |= {
        "panel": f"frontend/{PANEL}",
        "panel_title": _write_title(label, version, is_protected=is_protected),
        "leave_url": reverse("template", args=[template.name]),
        "may_act": may and preview is not None and rollout is None,
        "rollout": rollout,
        "rollout_row": build_rollout_rows([rollout])[0] if rollout else None,
        "may_stop": rollout is not None and context["may_roll_back"],
        **build_reason_context(request.POST),
        "earlier": _list_earlier_versions(context, label) if is_protected else [],
        **(build_evidence_context(request, actor, preview) if preview else {}),
    }
    return render_page(request, "web/panel.html", context, regions={"panel": PANEL}, status=status)


def _write_title(label: str, version: int, *, is_protected: bool) -> str:
    if is_protected:
        words = gettext("Roll {label} back to v{number}") if version else gettext("Roll {label} back")
    else:
        words = gettext("Move {label} to v{number}") if version else gettext("Move {label}")
    return words.format(label=label, number=version)


def _list_earlier_versions(context: dict[str, Any], label: str) -> list[EarlierVersion]:
    """The last versions that the label may be rolled back to, with their messages and how long they were live."""
    of_label = [move for move in context["moves"] if move.label == label]
    ends = {move.pk: after.created_at for after, move in pairwise(of_label)}
    last = {move.after.number: move for move in reversed(of_label) if move.after}
    versions = [(number, last[number]) for number in context["held_before"][:MAX_EARLIER]]
    return [
        EarlierVersion(
            number,
            move.after.message.partition("\n")[0],
            move.created_at,
            ends.get(move.pk),
            context["rolled_back"].get(number),
        )
        for number, move in versions
        if move.after
    ]


def _change_label(actor: Actor, name: str, do: str, data: dict[str, Any]) -> str:
    label, version = data["label"], data["version"]
    if do == "roll_back":
        labels.roll_back_label(
            actor=actor,
            name=name,
            label=label,
            version=version,
            reason=data["reason"],
            expected=data["expected"],
        )
        return gettext("Rolled {label} back to v{number}.").format(label=label, number=version)
    if do == "remove":
        labels.remove_label(actor=actor, name=name, label=label, expected=data["expected"] or 0, reason=data["reason"])
        return gettext("Took {label} off v{number}.").format(label=label, number=data["expected"])
    labels.move_label(
        actor=actor,
        name=name,
        label=label,
        version=version,
        reason=data["reason"],
        expected=data["expected"] or None,
    )
    return gettext("Moved {label} to v{number}.").format(label=label, number=version)


def _find_page_behind(request: HttpRequest, name: str) -> str:
    """The page to open after the action: the overview that the panel was opened from, else the template's page."""
    behind = urlsplit(request.headers.get("Referer", ""))
    if behind.netloc == request.get_host() and behind.path in (reverse("environments"), reverse("home")):
        return f"{behind.path}?{behind.query}" if behind.query else behind.path
    return reverse("template", args=[name])


def _stop_rollout(actor: Actor, request: HttpRequest, reason: str) -> str:
    number = parse_form_number(request.POST.get("rollout"))
    rollout = rollout_services.stop_rollout(actor=actor, number=number, reason=reason)
    return gettext("Stopped rollout {number}: {label} serves v{stable} to everybody.").format(
        number=number, label=rollout.label, stable=rollout.stable.number
    )


def _list_held_before(
    template: Template, label: str, label_numbers: dict[str, int], moves: list[LabelMove]
) -> list[int]:
    """Versions that the label may go back to, latest first; for a protected label only those approved for it."""
    versions = [move.after for move in moves if move.label == label and move.after]
    if label in template.namespace.protected_labels:
        approved = list_approved_digests([template.pk])[template.pk, label]
        versions = [version for version in versions if version.digest in approved]
    return [
        number for number in dict.fromkeys(version.number for version in versions) if number != label_numbers.get(label)
    ]
