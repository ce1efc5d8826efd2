"""The page of a change request, with everything needed to decide."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.functional import SimpleLazyObject
from django.utils.translation import gettext, gettext_noop

from frontend.changes import comment_form, emergency_notices, presenters, timeline
from frontend.changes.label_evidence import LossNotice
from frontend.changes.rollout_rows import read_rollout_row
from frontend.changes.rows import CheckRow, PermittedActions
from frontend.changes.shown_comments import OpenCommentForm
from frontend.changes.suggestion_previews import preview_suggestion
from frontend.changes.threads import View, build_discussion
from frontend.diff import versions
from frontend.diff.versions import diff_context
from frontend.web.decorators import signed_in
from frontend.web.forms import parse_form_number
from frontend.web.page import Frame, build_frame, is_for_region, render_page
from registry.accounts.actor import Actor
from registry.changes import emergencies, mentions, review_requests, thread_queries, ungated_losses
from registry.changes import gate as change_gate
from registry.changes import queries as changes_query
from registry.changes.gate import Gate
from registry.changes.models import ChangeRequest
from registry.changes.places import Place
from registry.changes.queries import list_stopped_changes
from registry.changes.thread_models import Thread
from registry.changes.thread_queries import CommentTexts
from registry.core.errors import PromptuaryError
from registry.core.problem_details import find_status
from registry.templates import version_queries
from registry.templates.label_moves import Approval, find_approval_of_label

__all__ = [
    "Suggestion",
    "add_to_batch",
    "drop_from_batch",
    "empty_batch",
    "read_batch",
    "render_change",
    "show_change",
]

# A longer range no longer identifies a place.
MAX_LINES = 400
MAX_IN_BATCH = 100

Suggestion = tuple[int, int]  # the numbers of a thread and of its comment


@signed_in
def show_change(request: HttpRequest, actor: Actor, number: int) -> HttpResponse:
    """One request, with everything needed to decide."""
    if is_for_region(request, comment_form.FORM_PLACE):
        return comment_form.show_comment_form(request, actor, number, _read_comment_form(request, None))
    return render_change(request, actor, number)


def render_change(
    request: HttpRequest, actor: Actor, number: int, refusal: PromptuaryError | None = None
) -> HttpResponse:
    """Render the page of one request. refusal: of the posted action; the page then keeps the user's input."""
    change = changes_query.get_change(actor, number)
    change.version.template = change.template
    gate = _evaluate(change, actor, build_frame(request))
    act = presenters.find_permitted_actions(gate, actor)
    context = {
        "section": "changes",
        "change": change,
        "title": presenters.write_title(change),
        "more": change.message.partition("\n")[2].strip(),
        "gate": gate,
        "act": act,
        "runs": changes_query.list_run_numbers(change),
        "next_in_release": changes_query.find_next_in_release(change),
        "versions_between": changes_query.list_versions_between(change, gate.versions_between),
        "overlapping": changes_query.list_overlapping(change) if change.is_open else [],
        "refusal": refusal,
        "people_address": reverse("change-people", args=[number]),
        "conversation_address": "?view=conversation",
        "text": request.POST.get("text", ""),
        **_build_decision_context(gate, actor, act),
        **_build_label_context(gate, actor),
    }
    if not any(is_for_region(request, region) for region in ("checks", "blockers")):
        context |= _build_reading_context(request, actor, gate, act, refusal)
    status = find_status(refusal) if refusal else 200
    regions = {"diff": "diff/_diff.html", "checks": "changes/_checks.html", "blockers": "changes/_blockers.html"}
    return render_page(request, "changes/change.html", context, regions=regions, status=status)


def _build_decision_context(gate: Gate, actor: Actor, act: PermittedActions) -> dict[str, Any]:
    """What is decided, and what is still needed: reviews, checks, blockers, and whose turn it is."""
    change = gate.change
    newest = change.template.latest.number if change.template.latest else change.version.number
    checks = presenters.check_rows(gate)
    return {
        "obstacles": presenters.list_blocker_rows(change, gate.blockers, act, newest),
        "turn": presenters.describe_turn(gate.blockers, actor),
        "pending_turn": gate.turn,
        "reviews": presenters.build_review_rows(gate),
        "takes_reviews": act.comment and review_requests.takes_reviews(gate),
        "candidates": presenters.list_reviewers_to_ask(gate, actor) if act.comment else [],
        "approval_status": gate.approval_status,
        "needed": gate.needed,
        "newer": range(newest, change.version.number, -1)[:20] if act.set_version else [],
        "checks": checks,
        "failing": any(blocker.code.startswith("check:") for blocker in gate.blockers),
        "waits": any(check.word == "running" for check in checks),
        "checks_sum": _summarize_checks(checks),
        "slot": presenters.find_free_minute(gate.blockers),
        "stopping_freeze": presenters.find_stopping_freeze(change, change.template.namespace_id),
    }


