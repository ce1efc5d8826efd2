"""POST actions of the change request page: each calls one service and redirects to a page."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils import timezone
from django.utils.html import format_html
from django.utils.translation import gettext, gettext_lazy

from frontend.changes.conversation_actions import IN_CONVERSATION, ON_LINES
from frontend.changes.publish_views import show_publish_panel
from frontend.changes.rollout_form import ROLLOUT_ACTIONS, publish_as_proposed, start_from_form
from frontend.changes.suggestion_previews import is_unseen_suggestion
from frontend.changes.views import render_change
from frontend.web.decorators import signed_in
from frontend.web.forms import parse_form_number
from registry.accounts.actor import Actor
from registry.changes import (
    check_results,
    decisions,
    emergencies,
    review_drafts,
    schedules,
)
from registry.changes import queries as changes_query
from registry.changes import services as change_services
from registry.core.errors import Invalid, NotFound, PreconditionRequired, PromptuaryError, ProofRequired
from registry.core.timestamps import read_moment
from registry.templates import label_moves, roll_back_checks
from registry.templates.models import Template

__all__ = [
    "act_on_change",
    "add_label_moved_message",
    "read_seen",
]

MESSAGES = {
    "approve": gettext_lazy("You approved it."),
    "acknowledge": gettext_lazy("You accepted the break of the contract."),
    "request_changes": gettext_lazy("You asked for edits. The author is told."),
    "take_back": gettext_lazy("Taken back. You can decide again at any time."),
    "comment": gettext_lazy("Comment added."),
    "ask": gettext_lazy("Asked for a review. They are told, and see it on their home page."),
    "edit_comment": gettext_lazy("Comment changed. What it said before stays readable."),
    "delete_comment": gettext_lazy("Comment deleted. Its place stays."),
    "send": gettext_lazy("Your review is sent."),
    "publish": gettext_lazy("Published: {label} serves v{number} now."),
    "withdraw": gettext_lazy("Withdrawn."),
    "close_emergency": gettext_lazy("Closed. It stays on record that nobody approved it."),
    "reopen": gettext_lazy("Reopened. It needs new approvals."),
    "set_version": gettext_lazy("The change proposes another version now; earlier approvals are outdated."),
    "rerun": gettext_lazy("The checks that have not finished run again."),
    "thread": gettext_lazy("Comment added."),
    "suggest": gettext_lazy("Suggestion added."),
    "schedule": gettext_lazy("Scheduled. Rights, approvals, checks and freezes are checked again at that moment."),
    "unschedule": gettext_lazy("Schedule cancelled."),
    "keep": gettext_lazy("Added to your review. Nobody else sees it yet."),
    "discard": gettext_lazy("Remark discarded."),
    "reply": gettext_lazy("Reply added."),
    "keep_reply": gettext_lazy("Added to your review. Nobody else sees it yet."),
    "resolve": gettext_lazy("The thread is resolved."),
    "unresolve": gettext_lazy("The thread is open again."),
    "apply": gettext_lazy("Applied as the next version, which is proposed now. Earlier approvals are outdated."),
    "batch": gettext_lazy("Added to your batch. Apply the batch when it is complete."),
    "unbatch": gettext_lazy("Removed from your batch."),
    "empty_batch": gettext_lazy("Your batch is empty."),
    "apply_batch": gettext_lazy(
        "Applied together as the next version, which is proposed now. Earlier approvals are outdated."
    ),
}
KEPT_IN_URL = ("view", "sample", "against")


@signed_in
def act_on_change(request: HttpRequest, actor: Actor, number: int) -> HttpResponse:
    """Perform one of the page's actions; if it is refused, show the page again with what was typed."""
    do = request.POST.get("do")
    if do == "range" or (do in _SUGGESTING and is_unseen_suggestion(request, actor, number)):
        return render_change(request, actor, number)
    try:
        outcome = _perform_rollout_action(request, actor, number) or _perform_action(request, actor, number)
    except (NotFound, ProofRequired):
        raise
    except PromptuaryError as error:
        is_of_panel = do == "publish" and "digest" in error.facts
        if is_of_panel or "expected" in error.facts or ("expected" in request.POST and "how" in request.POST):
            return show_publish_panel(request, actor, number, error)
        return render_change(request, actor, number, refusal=error)
    tags = request.POST.get("form", "")
    if outcome.is_published:
        change = changes_query.get_change(actor, number)
        sentence = outcome.message.format(label=change.label, number=change.version.number)
        add_label_moved_message(request, actor, change.template, change.label, sentence, tags=tags)
    else:
        messages.success(request, outcome.message, extra_tags=tags)
    return redirect(_build_next_url(request, number))


def add_label_moved_message(
    request: HttpRequest, actor: Actor, template: Template, label: str, sentence: str, *, tags: str = ""
) -> None:
    """Add a message to the status line of the next page, with a link to the panel that undoes the move.

    Without the link if the user may not undo it, or the label was not set before; during a freeze with the reason.
    """
    line = sentence
    version = label_moves.find_version_to_undo(actor.person, template, label)
    if version and (freeze := roll_back_checks.find_freeze_before(template, label, version)):
        line = " ".join([sentence, gettext("A freeze is in force, so this can't be undone now:"), freeze.sentence])
    elif version:
        label_row = label_moves.find_label(template, label)
        query = urlencode({"label": label, "version": version, "from": label_row.version.number if label_row else 0})
        address = reverse("labels", args=[template.name])
        line = format_html('{} <a href="{}?{}">{}</a>', sentence, address, query, gettext("Undo"))
    messages.success(request, line, extra_tags=tags)


