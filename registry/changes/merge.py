"""Merging what a label holds into a change request that diverged from it."""

from dataclasses import dataclass

from django.utils.translation import gettext

from promptuary.renderer.syntax import three_way_merge
from promptuary.renderer.syntax.three_way_merge import Merged
from registry.accounts.actor import Actor
from registry.changes import gate, history_queries, locking
from registry.changes import queries as change_queries
from registry.changes import services as writing
from registry.changes.models import ChangeRequest
from registry.core.errors import Conflict
from registry.namespaces import key_rights
from registry.namespaces.verbs import Verb
from registry.templates import save as template_save
from registry.templates.contribution_models import Contribution
from registry.templates.label_models import Label
from registry.templates.models import Version

__all__ = ["MergePreview", "merge_change", "preview_merge"]

_MARKERS = ("<<<<<<< ", ">>>>>>> ")


@dataclass(frozen=True)
class MergePreview:
    """The merge of the head and what the label holds over their common ancestor (None if they share none)."""

    base: Version | None
    served: Version
    head: Version
    merged: Merged

    @property
    def is_needed(self) -> bool:
        """There is a preview only if the head doesn't descend from what the label holds."""
        return True


def preview_merge(change: ChangeRequest) -> MergePreview | None:
    """The merge of head and label; None if either descends from the other."""
    served, head = _find_served(change), change.version
    if served is None:
        return None
    history = history_queries.read_version_graph([change.template_id])
    if history.contains(head.pk, served.pk) or history.contains(served.pk, head.pk):
        return None
    ancestor = history.find_common_ancestor(head.pk, served.pk)
    base = Version.objects.filter(pk=ancestor).first() if ancestor is not None else None
    before = base.remaining if base else ""
    merged = three_way_merge.merge_texts(
        before,
        head.document,
        before if served.is_redacted else served.document,  # never merge redacted text
        our_name=f"version {head.number}",
        their_name=f"version {served.number} ({change.label})",
    )
    return MergePreview(base, served, head, merged)


def merge_change(
    *,
    actor: Actor,
    number: int,
    document: str | None = None,
    message: str = "",
    expected: tuple[str, str] | None = None,
) -> ChangeRequest:
    """Save the merge of head and label as a version based on what the label holds, and make it the request's head.

    document: the text with every conflict resolved; not needed if the merge is clean. expected: digests of the head and
    of what the label held when the conflicts were resolved. Raises Conflict if either has changed, if there is nothing
    to merge, or if conflicts are left (facts["lines"] has their places). Raises Invalid with its problems if the
    document is invalid.
    """
    change = change_queries.find_change(actor, Verb.SAVE, number)
    key_rights.require_wide(actor, Verb.SAVE)  # the response shows suggestions or conflicts
    if not change.is_open:
        raise locking.build_closed_conflict(change)
    preview = preview_merge(change)
    if preview is None:
        if stuck := gate.evaluate(change, actor, with_checks=False).find_blocker("superseded"):
            raise Conflict(f"{stuck.cause} {stuck.action}", change=number)
        raise Conflict(gettext("There is nothing to merge: the version comes from what the label serves."))
    if expected is not None and expected != (preview.head.digest, preview.served.digest):
        raise Conflict(
            gettext(
                "{label} serves version {held} and the change proposes version {head} now: look at the merge again."
            ).format(label=change.label, held=preview.served.number, head=preview.head.number),
            held=preview.served.number,
            head=preview.head.number,
        )
    document = _require_resolved(preview, document)
    if document == preview.served.remaining:
        raise Conflict(gettext("{label} already serves all of this: withdraw the change.").format(label=change.label))
    saved = template_save.save_version(
        actor=actor,
        name=change.template.name,
        document=document,
        message=message
        or gettext("Merge version {held} into version {head}").format(
            held=preview.served.number, head=preview.head.number
        ),
        base=preview.served.digest,
        parallel=True,
        even_if_equal=True,
        contributions=[Contribution(source=preview.head)],
        ends_draft=False,
    )
    return writing.set_head(actor=actor, number=number, version=saved.version.number, expected=preview.head.number)


def _require_resolved(preview: MergePreview, document: str | None) -> str:
    """The merged text, or the given one. Raises Conflict if it has a conflict left."""
    if document is None:
        if not preview.merged.is_clean:
            lines = [conflict.line for conflict in preview.merged.conflicts]
            raise Conflict(
                gettext("Both sides changed the same lines in {count} places: decide each.").format(count=len(lines)),
                lines=lines,
            )
        return preview.merged.text
    if marker_lines := [number for number, line in enumerate(document.split("\n"), 1) if line.startswith(_MARKERS)]:
        raise Conflict(
            gettext("Line {left} still has a conflict marker.").format(left=marker_lines[0]), lines=marker_lines
        )
    return document


def _find_served(change: ChangeRequest) -> Version | None:
    label = Label.objects.select_related("version").filter(template=change.template_id, name=change.label).first()
    return label.version if label else None
