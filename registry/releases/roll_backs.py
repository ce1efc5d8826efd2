"""Rolling back a published release: its labels return to what they served before, all of them or none."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from django.db import transaction
from django.utils.translation import gettext

from registry.accounts.actor import Actor
from registry.changes.models import ChangeRequest
from registry.core.errors import Conflict, Invalid, NotFound, PromptuaryError
from registry.core.input_checks import check_text
from registry.journal import log
from registry.namespaces.verbs import Verb
from registry.releases.events import ReleaseRolledBack
from registry.releases.models import Release
from registry.releases.moved_members import MemberVersions, require_unmoved
from registry.releases.queries import lock_release
from registry.templates import labels
from registry.templates.label_models import Label, LabelMove
from registry.templates.models import Template, Version
from registry.templates.queries import require_current_names
from registry.templates.roll_back_checks import LabelPast, read_label_pasts, require_roll_back

__all__ = ["RollBackTarget", "list_roll_back_targets", "read_roll_back", "roll_back_release"]


@dataclass(frozen=True)
class RollBackTarget:
    """A template of a published release and the version that its label goes back to.

    served: what the label serves now, None if it is not set. change: the number of the request that published it.
    refusal: the error that prevents its roll back, None if it is possible. is_back: whether it was already rolled back.
    """

    template: Template
    version: Version | None
    served: Version | None
    change: int | None
    refusal: PromptuaryError | None
    is_back: bool

    @property
    def fault(self) -> str:
        """Why it can't be rolled back, as a sentence; empty if it can."""
        return self.refusal.message if self.refusal else ""


def roll_back_release(
    *, actor: Actor, number: int, reason: str, templates: Sequence[str] = (), expected: MemberVersions | None = None
) -> Release:
    """Roll the release's labels back to what they served before; reviewers only, with a reason.

    templates: the names of some of its templates, by default all that still serve what it published. All are rolled
    back, or none: raises Conflict if a label has moved on since, had no version before or is in a rollout,
    ApprovalRequired if what it served before was never approved, and Gone if that was redacted. expected: for each
    template, the version to go back to and the one served, as the caller saw them. Raises Conflict if any has changed.
    """
    if not check_text("reason", reason).strip():
        raise Invalid(fields={"reason": gettext("say why it goes back: everyone concerned will read it.")})
    with transaction.atomic():
        release = lock_release(actor, Verb.ROLL_BACK, number)
        if release.state != Release.PUBLISHED:
            raise Conflict(
                gettext("Release {number} is {state}; only a published one can be rolled back.").format(
                    number=number, state=release.state
                )
            )
        every = list_roll_back_targets(release)
        require_unmoved(release.label, expected or {}, read_roll_back(every))
        targets = _choose_targets(release, every, templates)
        for target, version in targets:
            labels.roll_back_label(
                actor=actor,
                name=target.template.name,
                label=release.label,
                version=version.number,
                reason=f"{reason.strip()} (release {number})",
                is_of_release=True,
            )
        release.rolled_back_at = release.updated_at = log.now()
        release.save()
        numbers = [target.change for target, _ in targets if target.change is not None]
        event = ReleaseRolledBack(release=number, label=release.label, changes=numbers, reason=reason.strip())
        log.append(actor, event, namespace=release.namespace, at=release.updated_at, subject=release)
    return release


def list_roll_back_targets(release: Release) -> list[RollBackTarget]:
    """What the release published, by template name, each with where its label would go back to.

    Excludes members that were withdrawn from the release and published on their own later.
    """
    published = ChangeRequest.objects.filter(
        release=release, state=ChangeRequest.PUBLISHED, closed_at__lte=release.closed_at
    )
    moves = LabelMove.objects.filter(change__in=published, how="published").order_by("template__name")
    moves = moves.select_related("template__namespace", "before__author", "after")
    rows = Label.objects.filter(template__changes__in=published, name=release.label).select_related("version")
    labels = {row.template_id: row for row in rows.defer("version__bundle")}
    publications = list(moves.defer("before__bundle", "after__bundle"))
    pasts = read_label_pasts(release.label, [move.template for move in publications])
    return [
        _find_target(release.label, move, labels.get(move.template_id), pasts[move.template_id])
        for move in publications
    ]


def read_roll_back(targets: Iterable[RollBackTarget]) -> dict[str, tuple[int, int]]:
    """Map template names to the number to go back to and the one that is served, for comparison with `expected`."""
    return {
        target.template.name: (
            target.version.number if target.version else 0,
            target.served.number if target.served else 0,
        )
        for target in targets
    }


def _find_target(label: str, move: LabelMove, label_row: Label | None, past: LabelPast) -> RollBackTarget:
    served = label_row.version if label_row else None
    is_served = move.after is not None and served is not None and served.digest == move.after.digest
    is_back = not is_served and served is not None and move.before is not None and served.digest == move.before.digest
    refusal = None
    try:
        _require_target(label, move, label_row, past, is_served=is_served, is_back=is_back)
    except PromptuaryError as error:
        refusal = error
    return RollBackTarget(move.template, move.before, served, move.change_id, refusal, is_back)


def _require_target(
    label: str, move: LabelMove, label_row: Label | None, past: LabelPast, *, is_served: bool, is_back: bool
) -> None:
    """Raise the error that prevents rolling the label back to where it was before this move."""
    name = move.template.name
    if is_back and label_row is not None:
        sentence = gettext("{label} of {name} is back on version {number} already.")
        raise Conflict(sentence.format(label=label, name=name, number=label_row.version.number))
    if label_row is None or not is_served:
        raise Conflict(gettext("{label} of {name} has moved on since.").format(label=label, name=name))
    if move.before is None or move.before.digest == label_row.version.digest:
        raise Conflict(gettext("{label} of {name} had no other version before.").format(label=label, name=name))
    require_roll_back(move.template, label_row, move.before, past)


def _choose_targets(
    release: Release, every: Iterable[RollBackTarget], templates: Sequence[str]
) -> list[tuple[RollBackTarget, Version]]:
    """The named targets, else all that are not back yet, each with its version. Raises Conflict if one can't be rolled
    back.
    """
    by_name = {target.template.name: target for target in every}
    if unknown := [name for name in templates if name not in by_name]:
        require_current_names(unknown)
        raise NotFound(
            gettext("Release {release} did not publish {value}.").format(release=release.number, value=unknown[0][:600])
        )
    chosen = [by_name[name] for name in by_name if name in templates] if templates else list(by_name.values())
    if not templates:
        chosen = [target for target in chosen if not target.is_back]
    refusals = [target.refusal for target in chosen if target.refusal]
    for refusal in refusals:
        if not isinstance(refusal, Conflict):
            raise refusal
    if refusals:
        names = " ".join(refusal.message for refusal in refusals)
        raise Conflict(gettext("{names} Nothing was rolled back: choose the templates one by one.").format(names=names))
    if not chosen:
        raise Conflict(
            gettext("Nothing of release {release} is served any more.").format(release=release.number),
            release=release.number,
        )
    return [(target, target.version) for target in chosen if target.version is not None]
