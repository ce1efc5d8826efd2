"""Suggestions: lines proposed by reviewers, applied as the next version of a request."""

from collections.abc import Sequence
from itertools import pairwise

from django.utils.translation import gettext

from registry.accounts.actor import Actor
from registry.changes import gate as change_gate
from registry.changes import locking, policy, thread_queries
from registry.changes import queries as change_queries
from registry.changes import services as writing
from registry.changes import threads as discussing
from registry.changes.line_anchors import replace_lines
from registry.changes.models import ChangeRequest
from registry.changes.thread_models import Comment
from registry.changes.thread_queries import PlacedThread
from registry.core.errors import Conflict, Invalid, NotFound
from registry.namespaces import key_rights
from registry.namespaces.verbs import Verb
from registry.templates import save as template_save
from registry.templates.contribution_models import Contribution

__all__ = ["apply_suggestions"]

Edit = tuple[int, int, str]


def apply_suggestions(
    *, actor: Actor, number: int, comments: Sequence[tuple[int, int]], message: str = "", confirm: bool = False
) -> ChangeRequest:
    """Save a version with these suggestions applied, each identified by (thread, comment), and make it the request's
    head.

    Raises Conflict if lines changed since or two suggestions overlap, and Invalid, with its problems, if the result is
    invalid; nothing is changed then. The threads are resolved. confirm: apply them even if too few people are left
    whose approval counts; Conflict without it (facts["confirm"] is true then, and "people" lists who could approve).
    """
    change = change_queries.find_change(actor, Verb.SAVE, number)
    key_rights.require_wide(actor, Verb.SAVE)  # the response shows suggestions or conflicts
    if not change.is_open:
        raise locking.build_closed_conflict(change)
    if not comments:
        raise Invalid(fields={"comments": gettext("name at least one suggestion.")})
    placed = {one.thread.number: one for one in thread_queries.list_threads(change)}
    edits = [_edit(placed, thread, comment) for thread, comment in comments]
    _require_apart(edits)
    applied = [_add_comment(placed, thread, comment) for thread, comment in comments]
    gate = change_gate.evaluate(change, actor, with_checks=False)
    if not confirm and (warning := gate.warn_of_suggestions(applied)):
        raise Conflict(
            gettext("{warning} Nothing was changed: send it again with confirm to apply it all the same.").format(
                warning=warning
            ),
            confirm=True,
            people=list(policy.list_eligible_approvers(gate.rules, gate.facts)),
        )
    document = replace_lines(change.version.document, edits)
    saved = template_save.save_version(
        actor=actor,
        name=change.template.name,
        document=document,
        message=message or _write_message(len(edits)),
        base=change.version.digest,
        parallel=True,
        even_if_equal=document != change.version.document,
        contributions=[Contribution(comment=comment) for comment in applied],
        ends_draft=False,
    )
    change = writing.set_head(actor=actor, number=number, version=saved.version.number, expected=change.version.number)
    for thread in dict.fromkeys(thread for thread, _ in comments):
        discussing.resolve_thread(actor=actor, number=number, thread=thread)
    return change


def _add_comment(placed: dict[int, PlacedThread], thread: int, comment: int) -> Comment:
    place = placed[thread]
    suggested = next(one for one in place.comments if one.number == comment)
    suggested.thread = place.thread
    return suggested


def _edit(placed: dict[int, PlacedThread], thread: int, comment: int) -> Edit:
    place = placed.get(thread)
    found_comments = [one for one in place.read_comments if one.comment.number == comment] if place else []
    if place is None or not found_comments or found_comments[0].suggestion is None:
        raise NotFound(
            gettext("There is no suggestion in comment {comment} of thread {thread}.").format(
                comment=comment, thread=thread
            )
        )
    if place.line is None or place.end_line is None:
        raise Conflict(
            gettext("The lines that thread {thread} is about were changed since.").format(thread=thread), thread=thread
        )
    return place.line, place.end_line, found_comments[0].suggestion


def _require_apart(edits: Sequence[Edit]) -> None:
    ordered = sorted(edits)
    for earlier, later in pairwise(ordered):
        if later[0] <= earlier[1]:
            raise Conflict(
                gettext("Two of the suggestions are about line {later}: apply one of them.").format(later=later[0])
            )


def _write_message(count: int) -> str:
    return "Apply a suggestion" if count == 1 else f"Apply {count} suggestions"  # no text: the version stores it
