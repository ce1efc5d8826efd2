"""Requests under way: taking one for a write, weighing it anew, and what must be true of it."""

from registry import journal
from registry.access import Actor, Verb
from registry.errors import Conflict, Invalid, NotAllowed, NotFound
from registry.journal import Kind
from registry.models import ChangeRequest, Label, Namespace, Template, Version
from registry.queries import approvals, changes, namespaces, templates
from registry.queries.approvals import Approval
from registry.review import policy

__all__ = [
    "append",
    "assess",
    "find_version",
    "reassess",
    "require_news",
    "require_others",
    "require_pending",
    "require_protected",
    "require_undecided",
    "take",
    "take_template",
]


def reassess(namespace: Namespace) -> None:
    """Find anew which pending requests are approved, after rules or roles changed; under the journal's lock."""
    rows = ChangeRequest.objects.filter(
        template__namespace=namespace, state__in=(ChangeRequest.OPEN, ChangeRequest.APPROVED)
    )
    for change in rows.select_related("template", "version", "version__author", "opened_by"):
        change.template.namespace = namespace
        assess(change)


def take(actor: Actor, verb: Verb, number: int) -> ChangeRequest:
    """The request as it is now that nobody else writes: neither it, nor its label, nor the rules change until commit."""
    seen = changes.find(actor, verb, number)
    take_template(actor, verb, seen.template.name)
    return changes.find(actor, verb, number)


def take_template(actor: Actor, verb: Verb, name: str) -> Template:
    templates.find(actor, verb, name, lock=True)
    journal.lock()
    template = templates.find(actor, verb, name)
    if template.archived_at is not None:
        raise Conflict(f"{name} is archived.")
    return template


def assess(change: ChangeRequest) -> None:
    """Write the request, with the state that its decisions come to as long as they count."""
    if change.takes_decisions:
        enough = policy.standing(namespaces.rules_of(change.template.namespace), changes.facts_of(change)).is_enough
        if change.is_open:
            change.state = ChangeRequest.APPROVED if enough else ChangeRequest.OPEN
        else:
            change.unreviewed = not enough
    change.save()


def append(kind: Kind, actor: Actor, change: ChangeRequest, **further: object) -> None:
    template, version = change.template, change.version
    body = {
        "change": change.number,
        "template": template.name,
        "label": change.label,
        "version": version.number,
        "digest": version.digest,
        **further,
    }
    journal.append(
        kind,
        actor,
        template.namespace,
        body,
        at=change.updated_at,
        template=template.name,
        version=version.number,
        change=change.number,
    )


def require_undecided(change: ChangeRequest) -> None:
    if not change.takes_decisions:
        raise Conflict(f"Change request {change.number} is {change.state}.", state=change.state)


def require_pending(change: ChangeRequest) -> None:
    if not change.is_open:
        raise Conflict(f"Change request {change.number} is {change.state}.", state=change.state)


def require_protected(template: Template, label: str) -> None:
    if label not in template.namespace.protected_labels:
        raise Invalid(
            fields={"label": f"{label} is not protected in {template.namespace.name}: move it without a request."}
        )


def require_news(template: Template, label: str, head: Version) -> None:
    """Raise Invalid or Conflict where a request for this head would change nothing.

    What the label serves may be proposed as long as the label never held it by approval: publishing approves it.
    """
    held = Label.objects.filter(template=template, name=label).select_related("version").first()
    if held is not None and held.version.digest == head.digest:
        known = f"{label} holds exactly this already (version {held.version.number})"
        approval = approvals.of_label(template, label)
        if approval == Approval.EMERGENCY:
            raise Invalid(fields={"version": f"{known}: approve the change that was published in an emergency."})
        if approval != Approval.NEVER_APPROVED:
            raise Invalid(fields={"version": f"{known}."})
    pending = ChangeRequest.objects.filter(
        template=template, label=label, version=head, state__in=(ChangeRequest.OPEN, ChangeRequest.APPROVED)
    ).first()
    if pending is not None:
        raise Conflict(
            f"Change request {pending.number} proposes version {head.number} for {label} already.",
            change=pending.number,
        )


def require_others(change: ChangeRequest, actor: Actor) -> None:
    rules = namespaces.rules_of(change.template.namespace)
    author, opened_by = change.version.author.username, change.opened_by.username
    if fault := policy.fault_of_approver(rules, actor.person.username, opened_by, author):
        raise NotAllowed(f"{fault} Another reviewer decides on it.", change=change.number)


def find_version(template: Template, number: int) -> Version:
    version = Version.objects.select_related("author").filter(template=template, number=number).first()
    if version is None:
        raise NotFound(f"{template.name} has no version {number}.")
    version.require_text()
    return version