def _build_label_context(gate: Gate, actor: Actor) -> dict[str, Any]:
    """What the label serves, and how the change gets or got there: its rollout, its emergency."""
    change, served = gate.change, gate.facts.holds
    is_published = change.state == ChangeRequest.PUBLISHED
    emergency = emergencies.find_emergency(change) if is_published else None
    return {
        "held": served if change.is_open else None,
        "served_now": served if is_published else None,
        "expected_states": [served or 0],
        "unapproved": change.is_open
        and find_approval_of_label(change.template, change.label) == Approval.NEVER_APPROVED,
        "approves_served": presenters.approves_served(gate),
        "rollout": read_rollout_row(change, actor) if change.rollouts.exists() else None,
        "stopped": list_stopped_changes([change]).get(change.number),
        "planned_shares": presenters.describe_planned_shares(gate),
        "is_rolling_out": presenters.is_rolling_out(gate),
        "emergency": emergency,
        "notice": emergency_notices.build_notice(emergency, gate, actor) if emergency else None,
    }


def _build_reading_context(
    request: HttpRequest, actor: Actor, gate: Gate, act: PermittedActions, error: PromptuaryError | None
) -> dict[str, Any]:
    """The difference and the comments on it, in the requested view."""
    change = gate.change
    base = changes_query.find_baseline(change)
    since = changes_query.find_last_outdated_decision(change, actor) if change.takes_decisions else None
    against = request.GET.get("against") or ("review" if since else "label")
    looks_since = since is not None and against == "review"
    old = base
    if since and looks_since:
        old = version_queries.get_version(actor, change.template.name, since.version.number)
    is_conversation = request.GET.get("view") == "conversation"
    diff = diff_context(request, old, change.version, view="conversation" if is_conversation else "", every=True)
    query = {"against": request.GET["against"]} if request.GET.get("against") else {}
    place = View(diff["view"], diff["sample"], query)
    texts = CommentTexts(change)
    discussion = build_discussion(
        gate,
        place,
        _add_preview(actor, change, diff["sample"], _read_comment_form(request, error)),
        act,
        texts=texts,
        remarks=thread_queries.list_remarks(change, actor),
        batch=read_batch(request, change.number),
        parts=diff["rendered"].new.parts if diff["rendered"] else (),
    )
    losses = ungated_losses.find_ungated_losses([gate]) if changes_query.has_finished_run(change) else {}
    reader = actor.person.username if act.comment else ""
    return diff | {
        "base": base,
        "since": since,
        "looks_since": looks_since,
        "label_url": replace(place, parameters={"against": "label"}).build_query(),
        "review_url": replace(place, parameters={"against": "review"}).build_query(),
        "timeline": timeline.list_timeline_entries(change, texts, reader) if is_conversation else [],
        "loss_notices": [LossNotice(change.template.path, loss) for loss in losses.values()],
        "tabs": _list_tabs(change, diff, query, is_conversation=is_conversation),
        "discussion": discussion,
        "mention_names": SimpleLazyObject(partial(mentions.list_mentionable_names, change.template.namespace)),
        "worst": versions.find_longest_prompts(diff["cases"]),
        "keep_prefix": f"{actor.person.username}:change:{change.number}:",
    }


def _list_tabs(
    change: ChangeRequest, diff: dict[str, Any], query: dict[str, str], *, is_conversation: bool
) -> list[dict[str, Any]]:
    """The tabs of the difference, and of the conversation."""
    source = {"word": gettext("Source"), "url": View("source", "", query).build_query(), "on": True}
    conversation = {
        "word": gettext("Conversation"),
        "count": changes_query.count_comments_and_decisions(change),
        "url": View("conversation", diff["sample"], query).build_query(),
        "on": is_conversation,
    }
    return [*(diff["tabs"] or [source]), conversation]


