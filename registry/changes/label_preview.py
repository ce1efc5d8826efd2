"""Preview of a label's move: its effects on services, open changes and approvals."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from registry.accounts.actor import Actor
from registry.changes import head_checks, history_queries, version_checks
from registry.changes.checks import Check
from registry.changes.contributors import History
from registry.changes.models import ChangeRequest
from registry.changes.queries import StoppedRollout, read_stopped_rollouts
from registry.core import names
from registry.evaluations import metric_readings
from registry.evaluations.metric_readings import RunReadings, VersionPair
from registry.namespaces import permissions
from registry.namespaces.models import Group
from registry.namespaces.rules import Rules, list_owners, read_rules
from registry.namespaces.verbs import Verb
from registry.templates import queries as template_queries
from registry.templates.approved_versions import list_approved_digests
from registry.templates.label_models import Label, LabelMove
from registry.templates.label_roll_backs import LabelRollBack, read_roll_backs
from registry.templates.models import Template, Version
from registry.usage.service_fetches import ServiceFetches, list_service_fetches

__all__ = [
    "LabelPreview",
    "OtherLabel",
    "OverlappingChange",
    "ServiceEffect",
    "find_preview",
    "preview_moves",
]

Undo = Literal["roll_back", "move", "remove", "none"]
State = Literal["ahead", "new", "equal", "superseded", "diverged", "back"]


@dataclass(frozen=True)
class ServiceEffect:
    """A service that fetches the template. `gets` is the version it will get; `moves` whether it follows the label."""

    fetches: ServiceFetches
    moves: bool
    gets: int


@dataclass(frozen=True)
class OverlappingChange:
    """Another open request for the same label. After the move it is `superseded` if the version contains what it
    proposes, else it needs a merge first.
    """

    change: ChangeRequest
    superseded: bool


@dataclass(frozen=True)
class OtherLabel:
    """Another label that already serves the version, and since when."""

    name: str
    is_protected: bool
    since: datetime


@dataclass(frozen=True)
class LabelPreview:
    """The effects of one move of a label.

    serves: what the label serves now, None if it is not set. state: `new` if it is not set, `equal` if it serves the
    same content, `ahead` if the version descends from what it serves, `back` if it held the version before,
    `superseded` if what it serves contains the version, else `diverged`: then a request has to be merged first. same:
    the open request that proposes exactly this. included: the numbers of the versions that go live along with it.
    groups: the titles of the groups whose approval is required. checks: the newest verdict of each check on the
    version, whichever change it was run for, and the required ones that were not run yet; empty if none was run and
    none is required. undo: the action that reverts the move; undo_version: the version that it goes back to.
    rolled_back: the roll back by which the label left the version, None if it never did, or returned to it since.
    served_by: the other labels that serve the version already, the earliest first. refusal: why the version can't be
    proposed, if what a protected label serves contains it; otherwise empty. stopped: the rollout of the version for
    the label, if that was stopped and the label didn't move to the version since.
    """

    template: Template
    label: str
    is_protected: bool
    version: Version
    serves: Version | None
    serves_since: datetime | None
    state: State
    included: tuple[int, ...]
    approvals_needed: int
    groups: tuple[str, ...]
    owners: tuple[str, ...]
    services: tuple[ServiceEffect, ...]
    evaluation: RunReadings | None
    checks: tuple[Check, ...]
    same: ChangeRequest | None
    overlapping: tuple[OverlappingChange, ...]
    undo: Undo
    undo_version: int | None
    rolled_back: LabelRollBack | None = None
    served_by: tuple[OtherLabel, ...] = ()
    refusal: str = ""
    stopped: StoppedRollout | None = None

    @property
    def fetches_moving(self) -> int:
        """Fetches per day that switch to the other version."""
        return sum(effect.fetches.per_day for effect in self.services if effect.moves)

    @property
    def fetches_staying(self) -> int:
        """Fetches per day that this label's move doesn't affect."""
        return sum(effect.fetches.per_day for effect in self.services if not effect.moves)

    @property
    def moving_services(self) -> int:
        """How many services switch to the other version."""
        return len({effect.fetches.service for effect in self.services if effect.moves})


def find_preview(actor: Actor, name: str, label: str, version: int) -> LabelPreview:
    """Preview one move, for readers of the template; nothing is stored. Raises NotFound for an unknown version."""
    names.check_label(label)
    template = template_queries.find_template(actor, Verb.READ, name)
    permissions.require_label(actor, label)
    return preview_moves(label, [(template, head_checks.find_head_version(template, version))])[0]


def preview_moves(label: str, moves: Sequence[tuple[Template, Version]]) -> list[LabelPreview]:
    """Preview the moves of several templates that the caller may read, in the order given, in a constant number of
    queries.

    Templates come with their namespaces, versions with their authors; each template appears once. A version that isn't
    stored counts as made from its base.
    """
    return _Reader(label, moves).build_previews() if moves else []


class _Reader:
    """Reads the data of all moves once, then builds each preview from it."""

    def __init__(self, label: str, moves: Sequence[tuple[Template, Version]]) -> None:
        self._label, self._moves = label, moves
        ids = [template.pk for template, _ in moves]
        rows = Label.objects.filter(template__in=ids, name=label).select_related("version__author")
        self._labels = {row.template_id: row for row in rows.defer("version__bundle")}
        unsaved = [version for _, version in moves if version._state.adding]
        self._history: History = history_queries.read_version_graph(ids, unsaved)
        self._approved = list_approved_digests(ids)
        self._services = list_service_fetches(ids)
        serves = {pk: row.version.digest for pk, row in self._labels.items()}
        self._readings: Mapping[int, RunReadings] = metric_readings.read_metrics(
            [VersionPair(template, version, serves.get(template.pk)) for template, version in moves]
        )
        rules = {version.pk: read_rules(template.namespace) for template, version in moves}
        self._checks = version_checks.read_version_checks(rules, with_missing=True)
        pending = ChangeRequest.objects.pending().filter(template__in=ids, label=label)
        listed = pending.select_related("version", "opened_by").defer("version__bundle").order_by("number")
        self._pending = list(listed)
        self._earlier = self._find_held_before(ids)
        self._others = self._read_other_labels([version.pk for _, version in moves])
        self._stopped = read_stopped_rollouts([(label, version.pk) for _, version in moves])
        self._roll_backs = read_roll_backs(label, {template.pk: version.pk for template, version in moves})

    def build_previews(self) -> list[LabelPreview]:
        return [self._preview(template, version) for template, version in self._moves]

    def _find_held_before(self, ids: Sequence[int]) -> set[tuple[int, str]]:
        """The template and digest of everything that the label ever held."""
        moves = LabelMove.objects.filter(template__in=ids, label=self._label, after__isnull=False)
        return set(moves.order_by().values_list("template_id", "after__digest").distinct())

    def _read_other_labels(self, versions: Sequence[int]) -> Mapping[int, list[tuple[str, datetime]]]:
        """Map each version's id to the other labels that point to it, with the time of the move."""
        others: dict[int, list[tuple[str, datetime]]] = {}
        rows = Label.objects.filter(version__in=versions).exclude(name=self._label).order_by("moved_at", "pk")
        for version, name, since in rows.values_list("version_id", "name", "moved_at"):
            others.setdefault(version, []).append((name, since))
        return others

    def _preview(self, template: Template, version: Version) -> LabelPreview:
        label_row = self._labels.get(template.pk)
        serves = label_row.version if label_row else None
        rules = read_rules(template.namespace)
        is_protected = self._label in rules.protected_labels
        others = [change for change in self._pending if change.template_id == template.pk]
        undo, undo_version = self._undo(template, serves, version, is_protected=is_protected)
        included = self._history.list_versions_between(version.pk, serves.pk) if serves else []
        return LabelPreview(
            template=template,
            label=self._label,
            is_protected=is_protected,
            version=version,
            serves=serves,
            serves_since=label_row.moved_at if label_row else None,
            state=self._choose_state(template, version, serves),
            included=tuple(included),
            approvals_needed=rules.count_needed_approvals(self._label, template.path) if is_protected else 0,
            groups=self._list_groups(rules, template) if is_protected else (),
            owners=list_owners(template.namespace, template.path) if is_protected else (),
            services=tuple(self._build_effect(fetches, version) for fetches in self._services.get(template.pk, ())),
            evaluation=self._readings.get(template.pk),
            checks=tuple(self._checks[version.pk]),
            same=next((change for change in others if change.version_id == version.pk), None),
            overlapping=tuple(
                OverlappingChange(change, self._history.contains(version.pk, change.version_id))
                for change in others
                if change.version_id != version.pk
            ),
            undo=undo,
            undo_version=undo_version,
            rolled_back=self._roll_backs.get(template.pk),
            stopped=self._stopped.get((self._label, version.pk)),
            served_by=tuple(
                OtherLabel(name, name in rules.protected_labels, since)
                for name, since in self._others.get(version.pk, ())
            ),
            refusal=self._refuse(template, version, serves) if is_protected and serves else "",
        )

    def _list_groups(self, rules: Rules, template: Template) -> tuple[str, ...]:
        """The titles of the groups that have to approve; no query if no rule names one."""
        required = rules.list_required_groups(self._label, template.path)
        if not required:
            return ()
        rows = Group.objects.filter(namespace=template.namespace_id, name__in=required)
        return tuple(rows.order_by("title").values_list("title", flat=True))

    def _choose_state(self, template: Template, version: Version, serves: Version | None) -> State:
        if serves is None:
            return "new"
        if serves.digest == version.digest:
            return "equal"
        if self._history.contains(version.pk, serves.pk):
            return "ahead"
        if (template.pk, version.digest) in self._earlier:
            return "back"
        return "superseded" if self._history.contains(serves.pk, version.pk) else "diverged"

    def _refuse(self, template: Template, version: Version, serves: Version) -> str:
        """Why the version can't be proposed, if what the label serves contains it; otherwise empty."""
        if serves.digest == version.digest or not self._history.is_superseded(version.pk, serves.pk):
            return ""
        was_approved = version.digest in self._approved[template.pk, self._label]
        return head_checks.describe_contained(self._label, serves.number, version.number, was_approved=was_approved)

    def _build_effect(self, fetches: ServiceFetches, version: Version) -> ServiceEffect:
        moves = fetches.ref == self._label
        return ServiceEffect(fetches, moves, version.number if moves else fetches.version)

    def _undo(
        self, template: Template, serves: Version | None, version: Version, *, is_protected: bool
    ) -> tuple[Undo, int | None]:
        if serves is not None and serves.digest == version.digest:
            return "none", None
        if not is_protected:
            return ("move", serves.number) if serves else ("remove", None)
        if serves is not None and serves.digest in self._approved[template.pk, self._label]:
            return "roll_back", serves.number
        return "none", None
