"""Change requests: the one way by which a protected label moves forward."""

from django.db import transaction
from django.db.models import Max

from registry import journal, names
from registry.access import Actor, Role, Verb, role_of
from registry.errors import ApprovalRequired, Conflict, Invalid, NotAllowed, NotFound
from registry.journal import Kind
from registry.models import ChangeRequest, Decision, Label, Namespace, Template, Version
from registry.queries import changes, namespaces, templates
from registry.review import policy
from registry.services import labels, verdicts
from registry.texts import check_text

__all__ = ["decide", "propose", "publish", "reassess", "reopen", "set_version", "withdraw"]

_BY_REVIEWERS = {"approvals", "owners", "objection"}


def propose(*, actor: Actor, name: str, label: str, version: int, message: str) -> ChangeRequest:
    """Ask that a protected label point to a version.

    Event body: {"change", "template", "label", "version", "digest", "message"}.
    """
    names.check_label(label)
    check_text("message", message)
    with transaction.atomic():
        template = _take_template(actor, Verb.PROPOSE, name)
        _require_protected(template, label)
        head = _find_version(template, version)
        _require_news(template, label, head)
        at = journal.now()
        number = (ChangeRequest.objects.aggregate(most=Max("number"))["most"] or 0) + 1
        change = ChangeRequest.objects.create(
            number=number,
            template=template,
            label=label,
            version=head,
            message=message.strip(),
            opened_by=actor.person,
            key=actor.key,
            created_at=at,
            updated_at=at,
        )
        _assess(change)
        verdicts.ask(change.template, change.label)
        _append(Kind.CHANGE_PROPOSED, actor, change, message=change.message)
    return change


def set_version(*, actor: Actor, number: int, version: int) -> ChangeRequest:
    """Make another version the head of the request; approvals given so far are void, because the round rises.

    Event body: {"change", "template", "label", "version", "digest", "round"}.
    """
    with transaction.atomic():
        change = _take(actor, Verb.PROPOSE, number)
        _require_pending(change)
        head = _find_version(change.template, version)
        if head.pk == change.version_id:
            return change
        _require_news(change.template, change.label, head)
        change.version = head
        change.round += 1
        change.updated_at = journal.now()
        _assess(change)
        verdicts.ask(change.template, change.label)
        _append(Kind.CHANGE_HEADED, actor, change, round=change.round)
    return change


def decide(*, actor: Actor, number: int, decision: str, digest: str, text: str = "") -> Decision:
    """Approve, request changes, comment, or acknowledge a break of the contract; bound to the request's label and the
    digest that the person looked at.

    Conflict where the head is another digest by now, NotAllowed for one's own request, for keys and for authors.
    Event body: {"change", "template", "label", "version", "digest", "decision", "number", "round", "text": its digest or
    null}.
    """
    if decision not in Decision.DECISIONS:
        raise Invalid(fields={"decision": f"one of {', '.join(Decision.DECISIONS)}."})
    check_text("text", text)
    if decision != Decision.APPROVE and not text.strip():
        raise Invalid(fields={"text": "say what: a comment or a wish without words helps nobody."})
    verb = Verb.COMMENT if decision == Decision.COMMENT else Verb.APPROVE
    with transaction.atomic():
        change = _take(actor, verb, number)
        if decision != Decision.COMMENT:
            _require_pending(change)
            _require_others(change, actor)
        if digest != change.version.digest:
            raise Conflict(
                f"The request stands on version {change.version.number} now, which is not what you looked at.",
                version=change.version.number,
                digest=change.version.digest,
            )
        said = Decision.objects.create(
            change=change,
            number=(change.decisions.aggregate(most=Max("number"))["most"] or 0) + 1,
            person=actor.person,
            key=actor.key,
            decision=decision,
            label=change.label,
            version=change.version,
            digest=digest,
            round=change.round,
            text=text.strip(),
            created_at=journal.now(),
        )
        change.updated_at = said.created_at
        _assess(change)
        wording = journal.digest_of(said.text) if said.text else None
        _append(
            Kind.CHANGE_DECIDED, actor, change, decision=decision, number=said.number, round=said.round, text=wording
        )
    return said


def publish(*, actor: Actor, number: int) -> ChangeRequest:
    """Move the label, when nothing stands in the way any more: the gate itself.

    ApprovalRequired while reviewers are waited for, Conflict for every other blocker; facts["blockers"] lists them.
    One event, as in `labels.place`, with the request's number.
    """
    with transaction.atomic():
        change = _take(actor, Verb.PUBLISH, number)
        _require_pending(change)
        found = changes.blockers(change, actor)
        if found:
            error = ApprovalRequired if any(blocker.code in _BY_REVIEWERS for blocker in found) else Conflict
            listed = [{"code": it.code, "cause": it.cause, "action": it.action} for it in found]
            raise error(" ".join(blocker.cause for blocker in found), blockers=listed)
        change.state = ChangeRequest.PUBLISHED
        change.closed_at = change.updated_at = journal.now()
        change.save()
        labels.place(
            actor=actor,
            template=change.template,
            label=change.label,
            target=change.version,
            how="published",
            reason=change.message,
            change=change,
            at=change.closed_at,
        )
    return change


