"""Merges: bringing what a label holds into a request that was made beside it."""

from registry.accounts.actor import Actor
from registry.changes import gate, locking, turn
from registry.changes import queries as change_queries
from registry.changes import services as writing
from registry.changes.models import ChangeRequest
from registry.core.errors import Conflict
from registry.namespaces import permissions
from registry.namespaces.permissions import Verb
from registry.templates import save as template_save
from registry.templates.models import Contribution

__all__ = ["merge_change"]

_MARKERS = ("<<<<<<< ", ">>>>>>> ")


def merge_change(
    *,
    actor: Actor,
    number: int,
    document: str | None = None,
    message: str = "",
    seen: tuple[str, str] | None = None,
) -> ChangeRequest:
    """Save the merge of head and label as a version made from what the label holds, and make it the request's head.

    document: the text with every conflict decided; not needed where the merge is clean. seen: digests of the head and of what
    the label held when that was decided; Conflict where either is another one by now. Conflict too where there is nothing to
    merge or conflicts are left (facts["lines"] says where), Invalid with its problems where the text is no sound document.
    """
    change = change_queries.find_change(actor, Verb.SAVE, number)
    permissions.require_wide(actor, Verb.SAVE)  # it shows what was suggested or conflicts
    locking.require_pending(change)
    found = turn.preview_merge(change)
    if found is None:
        if stuck := gate.evaluate(change, actor, with_checks=False).of("superseded"):
            raise Conflict(f"{stuck.cause} {stuck.action}", change=number)
        raise Conflict("There is nothing to merge: the version comes from what the label holds.")
    if seen is not None and seen != (found.head.digest, found.held.digest):
        raise Conflict(
            f"{change.label} holds version {found.held.number} and the request stands on version {found.head.number} now: "
            "look at the merge again.",
            held=found.held.number,
            head=found.head.number,
        )
    if document is None:
        if not found.merged.is_clean:
            lines = [conflict.line for conflict in found.merged.conflicts]
            raise Conflict(f"Both sides changed the same lines in {len(lines)} places: decide each.", lines=lines)
        document = found.merged.text
    elif left := [n for n, line in enumerate(document.split("\n"), 1) if line.startswith(_MARKERS)]:
        raise Conflict(f"Line {left[0]} still holds a conflict marker.", lines=left)
    if document == found.held.remaining:
        raise Conflict(f"{change.label} holds all of this already: withdraw the request.")
    saved = template_save.save(
        actor=actor,
        name=change.template.name,
        document=document,
        message=message or f"Merge version {found.held.number} into version {found.head.number}",
        base=found.held.digest,
        parallel=True,
        even_if_equal=True,
        contributions=[Contribution(source=found.head)],
    )
    return writing.set_head(actor=actor, number=number, version=saved.version.number, expected=found.head.number)
