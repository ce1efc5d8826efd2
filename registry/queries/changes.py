"""Change requests: one, a list, and what each waits for."""

from collections.abc import Iterable
from dataclasses import replace

from django.db.models import Q

from registry import access
from registry.access import TABLE, Actor, Role, Verb
from registry.errors import NotFound
from registry.models import ChangeRequest, Decision, Label, LabelMove, Membership
from registry.queries import approvals, lineage, namespaces, verdicts
from registry.queries.pages import Page, check_limit, cut, read_number
from registry.review import checks, policy
from registry.review.policy import Blocker, Facts, Standing, Voice

__all__ = [
    "assemble",
    "awaited",
    "blockers",
    "facts_of",
    "find",
    "get",
    "listing",
    "move_of",
    "overlapping",
    "pending_count",
    "standing",
]

_EMERGENCY = Q(unreviewed=True, emergency_closed_at=None)  # published without approval, and still to be approved


def get(actor: Actor, number: int) -> ChangeRequest:
    """The request with its template, head and people, or NotFound, for outsiders too."""
    return find(actor, Verb.READ, number)


def find(actor: Actor, verb: Verb, number: int) -> ChangeRequest:
    """The request, with the right to do this in its namespace checked."""
    rows = ChangeRequest.objects.select_related(
        "template", "template__namespace", "template__latest", "version", "version__author", "opened_by"
    )
    unknown = NotFound(f"There is no change request {number}, or you may not read it.")
    change = rows.defer("template__words", "template__latest__bundle").filter(number=number).first()
    if change is None:
        raise unknown
    try:
        access.require(actor, verb, change.template.namespace)
    except NotFound as error:
        raise unknown from error
    access.require_label(actor, change.label)
    return change


def listing(
    actor: Actor,
    *,
    state: str | None = None,
    namespace: str | None = None,
    template: str | None = None,
    cursor: str | None = None,
    limit: int = 50,
) -> Page[ChangeRequest]:
    """Requests that meet every filter, newest first. state: open, approved, published, withdrawn, or `pending` for all that
    wait for somebody: the first two, and those published in an emergency that were neither approved nor closed since."""
    limit = check_limit(limit)
    rows = ChangeRequest.objects.filter(template__namespace__in=namespaces.visible_to(actor))
    if state == "pending":
        rows = rows.filter(Q(state__in=(ChangeRequest.OPEN, ChangeRequest.APPROVED)) | _EMERGENCY)
    elif state:
        rows = rows.filter(state=state)
    if namespace:
        rows = rows.filter(template__namespace__name=namespace)
    if template:
        rows = rows.filter(template__name=template)
    if before := read_number(cursor):
        rows = rows.filter(number__lt=before)
    rows = rows.select_related("template", "template__namespace", "version", "version__author", "opened_by")
    rows = rows.defer("template__words", "version__bundle").order_by("-number")
    return cut(rows[: limit + 1], limit, lambda change: change.number)


def pending_count(actor: Actor) -> int:
    """How many requests that the actor may read wait for somebody: as many as `listing` gives for `pending`."""
    rows = ChangeRequest.objects.filter(template__namespace__in=namespaces.visible_to(actor))
    return rows.filter(Q(state__in=(ChangeRequest.OPEN, ChangeRequest.APPROVED)) | _EMERGENCY).count()


def move_of(change: ChangeRequest) -> LabelMove | None:
    """The label move that published the request, or None."""
    moves = change.label_moves.select_related("before", "after", "person")
    return moves.defer("before__bundle", "after__bundle").order_by("pk").first()


def overlapping(change: ChangeRequest) -> list[ChangeRequest]:
    """Other pending requests for the same label of the same template."""
    pending = ChangeRequest.objects.filter(
        template=change.template, label=change.label, state__in=(ChangeRequest.OPEN, ChangeRequest.APPROVED)
    )
    return list(pending.exclude(pk=change.pk).select_related("version", "opened_by").order_by("number"))


def standing(change: ChangeRequest) -> Standing:
    """Who approved, who objects, how many approvals are missing."""
    return policy.standing(namespaces.rules_of(change.template.namespace), facts_of(change))


def blockers(change: ChangeRequest, actor: Actor) -> list[Blocker]:
    """What keeps the request from being published, with the next action of the one who looks."""
    rules = namespaces.rules_of(change.template.namespace)
    viewer = "" if actor.key else actor.person.username
    facts = facts_of(change)
    found = policy.blockers(rules, facts, viewer, checks.blockers(verdicts.states(change), facts.author))
    if access.can(actor, Verb.READ, change.template.namespace):
        return found
    return [_without_findings(blocker) for blocker in found]


def _without_findings(blocker: Blocker) -> Blocker:
    """The same for a key that may not read the request: what a check found quotes the version's text and samples."""
    if not blocker.code.startswith("check:"):
        return blocker
    name = blocker.code.partition(":")[2]
    return replace(
        blocker, cause=f"The check {name} has not passed.", action="A person sees why on the request's page."
    )


def awaited(change: ChangeRequest) -> tuple[str, ...]:
    """Usernames of the reviewers who could give the approvals that are missing."""
    rules = namespaces.rules_of(change.template.namespace)
    found = policy.blockers(rules, facts_of(change), "")
    waiting = [person for blocker in found if blocker.code in ("approvals", "owners") for person in blocker.waiting_for]
    return tuple(dict.fromkeys(waiting))


def facts_of(change: ChangeRequest) -> Facts:
    """What the gate looks at, as it is now; inside a write, read after the journal's lock."""
    held = Label.objects.select_related("version").filter(template=change.template, name=change.label).first()
    decisions = Decision.objects.filter(change=change).select_related("person").order_by("pk")
    return assemble(
        change,
        reviewers=_reviewers(change),
        decisions=decisions,
        holds=held.version.number if held else None,
        holds_digest=held.version.digest if held else None,
        descends=held is None or lineage.descends(change.version, held.version),
        held_by_approval=held is None
        or held.version.digest != change.version.digest
        or approvals.is_held(change.template, change.label, change.version.digest),
    )


def assemble(  # each is read elsewhere: for one request at a time, or for many at once
    change: ChangeRequest,
    *,
    reviewers: tuple[str, ...],
    decisions: Iterable[Decision],
    holds: int | None,
    holds_digest: str | None,
    descends: bool,
    held_by_approval: bool,
) -> Facts:
    """The facts of a request from what was read for it; decisions with their persons, oldest first."""
    template, version = change.template, change.version
    return Facts(
        label=change.label,
        path=template.path,
        number=version.number,
        digest=version.digest,
        round=change.round,
        opened_by=change.opened_by.username,
        author=version.author.username,
        voices=tuple(
            Voice(said.person.username, said.decision, said.digest, said.round, said.person.username in reviewers)
            for said in decisions
        ),
        reviewers=reviewers,
        holds=holds,
        holds_digest=holds_digest,
        descends=descends,
        archived=template.archived_at is not None,
        closed=not change.takes_decisions,
        unreviewed=change.unreviewed,
        held_by_approval=held_by_approval,
    )


def _reviewers(change: ChangeRequest) -> tuple[str, ...]:
    able = [role for role in Role if role.rank >= TABLE[Verb.APPROVE].rank]
    rows = Membership.objects.filter(namespace=change.template.namespace, role__in=able, person__is_active=True)
    return tuple(rows.order_by("person__username").values_list("person__username", flat=True))