def withdraw(*, actor: Actor, number: int, reason: str = "") -> ChangeRequest:
    """Close the request without publishing; by the one who opened it, or a reviewer.

    Event body: {"change", "template", "label", "version", "digest", "reason"}.
    """
    check_text("reason", reason)
    with transaction.atomic():
        change = _take(actor, Verb.PROPOSE, number)
        _require_pending(change)
        role = role_of(actor.person, change.template.namespace)
        if (
            change.opened_by_id != actor.person.pk
            and not actor.is_operator
            and (not role or role.rank < Role.REVIEWER.rank)
        ):
            raise NotAllowed(f"{change.opened_by.username} opened this request; only they or a reviewer withdraw it.")
        change.state = ChangeRequest.WITHDRAWN
        change.closed_at = change.updated_at = journal.now()
        change.save()
        _append(Kind.CHANGE_WITHDRAWN, actor, change, reason=reason.strip())
    return change


def reopen(*, actor: Actor, number: int) -> ChangeRequest:
    """Open a withdrawn request again, in a new round: it needs its approvals anew.

    Event body: {"change", "template", "label", "version", "digest", "round"}.
    """
    with transaction.atomic():
        change = _take(actor, Verb.PROPOSE, number)
        if change.state != ChangeRequest.WITHDRAWN:
            raise Conflict(f"Change request {number} is {change.state}; only a withdrawn one can be reopened.")
        _require_news(change.template, change.label, change.version)
        change.round += 1
        change.closed_at = None
        change.updated_at = journal.now()
        change.state = ChangeRequest.OPEN
        _assess(change)
        verdicts.ask(change.template, change.label)
        _append(Kind.CHANGE_REOPENED, actor, change, round=change.round)
    return change


def reassess(namespace: Namespace) -> None:
    """Find anew which pending requests are approved, after rules or roles changed; under the journal's lock."""
    pending = ChangeRequest.objects.filter(
        template__namespace=namespace, state__in=(ChangeRequest.OPEN, ChangeRequest.APPROVED)
    )
    for change in pending.select_related("template", "version", "version__author", "opened_by"):
        change.template.namespace = namespace
        _assess(change)


def _take(actor: Actor, verb: Verb, number: int) -> ChangeRequest:
    """The request as it is now that nobody else writes: neither it, nor its label, nor the rules change until commit."""
    seen = changes.find(actor, verb, number)
    _take_template(actor, verb, seen.template.name)
    return changes.find(actor, verb, number)


def _take_template(actor: Actor, verb: Verb, name: str) -> Template:
    templates.find(actor, verb, name, lock=True)
    journal.lock()
    template = templates.find(actor, verb, name)
    if template.archived_at is not None:
        raise Conflict(f"{name} is archived.")
    return template


def _assess(change: ChangeRequest) -> None:
    """Write the request, with the state that its decisions come to as long as it is pending."""
    if change.is_open:
        enough = policy.standing(namespaces.rules_of(change.template.namespace), changes.facts_of(change)).is_enough
        change.state = ChangeRequest.APPROVED if enough else ChangeRequest.OPEN
    change.save()


def _append(kind: Kind, actor: Actor, change: ChangeRequest, **further: object) -> None:
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


def _require_pending(change: ChangeRequest) -> None:
    if not change.is_open:
        raise Conflict(f"Change request {change.number} is {change.state}.", state=change.state)


def _require_protected(template: Template, label: str) -> None:
    if label not in template.namespace.protected_labels:
        raise Invalid(
            fields={"label": f"{label} is not protected in {template.namespace.name}: move it without a request."}
        )


def _require_news(template: Template, label: str, head: Version) -> None:
    held = Label.objects.filter(template=template, name=label).select_related("version").first()
    if held is not None and held.version.digest == head.digest:
        raise Invalid(fields={"version": f"{label} holds exactly this already (version {held.version.number})."})
    pending = ChangeRequest.objects.filter(
        template=template, label=label, version=head, state__in=(ChangeRequest.OPEN, ChangeRequest.APPROVED)
    ).first()
    if pending is not None:
        raise Conflict(
            f"Change request {pending.number} proposes version {head.number} for {label} already.",
            change=pending.number,
        )


def _require_others(change: ChangeRequest, actor: Actor) -> None:
    rules = namespaces.rules_of(change.template.namespace)
    author, opened_by = change.version.author.username, change.opened_by.username
    if fault := policy.fault_of_approver(rules, actor.person.username, opened_by, author):
        raise NotAllowed(f"{fault} Another reviewer decides on it.", change=change.number)


def _find_version(template: Template, number: int) -> Version:
    version = Version.objects.select_related("author").filter(template=template, number=number).first()
    if version is None:
        raise NotFound(f"{template.name} has no version {number}.")
    return version
