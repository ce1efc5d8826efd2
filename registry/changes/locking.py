"""Shared parts of writing a change request: preconditions, steps, and recomputing whether it is approved."""

from collections.abc import Iterable
from typing import Any

from django.utils.translation import gettext

from registry.accounts.actor import Actor
from registry.accounts.models import User
from registry.changes import gate as change_gate
from registry.changes import history_queries, policy, template_copies
from registry.changes import queries as change_queries
from registry.changes.events import ChangeStep
from registry.changes.gate import Gate
from registry.changes.models import ChangeRequest, DecisionAct
from registry.core.errors import Conflict, Invalid, NotAllowed, NotFound
from registry.core.timestamps import format_moment
from registry.journal import log
from registry.namespaces.models import Namespace, Role
from registry.namespaces.permissions import roles_of
from registry.namespaces.verbs import Verb
from registry.templates import queries as template_queries
from registry.templates.label_approvals import Approval, find_approval_of_label
from registry.templates.label_models import Label
from registry.templates.label_moves import is_approved_digest
from registry.templates.models import Template, Version

__all__ = [
    "append",
    "conflict_of_closed",
    "describe_contained",
    "find_head_version",
    "find_stable_label",
    "lock_template",
    "recompute_states",
    "recompute_states_of_copies",
    "require_may_decide",
    "require_new_head",
    "require_not_rolling_out",
    "require_only_member",
    "require_opener",
    "require_own_decision",
    "require_protected",
    "require_reviewer",
    "save_state",
    "step_of",
]


def recompute_states(namespace: Namespace, template: Template | None = None, label: str | None = None) -> None:
    """Recompute which pending requests are approved after rules or roles changed. Call under the journal's lock.

    template, label: limit this to their requests, after the label moved or one of its versions was redacted: the
    contributors depend on what the label held by approval.
    """
    rows = ChangeRequest.objects.filter(
        template__namespace=namespace, state__in=(ChangeRequest.OPEN, ChangeRequest.APPROVED)
    )
    if template is not None:
        rows = rows.filter(template=template)
    if label is not None:
        rows = rows.filter(label=label)
    listed = list(rows.select_related("template", "version", "version__author", "opened_by", "release"))
    for change in listed:
        change.template.namespace = namespace
    for gate in change_gate.evaluate_many(listed, None, with_checks=False):
        if gate.change.state != _state_of(gate):
            save_state(gate)


def recompute_states_of_copies(template: Template) -> None:
    """Recompute which pending requests of the template's copies are approved after its history changed. The authors of
    copied versions count as contributors until those versions are approved. Call under the journal's lock.
    """
    rows = Template.objects.exclude(copied_from="").filter(
        changes__state__in=(ChangeRequest.OPEN, ChangeRequest.APPROVED)
    )
    pending = list(rows.select_related("namespace").distinct())
    for copy in template_copies.find_copies(template, pending) if pending else ():
        recompute_states(copy.namespace, copy)


def lock_template(actor: Actor, verb: Verb, name: str) -> Template:
    """Return the template that gets a new request, locked as in `queries.lock_change`."""
    template_queries.find_template(actor, verb, name, lock=True)
    log.lock()
    template = template_queries.find_template(actor, verb, name)
    if template.archived_at is not None:
        raise Conflict(gettext("{template} is archived.").format(template=template.name))
    return template


def save_state(gate: Gate) -> None:
    """Save the request with the state that its decisions lead to while they count."""
    change = gate.change
    if change.is_open:
        change.state = _state_of(gate)
    elif change.needs_approval:
        change.unreviewed = not gate.approval_status.is_enough
    change.save()


def _state_of(gate: Gate) -> str:
    return ChangeRequest.APPROVED if gate.approval_status.is_enough else ChangeRequest.OPEN


def append(actor: Actor, change: ChangeRequest, event: ChangeStep, act: DecisionAct | None = None) -> None:
    """Append a step of the request, dated by the row's `updated_at`."""
    subject = act or change
    log.append(actor, event, namespace=change.template.namespace, at=change.updated_at, subject=subject)


