"""The pages of releases: the list, and one release with everything needed to decide."""

from collections.abc import Callable, Mapping
from typing import Any
from urllib.parse import urlencode

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils import timezone
from django.utils.html import format_html
from django.utils.translation import gettext, gettext_lazy, pgettext_lazy

from frontend.changes.label_evidence import LossNotice
from frontend.changes.presenters import find_free_minute, find_stopping_freeze
from frontend.releases import presenters
from frontend.releases.approval_rows import list_approval_rows, list_counted_members
from frontend.releases.member_differences import compare_members, list_difference_tabs
from frontend.releases.panels import read_seen, show_publish_panel, show_roll_back_panel
from frontend.releases.service_rows import list_affected_services
from frontend.releases.todo_rows import list_todo_rows
from frontend.web.decorators import signed_in
from frontend.web.forms import parse_form_number
from frontend.web.page import render_page
from frontend.web.reasons import read_reason
from registry.accounts.actor import Actor
from registry.changes import mentions, ungated_losses
from registry.changes import schedules as change_schedules
from registry.core.errors import Invalid, NotFound, PromptuaryError, ProofRequired
from registry.core.problem_details import find_status
from registry.core.timestamps import read_moment
from registry.namespaces import permissions
from registry.namespaces.verbs import Verb
from registry.releases import comments, proposals, queries, review_requests, roll_backs, schedules, services
from registry.releases import gate as release_gate
from registry.releases.moved_members import MemberVersions

__all__ = ["act_on_release", "list_releases", "show_release"]

_STATES = {
    "open": pgettext_lazy("state of a change", "Open"),
    "published": gettext_lazy("Published"),
    "withdrawn": gettext_lazy("Withdrawn"),
    "all": gettext_lazy("All"),
}
_REGIONS = {"diff": "releases/_member_differences.html"}
_MESSAGES = {
    "approve": gettext_lazy("You approved them."),
    "request_changes": gettext_lazy("You asked for edits. The author is told."),
    "ask": gettext_lazy("Asked for a review. They are told, and see it on their home page."),
    "comment": gettext_lazy("Comment added."),
    "edit_comment": gettext_lazy("Comment changed. What it said before stays readable."),
    "delete_comment": gettext_lazy("Comment deleted. Its place stays."),
    "publish": gettext_lazy("Published: all labels moved."),
    "schedule": gettext_lazy("Scheduled. Rights, approvals, checks and freezes are checked again at that moment."),
    "unschedule": gettext_lazy("Schedule cancelled."),
    "withdraw": gettext_lazy("Withdrawn, with its changes."),
    "roll_back": gettext_lazy("Rolled back."),
    "add": gettext_lazy("Added."),
    "remove": gettext_lazy("Removed. The change stays open on its own."),
}


@signed_in
def list_releases(request: HttpRequest, actor: Actor) -> HttpResponse:
    """Releases by state, newest first, with whose turn each is."""
    state = request.GET.get("state", "open")
    state = state if state in _STATES else "open"
    page = queries.list_releases(
        actor, state=None if state == "all" else state, cursor=request.GET.get("cursor"), limit=20
    )
    context = {
        "section": "changes",
        "gates": release_gate.evaluate_releases(page.items, actor),
        "state": state,
        "username": actor.person.username,
        "tabs": [
            {"word": word, "url": f"?{urlencode({'state': key})}", "on": key == state} for key, word in _STATES.items()
        ],
        "next_url": f"?{urlencode({'state': state, 'cursor': page.next})}" if page.next else "",
    }
    return render_page(request, "releases/releases.html", context, regions={"releases": "releases/_releases.html"})


@signed_in
def show_release(request: HttpRequest, actor: Actor, number: int) -> HttpResponse:
    """One release, with everything needed to decide."""
    return _render_release(request, actor, number)


@signed_in
def act_on_release(request: HttpRequest, actor: Actor, number: int) -> HttpResponse:
    """Perform one of the page's actions; if it is refused, show the page again with what was typed."""
    queries.find_release(actor, Verb.READ, number)
    do = request.POST.get("do", "")
    try:
        if do not in _ACTS:
            raise Invalid(fields={"do": gettext("the page did not say which button was pressed.")})
        _ACTS[do](request, actor, number)
    except (NotFound, ProofRequired):
        raise
    except PromptuaryError as error:
        if do in _PANELS and "expected" in request.POST:
            return _PANELS[do](request, actor, number, error)
        return _render_release(request, actor, number, refusal=error)
    _add_done_message(request, actor, number, "schedule" if _is_on_date(request) else do)
    return redirect("release", number)


