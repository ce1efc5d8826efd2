"""Rolling back a published release: its labels back to what they served before, together or not at all."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from django.db import transaction
from django.utils.translation import gettext

from registry.accounts.actor import Actor
from registry.changes.models import ChangeRequest
from registry.core.errors import Conflict, Invalid, NotFound
from registry.core.input_checks import check_text
from registry.journal import log
from registry.namespaces.verbs import Verb
from registry.releases.events import ReleaseRolledBack
from registry.releases.models import Release
from registry.releases.moved_members import Seen, require_unmoved
from registry.releases.queries import lock_release
from registry.templates import labels
from registry.templates.label_models import Label, LabelMove
from registry.templates.models import Template, Version

__all__ = ["RollBackTarget", "list_roll_back_targets", "read_roll_back", "roll_back_release"]


@dataclass(frozen=True)
class RollBackTarget:
    """A template of a published release and the version that its label goes back to.

    served: what the label serves now, None if it is not set. change: the number of the request that published it.
    fault: why it can't go back, as a sentence, empty if it can. is_back: whether it was rolled back already.
    """

    template: Template
    version: Version | None
    served: Version | None
    change: int | None
    fault: str
    is_back: bool


def roll_back_release(
    *, actor: Actor, number: int, reason: str, templates: Sequence[str] = (), expected: Seen | None = None
) -> Release:
    """Put the labels that the release moved back to what they served before; reviewers only, with a reason.

    templates: the names of some of its templates, by default all that still serve what it published. All go back, or
    none: Conflict if a label has moved on since or had no version before, ApprovalRequired if what it served
    before was never approved. expected: what the caller saw of the templates, the version that a label goes back to
    and the one that it serves. Raises Conflict if one of them is another by now.
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
            )
        release.rolled_back_at = release.updated_at = log.now()
        release.save()
        numbers = [target.change for target, _ in targets if target.change is not None]
        event = ReleaseRolledBack(release=number, label=release.label, changes=numbers, reason=reason.strip())
        log.append(actor, event, namespace=release.namespace, at=release.updated_at, subject=release)
    return release


def list_roll_back_targets(release: Release) -> list[RollBackTarget]:
    """What the release published, by template's name, each with where its label would go back to.

    A member that was withdrawn from the release and published alone later is none of them.
    """
    published = ChangeRequest.objects.filter(
        release=release, state=ChangeRequest.PUBLISHED, closed_at__lte=release.closed_at
    )
    moves = LabelMove.objects.filter(change__in=published, how="published").order_by("template__name")
    moves = moves.select_related("template__namespace", "before__author", "after")
    rows = Label.objects.filter(template__changes__in=published, name=release.label).select_related("version")
    served = {row.template_id: row.version for row in rows.defer("version__bundle")}
    return [
        _find_target(release.label, move, served.get(move.template_id))
        for move in moves.defer("before__bundle", "after__bundle")
    ]


def read_roll_back(targets: Iterable[RollBackTarget]) -> dict[str, tuple[int, int]]:
    """What `expected` is compared with: by the template's name the number to go back to and the one that is served."""
    return {
        target.template.name: (
            target.version.number if target.version else 0,
            target.served.number if target.served else 0,
        )
        for target in targets
    }


def _find_target(label: str, move: LabelMove, served: Version | None) -> RollBackTarget:
    name, digest = move.template.name, served.digest if served else None
    is_served = move.after is not None and digest == move.after.digest
    is_back = not is_served and move.before is not None and digest == move.before.digest
    fault = ""
    if not is_served:
        fault = gettext("{label} of {name} has moved on since.").format(label=label, name=name)
    elif move.before is None or move.before.digest == digest:
        fault = gettext("{label} of {name} had no other version before.").format(label=label, name=name)
    return RollBackTarget(move.template, move.before, served, move.change_id, fault, is_back)


def _choose_targets(
    release: Release, every: Iterable[RollBackTarget], templates: Sequence[str]
) -> list[tuple[RollBackTarget, Version]]:
    """Those that are named, else all that are not back yet, each with its version. Raises Conflict if one can't go."""
    by_name = {target.template.name: target for target in every}
    if unknown := [name for name in templates if name not in by_name]:
        raise NotFound(
            gettext("Release {release} did not publish {value}.").format(release=release.number, value=unknown[0][:600])
        )
    asked = [by_name[name] for name in by_name if name in templates] if templates else list(by_name.values())
    if not templates:
        asked = [target for target in asked if not target.is_back]
    if faults := [target.fault for target in asked if target.fault]:
        raise Conflict(
            gettext("{names} Nothing was rolled back: choose the templates one by one.").format(names=" ".join(faults))
        )
    if not asked:
        raise Conflict(
            gettext("Nothing of release {release} is served any more.").format(release=release.number),
            release=release.number,
        )
    return [(target, target.version) for target in asked if target.version is not None]