def step_of(change: ChangeRequest) -> dict[str, Any]:
    """The fields of a `ChangeStep` for the request's current state."""
    return {
        "change": change.number,
        "template": change.template.name,
        "label": change.label,
        "version": change.version.number,
        "digest": change.version.digest,
    }


def conflict_of_closed(change: ChangeRequest, *, takes_back: bool = False) -> Conflict:
    """The error for an action on a closed request: who closed it and when.

    takes_back: whether the action is taking back a decision.
    """
    if takes_back and change.state == ChangeRequest.PUBLISHED:
        sentence = gettext(
            "Change {change} is published: decisions can't be taken back any more. "
            "If {label} must not serve version {version}, roll it back."
        )
        sentence = sentence.format(change=change.number, label=change.label, version=change.version.number)
        return Conflict(sentence, state=change.state)
    person, at = change_queries.closed_by(change), change.closed_at
    if not person or at is None:
        sentence = gettext("Change {change} is {state}.")
        return Conflict(sentence.format(change=change.number, state=change.state), state=change.state)
    if change.state == ChangeRequest.PUBLISHED:
        sentence = gettext(
            "Change {change} is published: {person} published it on {day} at {time} UTC. Nothing is left to do."
        )
    else:
        sentence = gettext("Change {change} is withdrawn: {person} withdrew it on {day} at {time} UTC.")
    sentence = sentence.format(change=change.number, person=person, day=f"{at:%Y-%m-%d}", time=f"{at:%H:%M}")
    return Conflict(sentence, state=change.state, by=person, at=format_moment(at))


def require_protected(template: Template, label: str) -> None:
    if label not in template.namespace.protected_labels:
        raise Invalid(
            fields={
                "label": gettext("{label} is not protected in {namespace}: move it without a change.").format(
                    label=label, namespace=template.namespace.name
                )
            }
        )


def require_new_head(template: Template, label: str, head: Version) -> None:
    """Raise Invalid or Conflict if a request for this head would change nothing: the label serves it, or something that
    contains it, or another request proposes it.

    A version that the label serves may be proposed if the label never held it by approval: publishing approves it.
    """
    held = Label.objects.filter(template=template, name=label).select_related("version").first()
    if held is not None and held.version.digest == head.digest:
        known = gettext("{label} already serves exactly this (version {version})").format(
            label=label, version=held.version.number
        )
        approval = find_approval_of_label(template, label)
        if approval == Approval.EMERGENCY:
            raise Invalid(
                fields={
                    "version": gettext("{known}: approve the change that was published in an emergency.").format(
                        known=known
                    )
                }
            )
        if approval != Approval.NEVER_APPROVED:
            raise Invalid(fields={"version": f"{known}."})
    elif held is not None and history_queries.read_version_graph([template.pk]).is_superseded(head.pk, held.version_id):
        was_approved = is_approved_digest(template, label, head.digest)
        sentence = describe_contained(label, held.version.number, head.number, was_approved=was_approved)
        raise Invalid(fields={"version": sentence})
    pending = ChangeRequest.objects.filter(
        template=template, label=label, version=head, state__in=(ChangeRequest.OPEN, ChangeRequest.APPROVED)
    ).first()
    if pending is not None:
        raise Conflict(
            gettext("Change {pending} already proposes version {head} for {label}.").format(
                pending=pending.number, head=head.number, label=label
            ),
            change=pending.number,
        )


def describe_contained(label: str, holds: int, number: int, *, was_approved: bool) -> str:
    """Why a version that is contained in what the label serves can't be proposed, and what to do instead.

    holds, number: of the version that is served, and of the older one. was_approved: whether the label held the older
    one by approval, so that it can be rolled back to.
    """
    cause = gettext("{label} serves version {holds}, which already contains version {number}.")
    if was_approved:
        advice = gettext("To serve version {number} again, use Roll back instead.")
    else:
        advice = gettext(
            "{label} never held version {number} by approval, so Roll back doesn't lead there: restore its text as a "
            "new version, and propose that."
        )
    return f"{cause} {advice}".format(label=label, holds=holds, number=number)


