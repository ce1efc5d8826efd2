"""Shared parts of writing a change request: preconditions, steps, and recomputing whether it is approved."""

from collections.abc import Iterable
from typing import Any

from django.utils.translation import gettext

from registry.accounts.actor import Actor
from registry.accounts.models import User
from registry.changes import gate as change_gate
from registry.changes import policy, template_copies
from registry.changes import queries as change_queries
from registry.changes.events import ChangeStep
from registry.changes.gate import Gate
from registry.changes.models import ChangeRequest, DecisionAct
from registry.core.errors import Conflict, NotAllowed
from registry.core.timestamps import format_moment
from registry.journal import log
from registry.namespaces.models import Namespace, Role
from registry.namespaces.permissions import find_roles
from registry.namespaces.verbs import Verb
from registry.templates import queries as template_queries
from registry.templates.label_models import Label
from registry.templates.models import Template

__all__ = [
    "append_step",
    "build_closed_conflict",
    "lock_template",
    "recompute_states",
    "recompute_states_of_copies",
    "require_may_decide",
    "require_not_rolling_out",
    "require_only_member",
    "require_opener",
    "require_own_decision",
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
        if gate.change.state != _describe_state(gate):
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
        change.state = _describe_state(gate)
    elif change.needs_approval:
        change.unreviewed = not gate.approval_status.is_enough
    change.save()


def _describe_state(gate: Gate) -> str:
    return ChangeRequest.APPROVED if gate.approval_status.is_enough else ChangeRequest.OPEN


def append_step(actor: Actor, change: ChangeRequest, event: ChangeStep, act: DecisionAct | None = None) -> None:
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


def build_closed_conflict(change: ChangeRequest, *, takes_back: bool = False) -> Conflict:
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
    person, at = change_queries.find_closer(change), change.closed_at
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
    other_change = change.release.members.pending().filter(template=change.template).exclude(pk=change.pk).first()
    if other_change is not None:
        raise Conflict(
            gettext("Release {release} already has change {other} for {template}.").format(
                release=change.release.number, other=other_change.number, template=change.template.name
            ),
            change=other_change.number,
        )


def require_opener(actor: Actor, namespace: Namespace, paths: Iterable[str], opened_by: User, subject: str) -> None:
    """Raise NotAllowed if the actor neither opened the request nor is a reviewer at each of the paths.

    subject: what was proposed, such as `change` or `release`.
    """
    if opened_by.pk == actor.person.pk or actor.is_operator:
        return
    roles = find_roles(actor.person, namespace)
    counted = paths if actor.key is None else [""]  # folder roles don't apply to keys
    if roles is None or roles.at_all(counted).rank < Role.REVIEWER.rank:
        raise NotAllowed(
            gettext("{opened_by} proposed this {what}; only they or a reviewer can withdraw it.").format(
                opened_by=opened_by.username, what=subject
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