def _is_on_date(request: HttpRequest) -> bool:
    """Whether the panel before publishing asks for a date."""
    return request.POST.get("do") == "publish" and request.POST.get("how") == "on_date"


def _add_done_message(request: HttpRequest, actor: Actor, number: int, do: str) -> None:
    """Add the result to the status line; after publishing with the rollback, if the user may do it."""
    line = str(_MESSAGES[do])
    if do == "publish":
        release = queries.find_release(actor, Verb.READ, number)
        if permissions.is_allowed(actor, Verb.ROLL_BACK, release.namespace):
            address = reverse("roll-back-release", args=[number])
            line = format_html('{} <a href="{}">{}</a>', line, address, gettext("Undo"))
    messages.success(request, line, extra_tags=request.POST.get("form", ""))


def _render_release(
    request: HttpRequest, actor: Actor, number: int, refusal: PromptuaryError | None = None
) -> HttpResponse:
    release = queries.find_release(actor, Verb.READ, number)
    do = request.POST.get("do", "")
    gate = release_gate.evaluate_release(release, actor)
    act = presenters.find_permitted_release_actions(gate, actor)
    rows = presenters.list_member_rows(gate, actor, may_change=act.change)
    differences = compare_members(request, gate.members)
    context = {
        "section": "changes",
        "release": release,
        "gate": gate,
        "rows": rows,
        "differences": differences,
        "joined": presenters.list_joined_changes(gate) if act.withdraw else [],
        "tabs": list_difference_tabs(request, list(differences.values())),
        "act": act,
        "live_topics": _list_live_topics(gate),
        "expected_states": [row.expected for row in rows if row.change.is_open],
        "affected_services": list_affected_services(release.label, [member.change for member in gate.open_members]),
        "timeline": presenters.list_release_timeline(release, actor.person.username if act.comment else ""),
        "mention_names": mentions.list_mentionable_names(release.namespace),
        "people_address": reverse("release-people", args=[number]),
        "conversation_address": "",
        "refusal": refusal,
        "text": request.POST.get("text", ""),
        "do": do,
        "ticked": act.list_ticked(request.POST.getlist("digest") if do in _DECISIONS else None),
        "added_name": request.POST.get("template", ""),
        **_build_decision_context(gate, actor, may_ask=act.ask),
    }
    status = find_status(refusal) if refusal else 200
    return render_page(request, "releases/release.html", context, regions=_REGIONS, status=status)


def _build_decision_context(gate: release_gate.ReleaseGate, actor: Actor, *, may_ask: bool) -> dict[str, Any]:
    """What is approved, what is still needed, and whose turn it is."""
    losses = ungated_losses.find_ungated_losses(member.gate for member in gate.open_members)
    counted = list_counted_members(gate)
    approval_rows = list_approval_rows(gate, actor, may_ask=may_ask)
    return {
        "loss_notices": [
            LossNotice(member.change.template.path, losses[member.change.number])
            for member in gate.open_members
            if member.change.number in losses
        ],
        "approval_rows": approval_rows,
        "todo_rows": list_todo_rows(gate, actor, approval_rows),
        "approval_total": len(counted),
        "approved_count": sum(member.gate.approval_status.is_enough for member in counted),
        "slot": find_free_minute(blocker for _, blocker in gate.blockers),
        "stopping_freeze": find_stopping_freeze(gate.release, gate.release.namespace_id),
        "turn": gate.turn,
        "is_own_turn": gate.turn is not None and actor.person.username in gate.turn.people,
    }


def _list_live_topics(gate: release_gate.ReleaseGate) -> str:
    """The topics of the page: its templates and changes, and the releases of its namespace."""
    names = [f"template={member.change.template.name}" for member in gate.members]
    changes = [f"change={member.change.number}" for member in gate.open_members] if gate.release.is_open else []
    return " ".join([f"releases={gate.release.namespace.name}", *names, *changes])


def _approve(request: HttpRequest, actor: Actor, number: int) -> None:
    services.approve_release(actor=actor, number=number, digests=_read_digests(request), text=_read_text(request))