def find_stable_label(template: Template, label: str, head: Version) -> Label:
    """Return the label whose callers a rollout of `head` splits. Raises Conflict if it serves nothing or `head`."""
    row = Label.objects.select_related("version").filter(template=template, name=label).first()
    if row is None:
        raise Conflict(
            gettext("{label} serves nothing yet, so there is nothing to stay on: publish all at once.").format(
                label=label
            )
        )
    if row.version.digest == head.digest:
        raise Conflict(gettext("{label} serves this already: publish it all at once.").format(label=label))
    return row


def require_not_rolling_out(change: ChangeRequest) -> None:
    """Raise Conflict if a rollout already serves the request's head."""
    labels = Label.objects.filter(template=change.template, name=change.label, rollout__change=change)
    rollout = labels.values_list("rollout_id", flat=True).first()
    if rollout is not None:
        raise Conflict(
            gettext("Change {change} is being published gradually, by rollout {rollout}: stop that first.").format(
                change=change.number, rollout=rollout
            ),
            change=change.number,
            rollout=rollout,
        )


def require_only_member(change: ChangeRequest) -> None:
    """Raise Conflict if its open release has gained another request for the same template."""
    if change.release is None or not change.release.is_open:
        return
    other = change.release.members.pending().filter(template=change.template).exclude(pk=change.pk).first()
    if other is not None:
        raise Conflict(
            gettext("Release {release} already has change {other} for {template}.").format(
                release=change.release.number, other=other.number, template=change.template.name
            ),
            change=other.number,
        )


def require_opener(actor: Actor, namespace: Namespace, paths: Iterable[str], opened_by: User, what: str) -> None:
    """Raise NotAllowed if the actor neither opened the request nor is a reviewer at each of the paths.

    what: `change` or `release`.
    """
    if opened_by.pk == actor.person.pk or actor.is_operator:
        return
    roles = roles_of(actor.person, namespace)
    counted = paths if actor.key is None else [""]  # folder roles don't apply to keys
    if roles is None or roles.at_all(counted).rank < Role.REVIEWER.rank:
        raise NotAllowed(
            gettext("{opened_by} proposed this {what}; only they or a reviewer can withdraw it.").format(
                opened_by=opened_by.username, what=what
            )
        )


def require_reviewer(gate: Gate) -> None:
    """Raise NotAllowed, with the reason, if the actor may not approve the request, whatever version it proposes."""
    if gate.refusal_of_viewer:
        raise NotAllowed(gate.refusal_of_viewer, change=gate.change.number)


def require_may_decide(gate: Gate) -> None:
    """Raise NotAllowed, with the reason that the page shows, if the actor's decision would not count."""
    if gate.refusal:
        raise NotAllowed(gate.refusal, change=gate.change.number)


def require_own_decision(actor: Actor, gate: Gate) -> str:
    """Return the actor's own decision about the head that can be taken back: `approve` or `request_changes`.

    Raises NotAllowed for a key and Conflict if there isn't one.
    """
    if actor.key is not None:
        raise NotAllowed(gettext("A key can't take a decision back: sign in as a person to do this."))
    decision = policy.find_own_decision(gate.facts, actor.person.username)
    if not decision:
        raise Conflict(
            gettext("You have neither approved version {version} nor asked for edits of it.").format(
                version=gate.change.version.number
            ),
            change=gate.change.number,
        )
    return decision


def find_head_version(template: Template, number: int) -> Version:
    version = Version.objects.select_related("author").filter(template=template, number=number).first()
    if version is None:
        raise NotFound(gettext("{template} has no version {number}.").format(template=template.name, number=number))
    version.require_text()
    return version
