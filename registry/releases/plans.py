"""Plans of releases: which versions of which templates a selection proposes, and which templates it leaves out."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from django.db.models import QuerySet
from django.utils.translation import gettext

from registry.accounts.actor import Actor
from registry.changes import blockers, history_queries
from registry.changes.contributors import History
from registry.changes.models import ChangeRequest
from registry.core import names
from registry.core.errors import Invalid, NotFound
from registry.core.names import LATEST
from registry.namespaces import path_permissions, permissions
from registry.namespaces.models import Namespace
from registry.namespaces.verbs import Verb
from registry.templates.label_models import Label
from registry.templates.label_moves import Approval, find_approvals_of_labels
from registry.templates.models import Template, Version
from registry.templates.queries import require_current_names

__all__ = [
    "MAX_TEMPLATES",
    "LeftOut",
    "PlannedMember",
    "ReleasePlan",
    "ReleaseSelection",
    "find_selected_ids",
    "plan_release",
    "plan_templates",
    "require_may_propose",
    "require_selection",
]

_WAITING = {"member", "rollout", "emergency"}  # codes of templates that are left out until something else is done
MAX_TEMPLATES = 100  # templates of one release: each adds a handful of queries to its page


@dataclass(frozen=True)
class ReleaseSelection:
    """The selection for a release: versions by template name, or what a label of templates serves.

    from_label: with `templates` (full names) or `folder` (or the namespace, for all of it); `latest` is the newest
    version.
    """

    versions: Mapping[str, int] = field(default_factory=dict)
    from_label: str = ""
    templates: Sequence[str] = ()
    folder: str = ""


@dataclass(frozen=True)
class PlannedMember:
    """A version that is proposed. serves: the number of what the label serves now, None if it is not set. change: the
    open request for the same version, which becomes the member.
    """

    template: Template
    version: Version
    serves: int | None
    change: ChangeRequest | None


@dataclass(frozen=True)
class LeftOut:
    """A selected template that is not part of the release. code: archived, unset, redacted, equal, emergency,
    superseded, member, rollout. release: the number of the release that proposes the version already.
    """

    template: str
    code: str
    reason: str
    release: int | None = None


@dataclass(frozen=True)
class ReleasePlan:
    """The content of a release, by template name."""

    members: tuple[PlannedMember, ...]
    left_out: tuple[LeftOut, ...]

    @property
    def has_waiting(self) -> bool:
        """Whether a template is left out that the label lacks something of: it waits for another act first."""
        return any(template.code in _WAITING for template in self.left_out)


def plan_release(actor: Actor, namespace: str, label: str, selection: ReleaseSelection) -> ReleasePlan:
    """Preview what `propose_release` would do with the selection."""
    space = path_permissions.find_namespace_for_some(actor, Verb.PROPOSE, namespace)
    permissions.require_label(actor, label)
    require_selection(space, label, selection)
    plan = plan_templates(label, selection, find_selected_ids(space, selection))
    require_may_propose(actor, space, plan)
    return plan


def require_may_propose(actor: Actor, space: Namespace, plan: ReleasePlan) -> None:
    """Raise NotAllowed if the actor may not propose each of the planned templates."""
    path_permissions.require_verb_at_all(actor, Verb.PROPOSE, space, [one.template.path for one in plan.members])


def require_selection(space: Namespace, label: str, selection: ReleaseSelection) -> None:
    """Raise Invalid by field if the label is not protected or the selection is incomplete or ambiguous."""
    names.check_label(label)
    if label not in space.protected_labels:
        raise Invalid(
            fields={
                "label": gettext("{label} is not protected in {space}: move it without a release.").format(
                    label=label, space=space.name
                )
            }
        )
    if selection.versions and (selection.from_label or selection.templates or selection.folder):
        raise Invalid(fields={"versions": gettext("either versions, or a label to take them from; not both.")})
    if selection.versions:
        return
    if not selection.from_label:
        raise Invalid(fields={"from_label": gettext("say the label whose versions are proposed, or give versions.")})
    if selection.from_label != LATEST:
        names.check_label(selection.from_label)
    if selection.from_label == label:
        raise Invalid(
            fields={"from_label": gettext("this is {label} itself: choose another label.").format(label=label)}
        )
    if bool(selection.templates) == bool(selection.folder):
        raise Invalid(fields={"templates": gettext("say either the templates or a folder.")})


def find_selected_ids(space: Namespace, selection: ReleaseSelection) -> list[int]:
    """The ids of the selected templates in ascending order. Raises NotFound if a named one does not exist."""
    rows = Template.objects.filter(namespace=space)
    chosen = sorted(selection.versions or selection.templates)
    if chosen:
        names_to_ask = [name for name in chosen if "\0" not in name]  # PostgreSQL rejects NUL
        ids_by_name = dict(rows.filter(name__in=names_to_ask).values_list("name", "pk"))
        if unknown := [name for name in chosen if name not in ids_by_name]:
            require_current_names(unknown, space)
            raise NotFound(
                gettext("There is no template {value} in {space}.").format(value=unknown[0][:600], space=space.name)
            )
        ids = list(ids_by_name.values())
    else:
        ids = list(_select_in_folder(space, selection.folder).values_list("pk", flat=True))
    if len(ids) > MAX_TEMPLATES:
        raise Invalid(
            fields={
                "templates": gettext(
                    "{count} templates are too many for one release: choose at most {most_templates}."
                ).format(count=len(ids), most_templates=MAX_TEMPLATES)
            }
        )
    return sorted(ids)


def plan_templates(
    label: str, selection: ReleaseSelection, ids: Sequence[int], release: int | None = None
) -> ReleasePlan:
    """The plan for the selected templates; for services, under the journal's lock. release: the number of the release
    that they are added to.
    """
    rows = Template.objects.filter(pk__in=ids).select_related("namespace", "latest").order_by("name")
    planner = _Planner(list(rows), label, selection, release)
    members, left_out = [], []
    for template in planner.templates:
        planned = planner.plan(template)
        if isinstance(planned, LeftOut):
            left_out.append(planned)
        else:
            members.append(planned)
    return ReleasePlan(tuple(members), tuple(left_out))


def _select_in_folder(space: Namespace, folder: str) -> QuerySet[Template]:
    path = folder.strip("/")
    rows = Template.objects.filter(namespace=space, archived_at=None)
    if path == space.name:
        return rows
    if not path.startswith(f"{space.name}/") or "\0" in path:
        raise Invalid(
            fields={
                "folder": gettext("{path} is not a folder of {space}.").format(path=f"{path[:80]!r}", space=space.name)
            }
        )
    return rows.filter(name__startswith=f"{path}/")


class _Planner:
    """Plans members with data that is read once for all templates."""

    def __init__(
        self, templates: Sequence[Template], label: str, selection: ReleaseSelection, release: int | None
    ) -> None:
        self.templates = templates
        self._label, self._selection, self._release = label, selection, release
        ids = [template.pk for template in templates]
        self._labels = _read_labels(ids, label)
        self._origins = _find_origin_versions(templates, selection)
        self._approvals = find_approvals_of_labels(templates)
        self._history: History = history_queries.read_history(templates)
        pending = ChangeRequest.objects.pending().filter(template__in=ids, label=label)
        self._pending = list(pending.select_related("template__namespace", "version", "release", "opened_by"))

    def plan(self, template: Template) -> PlannedMember | LeftOut:
        """The member for one template, or why it is left out."""
        if template.archived_at is not None:
            return LeftOut(template.name, "archived", gettext("It is archived."))
        version = self._origins.get(template.pk)
        if version is None:
            return self._leave_out_without_version(template)
        if version.tombstone is not None:
            return LeftOut(
                template.name, "redacted", gettext("Version {version} was redacted.").format(version=version.number)
            )
        served = self._labels.get(template.pk)
        served_version = served.version if served else None
        if (
            served_version is not None
            and (reason := self._find_reason_to_leave(template, version, served_version)) is not None
        ):
            return reason
        others = [change for change in self._pending if change.template_id == template.pk]
        for change in others:
            if self._release is not None and change.open_release == self._release:
                words = gettext("It is in the release already, with version {version}.")
                words = words.format(version=change.version.number)
                return LeftOut(template.name, "member", words, self._release)
        same = next((change for change in others if change.version_id == version.pk), None)
        if same is not None and same.open_release is not None:
            words = gettext("Release {release} already proposes version {version}.")
            words = words.format(release=same.open_release, version=version.number)
            return LeftOut(template.name, "member", words, same.open_release)
        if served is not None and served.rollout is not None:
            rollout = served.rollout
            blocker = blockers.describe_rollout(
                self._label, same.number if same else 0, rollout.number, rollout.change_id
            )
            return LeftOut(template.name, "rollout", f"{blocker.cause} {blocker.action}")
        return PlannedMember(template, version, served_version.number if served_version else None, same)

    def _leave_out_without_version(self, template: Template) -> LeftOut:
        if number := self._selection.versions.get(template.name):
            raise NotFound(gettext("{template} has no version {number}.").format(template=template.name, number=number))
        return LeftOut(
            template.name, "unset", gettext("{from_label} is not set.").format(from_label=self._selection.from_label)
        )

    def _find_reason_to_leave(self, template: Template, version: Version, served: Version) -> LeftOut | None:
        """Why a template whose label serves something already is left out; None if it isn't."""
        label = self._label
        if served.digest == version.digest:
            approval = self._approvals[template.pk].get(label)
            if approval == Approval.NEVER_APPROVED:
                return None
            if approval == Approval.EMERGENCY:
                words = gettext("{label} got version {number} in an emergency: approve that change.")
                return LeftOut(template.name, "emergency", words.format(label=label, number=served.number))
            return LeftOut(template.name, "equal", gettext("{label} already serves exactly this.").format(label=label))
        if self._history.contains(served.pk, version.pk):
            words = gettext("{label} serves version {held}, which contains version {number}.")
            words = words.format(label=label, held=served.number, number=version.number)
            return LeftOut(template.name, "superseded", words)
        return None