def _add_preview(
    actor: Actor, change: ChangeRequest, sample: str, form: OpenCommentForm | None
) -> OpenCommentForm | None:
    """The form with the source lines that its suggestion on rendered lines results in."""
    if form is None or form.suggestion is None or form.side != Thread.RENDERED:
        return form
    place = Place(change.version.number, form.line, form.end_line, form.side, sample, form.part)
    return replace(form, preview=preview_suggestion(actor, change, place, form.suggestion.replace("\r\n", "\n")))


def _evaluate(change: ChangeRequest, actor: Actor, frame: Frame) -> Gate:
    """Evaluate the request; if the top bar needs all pending ones, evaluate them in the same queries."""
    gates: list[Gate] = []

    def evaluate_all() -> list[Gate]:
        others = [row for row in changes_query.list_pending(actor) if row.pk != change.pk]
        gates.extend(change_gate.evaluate_many([change, *others], actor))
        return gates

    frame.read_waiting(evaluate_all)
    return gates[0] if gates else change_gate.evaluate(change, actor)


def _read_comment_form(request: HttpRequest, error: PromptuaryError | None) -> OpenCommentForm | None:
    """The lines of the open form: from the URL, or from a POST that was refused."""
    is_kept_open = error is not None or request.POST.get("do") in ("range", "suggest", "keep", "thread")
    fields = request.POST if request.POST.get("line") and is_kept_open else request.GET
    if "line" not in fields and "remark" not in fields:
        return None
    line, remark = parse_form_number(fields.get("line")), parse_form_number(fields.get("remark")) or None
    if not line and remark is None:
        return None
    line = line or 1
    end_line = parse_form_number(fields.get("end_line")) or line
    side = fields.get("side") or (Thread.RENDERED if request.GET.get("view") == Thread.RENDERED else Thread.SOURCE)
    typed = fields is request.POST
    suggestion = fields.get("suggestion") if typed else None
    if suggestion is not None and suggestion.replace("\r\n", "\n") == fields.get("was", "").replace("\r\n", "\n"):
        suggestion = None  # unchanged lines, which differ from the new ones if the range was changed
    return OpenCommentForm(
        side=side,
        part=parse_form_number(fields.get("part")),
        line=min(line, end_line),
        end_line=min(max(line, end_line), min(line, end_line) + MAX_LINES),
        text=fields.get("text", "") if typed else "",
        suggestion=suggestion,
        remark=remark,
    )


_COUNTED_CHECKS = {
    "passed": gettext_noop("{count} passed"),
    "failed": gettext_noop("{count} failed"),
    "running": gettext_noop("{count} running"),
    "not finished": gettext_noop("{count} not finished"),
}


def _summarize_checks(checks: Sequence[CheckRow]) -> str:
    """`Checks: 3 passed, 1 failed`, for the status line once all have finished."""
    counts = [(text, sum(check.word == word for check in checks)) for word, text in _COUNTED_CHECKS.items()]
    return gettext("Checks: {counts}").format(
        counts=", ".join(gettext(text).format(count=count) for text, count in counts if count)
    )


def read_batch(request: HttpRequest, number: int) -> list[Suggestion]:
    """The suggestions selected in this session, in the order of selection."""
    return [(thread, comment) for thread, comment in request.session.get(_make_batch_key(number), [])]


def add_to_batch(request: HttpRequest, number: int, suggestion: Suggestion) -> None:
    """Add a suggestion to the batch of a request."""
    chosen = read_batch(request, number)
    if suggestion not in chosen:
        _store_batch(request, number, [*chosen, suggestion][-MAX_IN_BATCH:])


def drop_from_batch(request: HttpRequest, number: int, suggestion: Suggestion) -> None:
    """Remove a suggestion from the batch."""
    _store_batch(request, number, [other for other in read_batch(request, number) if other != suggestion])


def empty_batch(request: HttpRequest, number: int) -> None:
    """Remove all suggestions from the batch."""
    request.session.pop(_make_batch_key(number), None)


def _store_batch(request: HttpRequest, number: int, chosen: Sequence[Suggestion]) -> None:
    request.session[_make_batch_key(number)] = [list(pair) for pair in chosen]


def _make_batch_key(number: int) -> str:
    return f"batch:{number}"
