"""Opening releases, and adding templates to one or removing them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from django.db import transaction
from django.db.models import Max
from django.utils import translation
from django.utils.translation import gettext

from registry.accounts.actor import Actor
from registry.changes import blockers, schedules
from registry.changes import services as change_services
from registry.changes.models import ChangeRequest
from registry.core.errors import Conflict, Invalid, NotFound
from registry.core.input_checks import check_text
from registry.journal import log
from registry.namespaces import path_permissions, permissions
from registry.namespaces.models import Namespace
from registry.namespaces.verbs import Verb
from registry.releases.events import ReleaseChanged, ReleaseOpened
from registry.releases.models import Release
from registry.releases.moved_members import MemberVersions, read_open_members, require_unmoved
from registry.releases.plans import (
    LeftOut,
    PlannedMember,
    ReleasePlan,
    ReleaseSelection,
    find_selected_ids,
    plan_templates,
    require_may_propose,
    require_selection,
)
from registry.releases.queries import lock_release
from registry.releases.steps import append_step, require_open_release, step_fields
from registry.templates.models import Template

__all__ = ["ProposedRelease", "add_to_release", "propose_release", "propose_releases", "remove_from_release"]

_MAX_CHARACTERS = 200  # characters of a title


@dataclass(frozen=True)
class ProposedRelease:
    """A release that was opened, and what it leaves out of the selection."""

    release: Release
    left_out: tuple[LeftOut, ...]


def propose_release(
    *,
    actor: Actor,
    namespace: str,
    label: str,
    title: str,
    selection: ReleaseSelection,
    description: str = "",
    expected: MemberVersions | None = None,
) -> ProposedRelease:
    """Propose that a protected label of several templates move together. An open request for the same version becomes a
    member as it is; for the others, requests are opened.

    expected: template name to the numbers that the caller saw, of the version to propose and of what the label serves,
    0 for none. Raises Conflict if any has changed. Raises Invalid if nothing of the selection is left to propose:
    facts["left_out"] has the reason for each template.
    """
    [proposed] = propose_releases(
        actor=actor,
        label=label,
        title=title,
        selections={namespace: selection},
        description=description,
        expected=expected,
    )
    return proposed


def propose_releases(
    *,
    actor: Actor,
    label: str,
    title: str,
    selections: Mapping[str, ReleaseSelection],
    description: str = "",
    expected: MemberVersions | None = None,
) -> list[ProposedRelease]:
    """Open a release in each of the namespaces, as in `propose_release`: all of them or none.

    selections: by namespace. expected: of the templates of all namespaces.
    """
    title, description = _check_title(title), check_text("description", description).strip()
    with transaction.atomic():
        ids = {name: _find_selected(actor, name, label, selection) for name, selection in selections.items()}
        every = [pk for listed in ids.values() for pk in listed]
        list(Template.objects.select_for_update(no_key=True).filter(pk__in=every).order_by("pk").values_list("pk"))
        log.lock()
        planned = []
        for name, selection in sorted(selections.items()):
            space = path_permissions.find_namespace_for_some(actor, Verb.PROPOSE, name)  # no other writer from here on
            require_selection(space, label, selection)
            plan = plan_templates(label, selection, ids[name])
            require_may_propose(actor, space, plan)
            planned.append((space, plan))
        _require_unmoved([plan for _, plan in planned], label, expected or {})
        return [_open_release(actor, space, plan, label, title, description) for space, plan in planned]


def _find_selected(actor: Actor, namespace: str, label: str, selection: ReleaseSelection) -> list[int]:
    space = path_permissions.find_namespace_for_some(actor, Verb.PROPOSE, namespace)
    permissions.require_label(actor, label)
    require_selection(space, label, selection)
    return find_selected_ids(space, selection)


def _open_release(
    actor: Actor, space: Namespace, plan: ReleasePlan, label: str, title: str, description: str
) -> ProposedRelease:
    if not plan.members:
        raise _refuse_empty_plan(plan)
    at = log.now()
    release = Release.objects.create(
        number=(Release.objects.aggregate(last=Max("number"))["last"] or 0) + 1,
        namespace=space,
        label=label,
        title=title,
        description=description,
        opened_by=actor.person,
        key=actor.key,
        created_at=at,
        updated_at=at,
    )
    numbers = [_join(actor, release, member) for member in plan.members]
    event = ReleaseOpened(**step_fields(release), title=title, description=description, changes=numbers)
    log.append(actor, event, namespace=space, at=at, subject=release)
    return ProposedRelease(release, plan.left_out)


def add_to_release(*, actor: Actor, number: int, versions: Mapping[str, int]) -> Release:
    """Add templates to an open release: version numbers by template name. Raises Conflict if one can't be added."""
    if not versions:
        raise Invalid(fields={"template": gettext("say which template is added.")})
    selection = ReleaseSelection(versions=versions)
    with transaction.atomic():
        release, ids = _lock_with(actor, number, selection)
        require_open_release(release)
        require_selection(release.namespace, release.label, selection)
        plan = plan_templates(release.label, selection, ids, number)
        if plan.left_out:
            first = plan.left_out[0]
            raise Conflict(
                gettext("{template} can't be added: {reason}").format(template=first.template, reason=first.reason),
                template=first.template,
            )
        require_may_propose(actor, release.namespace, plan)
        numbers = [_join(actor, release, member) for member in plan.members]
        append_step(actor, release, ReleaseChanged(**step_fields(release), added=numbers, removed=[]))
    return release


