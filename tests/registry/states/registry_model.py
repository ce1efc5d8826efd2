"""The rules shared by all actions of the model: an independent version of rights, approvals, contributors and blockers.

This code doesn't use the registry, except for its error classes, which it raises for refusals.
"""

from dataclasses import dataclass, field

from registry.core.errors import ApprovalRequired, Conflict, Gone, NotAllowed, NotFound
from tests.registry.states.model_rows import RANKS, Grant, Key, Move, Release, Request, Rollout, Template

__all__ = ["RegistryModel"]

_BY_REVIEWERS = {"approvals", "objection"}


@dataclass
class RegistryModel:
    """One namespace. `clock` counts the actions; the actor of an action by a key is `key:0` and so on."""

    roles: dict[str, str] = field(default_factory=lambda: {name: name for name in RANKS})
    highest: dict[str, int] = field(default_factory=lambda: dict(RANKS))
    templates: dict[str, Template] = field(default_factory=dict)
    requests: list[Request] = field(default_factory=list)
    rollouts: list[Rollout] = field(default_factory=list)
    releases: list[Release] = field(default_factory=list)
    keys: list[Key] = field(default_factory=list)
    grants: list[Grant] = field(default_factory=list)
    protected: frozenset[str] = frozenset({"production"})
    approvals: int = 1
    self_approval: bool = False
    break_glass: bool = True
    clock: int = 0

    def person(self, actor: str) -> str:
        """The acting person, possibly through a key."""
        return self.keys[int(actor.removeprefix("key:"))].person if actor.startswith("key:") else actor

    def issuers(self, actor: str) -> tuple[str, ...]:
        """The people who issued the acting key."""
        return (self.keys[int(actor.removeprefix("key:"))].issuer,) if actor.startswith("key:") else ()

    def require_role(self, actor: str, least: str) -> None:
        """Raise NotFound for an outsider, NotAllowed for a lower role."""
        role = self.roles.get(self.person(actor))
        if role is None:
            raise NotFound("outsider")
        if RANKS[role] < RANKS[least]:
            raise NotAllowed("role")

    def take_template(self, actor: str, least: str, name: str) -> Template:
        """The template, if the actor has the right and it isn't archived."""
        self.require_role(actor, least)
        template = self.templates[name]
        if template.is_archived:
            raise Conflict("archived")
        return template

    def require_text(self, template: Template, number: int) -> None:
        """Raise Gone if the version was redacted."""
        if template.mark(number) in template.redacted:
            raise Gone("redacted")

    def pending(self, template: str, label: str | None = None) -> list[Request]:
        """Requests that wait, of a template and maybe for one label."""
        rows = [it for it in self.requests if it.is_pending and it.template == template]
        return [it for it in rows if label in (None, it.label)]

    def active_rollout(self, template: str, label: str) -> Rollout | None:
        """The rollout that divides the label."""
        rows = (it for it in self.rollouts if it.is_active and (it.template, it.label) == (template, label))
        return next(rows, None)

    def require_undivided(self, template: Template, label: str) -> None:
        """Raise Conflict if a rollout divides the label."""
        if label in template.labels and self.active_rollout(template.name, label):
            raise Conflict("rollout")

    # What was held by approval

    def _approved_indices(self, template: Template, label: str) -> list[int]:
        """The indices of the moves by which the label ever held something by approval."""
        found = []
        for index, move in enumerate(template.moves):
            counts = move.how == "published" or (
                move.how == "broke_glass" and not self.requests[(move.request or 0) - 1].unreviewed
            )
            is_kept = move.after is not None and template.mark(move.after) not in template.redacted
            if counts and is_kept and move.protected and move.label == label:
                found.append(index)
        return found

    def approved_marks(self, template: Template, label: str) -> set[str]:
        """The bytes that the label ever held by approval."""
        return {template.mark(template.moves[at].after or 0) for at in self._approved_indices(template, label)}

    def trusted_moves(self, template: Template, label: str, before: int | None = None) -> list[int]:
        """The same without what the label was rolled back from, or got in an emergency that nobody approved, unless
        it was approved or rolled back to afterwards. A roll back withdraws the trust in a version: an approval from
        before it must not count for an emergency that publishes the version again.
        """
        ever, approved = self.approved_marks(template, label), set(self._approved_indices(template, label))
        moves = [(index, move) for index, move in enumerate(template.moves) if move.label == label and move.after]
        kept: list[tuple[int, int]] = []
        for index, move in moves:
            mark, left = template.mark(move.after or 0), template.mark(move.before) if move.before else None
            is_unapproved = move.how == "broke_glass" and move.protected and index not in approved
            is_backward = move.how == "rolled_back" and (move.before or 0) > (move.after or 0)
            withdrawn = {left} if is_backward else {mark} if is_unapproved else set()
            kept = [it for it in kept if template.mark(it[1]) not in withdrawn]
            if index in approved or (move.how == "rolled_back" and move.protected and mark in ever):
                kept.append((index, move.after or 0))
        return [number for index, number in kept if before is None or index < before]

    def trusted_marks(self, template: Template, label: str) -> set[str]:
        """The bytes that the label holds, or held, by approval and was not rolled back from."""
        return {template.mark(number) for number in self.trusted_moves(template, label)}

    def emergency_marks(self, template: Template, label: str) -> set[str]:
        """The bytes published in an emergency that still needs approval."""
        return {
            template.mark(move.after)
            for move in template.moves
            if move.label == label and move.how == "broke_glass" and move.protected and move.after and move.request
            if self.requests[move.request - 1].needs_approval
        }

    def approval(self, template: Template, label: str) -> str | None:
        """How a protected label came to what it serves."""
        mark = template.held_mark(label)
        if label not in self.protected or mark is None:
            return None
        if mark in self.trusted_marks(template, label):
            return "approved"
        return "emergency" if mark in self.emergency_marks(template, label) else "never_approved"

    def is_accepted(self, template: Template, number: int) -> bool:
        """Whether keys limited to approved versions get this one."""
        mark = template.mark(number)
        asked = {template.mark(it.head) for it in self.pending(template.name) if it.label in self.protected
                 and self.is_enough(it)}  # fmt: skip
        return mark in asked.union(*(self.approved_marks(template, label) for label in self.protected))

    # Who may approve, and what blocks a request

    def measured_from(self, request: Request) -> int | None:
        """The version that the work in a request begins after: what the label holds, or held last, by approval."""
        template = self.templates[request.template]
        if request.unreviewed:
            moves = [index for index, it in enumerate(template.moves) if it.request == request.number]
            return next(iter(reversed(self.trusted_moves(template, request.label, moves[-1]))), None)
        trusted, served = self.trusted_moves(template, request.label), template.labels.get(request.label)
        if served is not None and template.mark(served) in {template.mark(number) for number in trusted}:
            return served
        return trusted[-1] if trusted else None

    def brought(self, request: Request) -> tuple[set[int], set[int]]:
        """The versions that a request brings, and all that were passed on the way to what is served."""
        template, serves = self.templates[request.template], self.measured_from(request)
        live = template.upward(serves) if serves else set()
        served = template.mark(serves) if serves else None
        waiting = [request.head, *(it.number for it in template.heads if it.request == request.number)]
        seen, kept = set(waiting), set()
        while waiting:
            version = template.versions[waiting.pop() - 1]
            if version.number in live:
                continue
            fresh = {version.base} - {None}
            if version.mark != served:
                kept.add(version.number)
                fresh |= template.twins(version.number)
            waiting += fresh - seen
            seen |= fresh
        return kept, seen

    def contributors(self, request: Request) -> set[str]:
        """The people whose approval of the request does not count."""
        template, (brought, passed) = self.templates[request.template], self.brought(request)
        people = {person for it in template.heads if it.request == request.number for person in it.people}
        for number in brought | {twin for one in brought for twin in template.twins(one) & passed}:
            version = template.versions[number - 1]
            people |= {version.author, *version.issuers}
        earlier = {it.request for it in template.heads if it.request < request.number and it.number in brought}
        for head in template.heads:
            if head.request in earlier and (head.kind == "proposed" or head.number in brought):
                people |= set(head.people)
        since = min((template.versions[number - 1].at for number in brought), default=self.clock + 1)
        for grant in self.grants:
            if grant.at > since and grant.giver in people and grant.giver != grant.receiver:
                people.add(grant.receiver)
        return people

    def decided(self, request: Request) -> tuple[set[str], set[str]]:
        """The people whose approvals and objections count for the head."""
        last: dict[str, str] = {}
        mark = self.templates[request.template].mark(request.head)
        for round_number, decided_mark, person, decision in request.decisions:
            is_reviewer = RANKS.get(self.roles.get(person, ""), -1) >= RANKS["reviewer"]
            if is_reviewer and (round_number, decided_mark) == (request.round, mark):
                last[person] = decision
        last = {person: decision for person, decision in last.items() if decision != "take_back"}
        void = set() if self.self_approval else self.contributors(request)
        approving = {person for person, decision in last.items() if decision == "approve"} - void
        return approving, {person for person, decision in last.items() if decision == "request_changes"}

    def is_enough(self, request: Request) -> bool:
        """Whether the reviewers' part is done."""
        approving, objecting = self.decided(request)
        return not objecting and len(approving) >= self.approvals

    def blockers(self, request: Request) -> set[str]:
        """The codes of what keeps a request from being published."""
        approving, objecting = self.decided(request)
        codes = {"objection"} if objecting else set()
        if len(approving) < self.approvals:
            codes.add("approvals")
        if request.unreviewed:
            return codes
        if self.active_rollout(request.template, request.label):
            codes.add("rollout")
        if request.release and self.releases[request.release - 1].state == "open":
            codes.add("release")
        return codes | self._blockers_of_label(request)

    def _blockers_of_label(self, request: Request) -> set[str]:
        template = self.templates[request.template]
        served, mark = template.labels.get(request.label), template.mark(request.head)
        if mark in template.redacted:
            return {"redacted"}
        if served is None:
            return set()
        if template.mark(served) == mark:
            return {"held"} if mark in self.trusted_marks(template, request.label) else set()
        if template.contains(request.head, served):
            return set()
        return {"superseded" if template.contains(served, request.head) else "diverged"}

    def require_unblocked(self, found: set[str]) -> None:
        """Raise ApprovalRequired if reviewers are waited for, Conflict for anything else."""
        if found:
            raise (ApprovalRequired if found & _BY_REVIEWERS else Conflict)(" ".join(sorted(found)))

    def put(self, template: Template, label: str, number: int, how: str, request: int | None = None) -> None:
        """Move a label, if the text is there and no rollout divides it."""
        self.require_text(template, number)
        self.require_undivided(template, label)
        template.moves.append(Move(label, number, how, label in self.protected, request, template.labels.get(label)))
        template.labels[label] = number