@dataclass(frozen=True)
class _Outcome:
    """The result of an action. message: for the reader. is_published: the label was moved to the change's version
    immediately; the message has places for its `label` and `number` then.
    """

    message: str
    is_published: bool = False


def _perform_rollout_action(request: HttpRequest, actor: Actor, number: int) -> _Outcome | None:
    """Perform the action of a rollout button; None for any other button."""
    do = _read_action(request)
    if do == "roll_out":
        return _Outcome(start_from_form(actor, number, request.POST, read_seen(request.POST)))
    if do == "publish" and "how" not in request.POST:
        started = publish_as_proposed(actor, number, read_seen(request.POST))
        return _Outcome(started) if started else _Outcome(str(MESSAGES["publish"]), is_published=True)
    if do in ROLLOUT_ACTIONS:
        return _Outcome(ROLLOUT_ACTIONS[do](actor, parse_form_number(request.POST.get("rollout")), request.POST))
    return None


def _perform_action(request: HttpRequest, actor: Actor, number: int) -> _Outcome:
    """Perform the action of the button that was pressed."""
    do, text = _read_action(request), request.POST.get("text", "")
    if do in ("approve", "request_changes", "comment", "send"):
        digest = request.POST.get("digest", "")
        decision = "" if do == "send" else do
        review_drafts.send_review(actor=actor, number=number, decision=decision, digest=digest, text=text)
    elif do in ("acknowledge", "take_back"):
        digest = request.POST.get("digest", "")
        decisions.decide_on_change(actor=actor, number=number, decision=do, digest=digest, text=text)
    elif act := {**_WHEN, **IN_CONVERSATION}.get(do):
        act(request, actor, number)
    elif do == "withdraw":
        change_services.withdraw_change(actor=actor, number=number, reason=text)
    elif do == "close_emergency":
        emergencies.close_emergency(actor=actor, number=number, reason=text)
    elif do == "reopen":
        change_services.reopen_change(actor=actor, number=number)
    elif do == "set_version" and (version := parse_form_number(request.POST.get("version"))):
        change_services.set_head(actor=actor, number=number, version=version)
    elif do == "rerun":
        check_results.rerun_checks(actor=actor, number=number)
    elif do in ON_LINES:
        ON_LINES[do](request, actor, number)
    else:
        raise Invalid(fields={"do": gettext("the page did not say which button was pressed.")})
    return _Outcome(str(MESSAGES[do]), is_published=do == "publish")


def _read_action(request: HttpRequest) -> str:
    """The name of the button that was pressed; for Publish, the option chosen beside it under Goes live."""
    do = request.POST.get("do", "")
    return _GOES_LIVE.get(request.POST.get("how", ""), do) if do == "publish" else do


def _publish(request: HttpRequest, actor: Actor, number: int) -> None:
    change_services.publish_change(actor=actor, number=number, **read_seen(request.POST))


def _schedule(request: HttpRequest, actor: Actor, number: int) -> None:
    at = read_moment(schedules.FIELD, request.POST.get(schedules.FIELD, ""), timezone.get_current_timezone())
    schedules.schedule_change(actor=actor, number=number, at=at, **read_seen(request.POST))


class _SeenForm(forms.Form):
    """What a form showed: the version that the change proposed, and the one that its label served, 0 for none."""

    seen_version = forms.IntegerField(min_value=1)
    expected = forms.IntegerField(min_value=0)


def read_seen(fields: Mapping[str, Any]) -> dict[str, int]:
    """The versions that a form showed, as arguments for the services. Raises PreconditionRequired without them."""
    form = _SeenForm(fields)
    if not form.is_valid():
        raise PreconditionRequired(
            gettext("The form did not say which version the change proposed and which one the label served. Try again.")
        )
    return {"version": form.cleaned_data["seen_version"], "expected": form.cleaned_data["expected"]}


def _unschedule(_request: HttpRequest, actor: Actor, number: int) -> None:
    schedules.unschedule_change(actor=actor, number=number)


_GOES_LIVE = {"gradually": "roll_out", "on_date": "schedule"}
_WHEN: Mapping[str, Callable[[HttpRequest, Actor, int], None]] = {
    "publish": _publish,
    "schedule": _schedule,
    "unschedule": _unschedule,
}


def _build_next_url(request: HttpRequest, number: int) -> str:
    """The page again; after an action on lines, in the same view, scrolled to the thread."""
    address = reverse("change", args=[number])
    if request.POST["do"] in ("edit_comment", "delete_comment") and request.GET.get("view") == "conversation":
        return f"{address}?view=conversation"
    if request.POST["do"] not in (*ON_LINES, "edit_comment", "delete_comment"):
        return address
    query = {name: request.GET[name] for name in KEPT_IN_URL if request.GET.get(name)}
    thread = parse_form_number(request.POST.get("thread"))
    return f"{address}?{urlencode(query)}#{f'thread-{thread}' if thread else 'diff'}"


_SUGGESTING = ("suggest", "keep", "thread")
