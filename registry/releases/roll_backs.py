"""Rolling back a published release: its labels back to what they served before, together or not at all."""

from collections.abc import Sequence

from django.db import transaction
from django.utils.translation import gettext

from registry.accounts.actor import Actor
from registry.changes.models import ChangeRequest
from registry.core.errors import Conflict, Invalid, NotFound
from registry.core.input_checks import check_text
from registry.journal import log
from registry.namespaces.permissions import Verb
from registry.releases.events import ReleaseRolledBack
from registry.releases.models import Release
from registry.releases.queries import lock_release
from registry.templates import labels
from registry.templates.label_models import Label, LabelMove
from registry.templates.models import Version

__all__ = ["roll_back_release"]


def roll_back_release(*, actor: Actor, number: int, reason: str, templates: Sequence[str] = ()) -> Release:
    """Put the labels that the release moved back to what they served before; reviewers only, with a reason.

    templates: the names of some of its templates, by default all that still serve what it published. All go back, or
    none: Conflict where a label has moved on since or had no version before, ApprovalRequired where what it served
    before was never approved.
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
        targets = _find_targets(release, templates)
        for move, version in targets:
            labels.roll_back_label(
                actor=actor,
                name=move.template.name,
                label=release.label,
                version=version.number,
                reason=f"{reason.strip()} (release {number})",
            )
        release.rolled_back_at = release.updated_at = log.now()
        release.save()
        numbers = [move.change_id for move, _ in targets if move.change_id is not None]
        event = ReleaseRolledBack(release=number, label=release.label, changes=numbers, reason=reason.strip())
        log.append(actor, event, namespace=release.namespace, at=release.updated_at, subject=release)
    return release


def _find_targets(release: Release, templates: Sequence[str]) -> list[tuple[LabelMove, Version]]:
    """The publishing moves that are undone, each with the version that its label goes back to, by template's name.

    A member that was withdrawn from the release and published alone later is none of them.
    """
    published = ChangeRequest.objects.filter(
        release=release, state=ChangeRequest.PUBLISHED, closed_at__lte=release.closed_at
    )
    moves = LabelMove.objects.filter(change__in=published, how="published").order_by("template__name")
    moves = moves.select_related("template", "before", "after").defer("before__bundle", "after__bundle")
    by_name = {move.template.name: move for move in moves}
    if unknown := [name for name in templates if name not in by_name]:
        raise NotFound(
            gettext("Release {release} did not publish {value}.").format(release=release.number, value=unknown[0][:600])
        )
    rows = Label.objects.filter(template__name__in=by_name, name=release.label)
    served = dict(rows.values_list("template__name", "version__digest"))
    targets, problems = [], []
    for name, move in by_name.items():
        if templates and name not in templates:
            continue
        is_served = move.after is not None and served.get(name) == move.after.digest
        is_back = move.before is not None and served.get(name) == move.before.digest
        if not is_served:
            if templates or not is_back:  # one that is back already is left alone, unless somebody names it
                problems.append(f"{release.label} of {name} has moved on since.")
        elif move.before is None or move.before.digest == served[name]:
            problems.append(f"{release.label} of {name} had no other version before.")
        else:
            targets.append((move, move.before))
    if problems:
        raise Conflict(
            gettext("{names} Nothing was rolled back: choose the templates one by one.").format(
                names=" ".join(problems)
            )
        )
    if not targets:
        raise Conflict(
            gettext("Nothing of release {release} is served any more.").format(release=release.number),
            release=release.number,
        )
    return targets