def _request_changes(request: HttpRequest, actor: Actor, number: int) -> None:
    services.ask_for_release_edits(actor=actor, number=number, digests=_read_digests(request), text=_read_text(request))


def _read_digests(request: HttpRequest) -> dict[int, str]:
    """The digests of the ticked templates, as the page showed them, by change number."""
    pairs = [value.partition(":") for value in request.POST.getlist("digest")]
    if not pairs:
        raise Invalid(fields={"template": gettext("choose at least one template.")})
    return {parse_form_number(change): digest for change, _, digest in pairs}


def _ask(request: HttpRequest, actor: Actor, number: int) -> None:
    review_requests.ask_for_release_review(actor=actor, number=number, person=request.POST.get("person", ""))


def _add_comment(request: HttpRequest, actor: Actor, number: int) -> None:
    comments.comment_on_release(actor=actor, number=number, text=_read_text(request))


def _edit_comment(request: HttpRequest, actor: Actor, number: int) -> None:
    text = request.POST.get("comment_text", "").replace("\r\n", "\n")
    comments.edit_release_comment(actor=actor, number=number, comment=_read_comment_number(request), text=text)


def _delete_comment(request: HttpRequest, actor: Actor, number: int) -> None:
    comments.delete_release_comment(actor=actor, number=number, comment=_read_comment_number(request))


def _read_comment_number(request: HttpRequest) -> int:
    return parse_form_number(request.POST.get("comment"))


def _publish(request: HttpRequest, actor: Actor, number: int) -> None:
    if _is_on_date(request):
        _schedule(request, actor, number)
    else:
        services.publish_release(actor=actor, number=number, expected=_read_seen(request))


def _read_seen(request: HttpRequest) -> MemberVersions | None:
    """The state of the templates that the form showed; None if it wasn't posted."""
    return read_seen(request.POST.getlist("expected")) if "expected" in request.POST else None


def _schedule(request: HttpRequest, actor: Actor, number: int) -> None:
    moment = request.POST.get(change_schedules.FIELD, "")
    at = read_moment(change_schedules.FIELD, moment, timezone.get_current_timezone())
    schedules.schedule_release(actor=actor, number=number, at=at, expected=_read_seen(request))


def _unschedule(_request: HttpRequest, actor: Actor, number: int) -> None:
    schedules.unschedule_release(actor=actor, number=number)


def _withdraw(request: HttpRequest, actor: Actor, number: int) -> None:
    services.withdraw_release(actor=actor, number=number, reason=_read_text(request))


def _roll_back(request: HttpRequest, actor: Actor, number: int) -> None:
    chosen = request.POST.getlist("template")
    if not chosen:
        raise Invalid(fields={"template": gettext("choose at least one template.")})
    release = queries.find_release(actor, Verb.ROLL_BACK, number)
    published = set(release.members.filter(state="published").values_list("template__name", flat=True))
    templates = [] if set(chosen) == published else chosen
    expected_versions = {name: pair for name, pair in (_read_seen(request) or {}).items() if name in chosen}
    roll_backs.roll_back_release(
        actor=actor, number=number, reason=read_reason(request.POST), templates=templates, expected=expected_versions
    )


def _add(request: HttpRequest, actor: Actor, number: int) -> None:
    version = parse_form_number(request.POST.get("version"))
    if not version:
        raise Invalid(fields={"version": "a version's number."})
    proposals.add_to_release(actor=actor, number=number, versions={request.POST.get("template", "").strip(): version})


def _remove(request: HttpRequest, actor: Actor, number: int) -> None:
    change = parse_form_number(request.POST.get("change"))
    proposals.remove_from_release(actor=actor, number=number, change=change, expected=_read_seen(request))


def _read_text(request: HttpRequest) -> str:
    return request.POST.get("text", "").replace("\r\n", "\n")


_DECISIONS = ("approve", "request_changes")
_PANELS = {"publish": show_publish_panel, "roll_back": show_roll_back_panel}
_ACTS: Mapping[str, Callable[[HttpRequest, Actor, int], None]] = {
    "approve": _approve,
    "request_changes": _request_changes,
    "ask": _ask,
    "comment": _add_comment,
    "edit_comment": _edit_comment,
    "delete_comment": _delete_comment,
    "publish": _publish,
    "schedule": _schedule,
    "unschedule": _unschedule,
    "withdraw": _withdraw,
    "roll_back": _roll_back,
    "add": _add,
    "remove": _remove,
}
