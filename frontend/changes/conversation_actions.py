"""POST actions of the conversation of a change request: review requests, comments, and suggestions on lines."""

from collections.abc import Callable, Mapping

from django.http import HttpRequest

from frontend.changes.suggestion_previews import read_place, read_suggestion
from frontend.changes.views import (
    Suggestion,
    add_to_batch,
    drop_from_batch,
    empty_batch,
    read_batch,
)
from frontend.web.forms import parse_form_number
from registry.accounts.actor import Actor
from registry.changes import queries as changes_query
from registry.changes import (
    review_drafts,
    review_requests,
    revisions,
    suggestions,
    threads,
)
from registry.changes.line_anchors import take_lines
from registry.changes.places import Place
from registry.changes.thread_models import Thread
from registry.templates import version_queries

__all__ = ["IN_CONVERSATION", "ON_LINES"]


def _ask(request: HttpRequest, actor: Actor, number: int) -> None:
    review_requests.ask_for_review(
        actor=actor, number=number, person=request.POST.get("remind") or request.POST.get("person", "")
    )


def _edit_comment(request: HttpRequest, actor: Actor, number: int) -> None:
    thread, comment = _read_suggestion(request)
    text = request.POST.get("comment_text", "").replace("\r\n", "\n")
    revisions.edit_comment(actor=actor, number=number, thread=thread, comment=comment, text=text)


def _delete_comment(request: HttpRequest, actor: Actor, number: int) -> None:
    thread, comment = _read_suggestion(request)
    revisions.delete_comment(actor=actor, number=number, thread=thread, comment=comment)


IN_CONVERSATION: Mapping[str, Callable[[HttpRequest, Actor, int], None]] = {
    "ask": _ask,
    "edit_comment": _edit_comment,
    "delete_comment": _delete_comment,
}


def _open(request: HttpRequest, actor: Actor, number: int) -> None:
    """A comment includes what was typed as a suggestion; an emptied field suggests nothing."""
    place, text = read_place(request), request.POST.get("text", "")
    suggestion: str | None = read_suggestion(request)
    if request.POST["do"] == "thread":
        suggestion = _read_changed_suggestion(request, actor, number, place) or None
    threads.open_thread(actor=actor, number=number, place=place, text=text, suggestion=suggestion)
    _forget(request, actor, number)


def _post_reply(request: HttpRequest, actor: Actor, number: int) -> None:
    threads.reply_to_thread(actor=actor, number=number, thread=_read_thread(request), text=request.POST.get("text", ""))


def _keep_reply(request: HttpRequest, actor: Actor, number: int) -> None:
    review_drafts.save_remark(
        actor=actor, number=number, thread=_read_thread(request), text=request.POST.get("text", "")
    )


def _resolve(request: HttpRequest, actor: Actor, number: int) -> None:
    resolved = request.POST["do"] == "resolve"
    threads.resolve_thread(actor=actor, number=number, thread=_read_thread(request), resolved=resolved)


def _apply(request: HttpRequest, actor: Actor, number: int) -> None:
    suggestions.apply_suggestions(
        actor=actor, number=number, comments=[_read_suggestion(request)], confirm=_is_confirmed(request)
    )
    drop_from_batch(request, number, _read_suggestion(request))


def _apply_batch(request: HttpRequest, actor: Actor, number: int) -> None:
    suggestions.apply_suggestions(
        actor=actor, number=number, comments=read_batch(request, number), confirm=_is_confirmed(request)
    )
    empty_batch(request, number)


def _add_to_batch(request: HttpRequest, _actor: Actor, number: int) -> None:
    add_to_batch(request, number, _read_suggestion(request))


def _remove_from_batch(request: HttpRequest, _actor: Actor, number: int) -> None:
    drop_from_batch(request, number, _read_suggestion(request))


def _clear_batch(request: HttpRequest, _actor: Actor, number: int) -> None:
    empty_batch(request, number)


def _is_confirmed(request: HttpRequest) -> bool:
    """Whether the user ticked the box confirming that no eligible approver would be left."""
    return request.POST.get("confirm") == "yes"


def _read_suggestion(request: HttpRequest) -> Suggestion:
    return _read_thread(request), parse_form_number(request.POST.get("comment"))


def _read_thread(request: HttpRequest) -> int:
    return parse_form_number(request.POST.get("thread"))


def _keep(request: HttpRequest, actor: Actor, number: int) -> None:
    """A remark includes a suggestion only if the text of the lines was changed."""
    place = read_place(request)
    suggestion = _read_changed_suggestion(request, actor, number, place)
    remark = parse_form_number(request.POST.get("remark")) or None
    text = request.POST.get("text", "")
    review_drafts.save_remark(actor=actor, number=number, place=place, text=text, suggestion=suggestion, remark=remark)


def _read_changed_suggestion(request: HttpRequest, actor: Actor, number: int, place: Place) -> str | None:
    """The suggested text of the lines; None if it equals the current lines, or the form has no such field."""
    if "suggestion" not in request.POST:
        return None
    suggestion = read_suggestion(request)
    was = _find_lines(actor, number, place) if place.side == Thread.SOURCE else read_suggestion(request, "was")
    return None if suggestion == was else suggestion


def _find_lines(actor: Actor, number: int, place: Place) -> str:
    change = changes_query.get_change(actor, number)
    version = version_queries.get_version(actor, change.template.name, place.version)
    return (take_lines(version.document, place.line, place.last_line) or "").replace("\r\n", "\n").removesuffix("\n")


def _forget(request: HttpRequest, actor: Actor, number: int) -> None:
    if remark := parse_form_number(request.POST.get("remark")):
        review_drafts.discard_remark(actor=actor, number=number, remark=remark)


ON_LINES: Mapping[str, Callable[[HttpRequest, Actor, int], None]] = {
    "thread": _open,
    "suggest": _open,
    "keep": _keep,
    "discard": _forget,
    "reply": _post_reply,
    "keep_reply": _keep_reply,
    "resolve": _resolve,
    "unresolve": _resolve,
    "apply": _apply,
    "batch": _add_to_batch,
    "unbatch": _remove_from_batch,
    "empty_batch": _clear_batch,
    "apply_batch": _apply_batch,
}
