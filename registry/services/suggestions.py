"""Suggestions: lines that reviewers proposed, put into the next version of a request."""

from collections.abc import Sequence
from itertools import pairwise

from registry import access
from registry.access import Actor, Verb
from registry.errors import Conflict, Invalid, NotFound
from registry.models import ChangeRequest
from registry.queries import changes, threads
from registry.queries.threads import Placed
from registry.review.anchors import replace_lines
from registry.services import changes as writing
from registry.services import templates
from registry.services import threads as discussing

__all__ = ["apply"]

Edit = tuple[int, int, str]


def apply(*, actor: Actor, number: int, comments: Sequence[tuple[int, int]], message: str = "") -> ChangeRequest:
    """Save a version with these suggestions in it, each named by (thread, comment), and make it the request's head.

    Conflict where lines were changed since or two suggestions meet; Invalid, with its problems, where what comes out is no
    sound document. Nothing is changed then. The threads are resolved.
    """
    change = changes.find(actor, Verb.SAVE, number)
    access.require_wide(actor, Verb.SAVE)  # it shows what was suggested or conflicts
    if not change.is_open:
        raise Conflict(f"Change request {number} is {change.state}.", state=change.state)
    if not comments:
        raise Invalid(fields={"comments": "name at least one suggestion."})
    placed = {one.thread.number: one for one in threads.of(change)}
    edits = [_edit(placed, thread, comment) for thread, comment in comments]
    _require_apart(edits)
    saved = templates.save(
        actor=actor,
        name=change.template.name,
        document=replace_lines(change.version.document, edits),
        message=message or _message(len(edits)),
        base=change.version.digest,
        parallel=True,
    )
    change = writing.set_version(
        actor=actor, number=number, version=saved.version.number, expected=change.version.number
    )
    for thread in dict.fromkeys(thread for thread, _ in comments):
        discussing.resolve(actor=actor, number=number, thread=thread)
    return change


def _edit(placed: dict[int, Placed], thread: int, comment: int) -> Edit:
    found = placed.get(thread)
    said = [one for one in found.comments if one.number == comment] if found else []
    if found is None or not said or said[0].suggestion is None:
        raise NotFound(f"There is no suggestion in comment {comment} of thread {thread}.")
    if found.line is None or found.end_line is None:
        raise Conflict(f"The lines that thread {thread} is about were changed since.", thread=thread)
    return found.line, found.end_line, said[0].suggestion


def _require_apart(edits: Sequence[Edit]) -> None:
    ordered = sorted(edits)
    for earlier, later in pairwise(ordered):
        if later[0] <= earlier[1]:
            raise Conflict(f"Two of the suggestions are about line {later[0]}: apply one of them.")


def _message(count: int) -> str:
    return "Apply a suggestion" if count == 1 else f"Apply {count} suggestions"