def remove_from_release(*, actor: Actor, number: int, change: int, expected: MemberVersions | None = None) -> Release:
    """Remove one change request from an open release. It stays open with its approvals and goes live on its own.

    expected: what the caller saw of its template, as in `propose_release`; Conflict if it has changed.
    """
    with transaction.atomic():
        release = lock_release(actor, Verb.PROPOSE, number)
        require_open_release(release)
        row = _find_member(release, change)
        require_unmoved(release.label, expected or {}, read_open_members(release))
        others = release.members.pending().exclude(pk=row.pk)
        if row.is_open and not others.exists():
            raise Conflict(
                gettext("It is the last template in the release: withdraw the release instead."), release=number
            )
        row.release = None
        row.save(update_fields=["release"])
        append_step(actor, release, ReleaseChanged(**step_fields(release), added=[], removed=[change]))
    return release


def _require_unmoved(planned: Sequence[ReleasePlan], label: str, expected: MemberVersions) -> None:
    members = [member for plan in planned for member in plan.members]
    moves = {member.template.name: (member.version.number, member.serves or 0) for member in members}
    reasons = {left_out.template: left_out.reason for plan in planned for left_out in plan.left_out}
    require_unmoved(label, expected, moves, reasons=reasons)


def _join(actor: Actor, release: Release, member: PlannedMember) -> int:
    """Make the planned member part of the release, and return the number of its change request; removes the request's
    own schedule.
    """
    if member.change is not None:
        member.change.release = release
        member.change.save(update_fields=["release"])
        if member.change.goes_live_at is not None:
            with translation.override("en"):  # stored in the event
                reason = blockers.describe_release(release.number).cause
            schedules.leave_schedule(actor, member.change, reason)
        return member.change.number
    message = f"{release.title}\n\n{release.description}".strip()
    change = change_services.create_change(
        actor=actor,
        template=member.template,
        label=release.label,
        head=member.version,
        message=message,
        release=release.number,
    )
    return change.number


def _lock_with(actor: Actor, number: int, selection: ReleaseSelection) -> tuple[Release, list[int]]:
    """The release and the ids of the templates that are added, all locked in the order of the ids."""
    row = Release.objects.select_related("namespace").filter(number=number).first()
    ids: list[int] = []
    if row is not None and path_permissions.is_allowed_somewhere(actor, Verb.PROPOSE, row.namespace):
        ids = find_selected_ids(row.namespace, selection)
        rows = Template.objects.filter(pk__in=ids) | Template.objects.filter(changes__release=number)
        every = sorted(set(rows.values_list("pk", flat=True)))
        list(Template.objects.select_for_update(no_key=True).filter(pk__in=every).order_by("pk").values_list("pk"))
    return lock_release(actor, Verb.PROPOSE, number), ids


def _find_member(release: Release, number: int) -> ChangeRequest:
    row = ChangeRequest.objects.filter(release=release, number=number).first()
    if row is None:
        raise NotFound(
            gettext("Release {release} has no change {number}.").format(release=release.number, number=number)
        )
    return row


def _check_title(title: str) -> str:
    title = check_text("title", title).strip()
    if not title or "\n" in title or len(title) > _MAX_CHARACTERS:
        raise Invalid(
            fields={
                "title": gettext("one line of 1 to {most_characters} characters.").format(
                    most_characters=_MAX_CHARACTERS
                )
            }
        )
    return title


def _refuse_empty_plan(plan: ReleasePlan) -> Invalid:
    reasons = " ".join(f"{template.template}: {template.reason}" for template in plan.left_out[:5])
    nothing_left = gettext("Nothing is left to propose.")
    sentence = f"{nothing_left} {reasons}" if reasons else gettext("No template fits the selection.")
    listed = [
        {"template": template.template, "code": template.code, "reason": template.reason} for template in plan.left_out
    ]
    return Invalid(sentence, fields={"templates": sentence}, left_out=listed)
