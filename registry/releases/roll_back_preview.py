"""Preview of rolling a release back: where each label would go back to, and what blocks it."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.utils.translation import gettext

from registry.accounts.actor import Actor
from registry.changes import label_preview
from registry.changes.label_preview import LabelPreview
from registry.core.errors import Conflict, PromptuaryError
from registry.namespaces import permissions
from registry.namespaces.verbs import Verb
from registry.releases.models import Release
from registry.releases.roll_backs import RollBackTarget, list_roll_back_targets
from registry.templates.models import Template, Version

__all__ = ["ReleaseRollBackPreview", "RollBackMember", "preview_roll_back"]


@dataclass(frozen=True)
class RollBackMember:
    """A template of a published release, with the effects of rolling its label back.

    preview: None if the label had no version before. missing_right: why the actor may not roll it back, as a sentence;
    empty if they may.
    """

    target: RollBackTarget
    preview: LabelPreview | None
    missing_right: str

    @property
    def fault(self) -> str:
        """Why nobody can roll the label back; empty if it is possible."""
        return self.target.fault


@dataclass(frozen=True)
class ReleaseRollBackPreview:
    """The effects of rolling back a release, by template name."""

    release: Release
    members: Sequence[RollBackMember]

    @property
    def movable(self) -> list[LabelPreview]:
        """The previews of those whose label can be rolled back."""
        return [member.preview for member in self.members if member.preview is not None and not member.fault]

    @property
    def is_ready(self) -> bool:
        """Whether the actor can roll back all remaining members together."""
        members = [member for member in self.members if not member.target.is_back]
        return bool(members) and not any(member.fault or member.missing_right for member in members)

    @property
    def moving_services(self) -> int:
        """How many services would get another version."""
        return len({it.fetches.service for preview in self.movable for it in preview.services if it.moves})

    @property
    def fetches_moving(self) -> int:
        """Fetches per day that would get another version."""
        return sum(preview.fetches_moving for preview in self.movable)


def preview_roll_back(release: Release, actor: Actor) -> ReleaseRollBackPreview:
    """Preview rolling the release back now; nothing is stored. Raises Conflict if it is not published."""
    if release.state != Release.PUBLISHED:
        raise Conflict(
            gettext("Release {number} is {state}; only a published one can be rolled back.").format(
                number=release.number, state=release.state
            )
        )
    targets = list_roll_back_targets(release)
    moves: list[tuple[Template, Version]] = []
    for target in targets:
        if target.version is not None:
            moves.append((target.template, target.version))
    previews = {preview.template.pk: preview for preview in label_preview.preview_moves(release.label, moves)}
    with permissions.remember_roles():
        members = [
            RollBackMember(target, previews.get(target.template.pk), _find_missing_right(actor, target.template))
            for target in targets
        ]
    return ReleaseRollBackPreview(release, members)


def _find_missing_right(actor: Actor, template: Template) -> str:
    try:
        permissions.require_verb(actor, Verb.ROLL_BACK, template.namespace, template.path)
    except PromptuaryError as error:
        return error.message
    return ""