def _find_origin_versions(templates: Sequence[Template], selection: ReleaseSelection) -> dict[int, Version]:
    """Map template ids to the proposed version; templates without one are absent."""
    if selection.versions:
        versions = {}
        pairs = [(template, selection.versions[template.name]) for template in templates]
        numbers = {number for _, number in pairs}
        rows = _select_versions().filter(template__in=[template.pk for template in templates], number__in=numbers)
        by_place = {(row.template_id, row.number): row for row in rows}
        for template, number in pairs:
            if (template.pk, number) in by_place:
                versions[template.pk] = by_place[template.pk, number]
        return versions
    if selection.from_label == LATEST:
        ids = [template.latest_id for template in templates if template.latest_id]
        return {row.template_id: row for row in _select_versions().filter(pk__in=ids)}
    labels = _read_labels([template.pk for template in templates], selection.from_label)
    return {pk: label.version for pk, label in labels.items()}


def _read_labels(ids: Iterable[int], name: str) -> dict[int, Label]:
    """Map template ids to the label with what it serves and its active rollout."""
    rows = Label.objects.filter(template__in=list(ids), name=name)
    rows = rows.select_related("version__author", "version__redaction", "rollout").defer("version__bundle")
    return {row.template_id: row for row in rows}


def _select_versions() -> QuerySet[Version]:
    return Version.objects.select_related("author", "redaction").defer("bundle")
