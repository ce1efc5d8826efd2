"""The model's actions on change requests, and on the rules, roles and keys that they depend on."""

from registry.core.errors import Conflict, Invalid, NotAllowed
from tests.registry.states.model_rows import RANKS, Grant, Head, Key, Request, Template
from tests.registry.states.registry_model import RegistryModel

__all__ = ["ChangeActs"]


class ChangeActs(RegistryModel):
    """Each act raises what the service raises, and notes what follows if it is let through."""

    def propose(self, actor: str, name: str, label: str, version: int) -> None:
        template = self.take_template(actor, "author", name)
        if label not in self.protected:
            raise Invalid("not protected")
        self.require_text(template, version)
        self.open_request(actor, template, label, version)

    def open_request(
        self, actor: str, template: Template, label: str, version: int, release: int | None = None
    ) -> Request:
        """Open a request that was allowed, if it would change something."""
        self._require_new_head(template, label, version)
        number = len(self.requests) + 1
        request = Request(number, template.name, label, version, self.person(actor), release=release)
        self.requests.append(request)
        self._note_head(actor, request, "proposed")
        return request

    def _require_new_head(self, template: Template, label: str, version: int) -> None:
        if template.held_mark(label) == template.mark(version) and self.approval(template, label) != "never_approved":
            raise Invalid("held")
        served = template.labels.get(label)
        if served and not template.contains(version, served) and template.contains(served, version):
            raise Invalid("contained")
        if any(it.head == version for it in self.pending(template.name, label)):
            raise Conflict("pending")

    def _note_head(self, actor: str, request: Request, kind: str) -> None:
        people = (self.person(actor), *self.issuers(actor))
        self.templates[request.template].heads.append(Head(request.number, request.head, kind, people))

    def _take_request(self, actor: str, least: str, number: int) -> tuple[Request, Template]:
        request = self.requests[number - 1]
        return request, self.take_template(actor, least, request.template)

    def _take_pending(self, actor: str, least: str, number: int) -> tuple[Request, Template]:
        request, template = self._take_request(actor, least, number)
        if not request.is_pending:
            raise Conflict("closed")
        return request, template

    def set_head(self, actor: str, number: int, version: int) -> None:
        request, template = self._take_pending(actor, "author", number)
        self.require_text(template, version)
        if request.head == version:
            return
        self._require_not_rolling_out(request)
        self._require_new_head(template, request.label, version)
        request.head = version
        request.round += 1
        self._note_head(actor, request, "headed")

    def _require_not_rolling_out(self, request: Request) -> None:
        rollout = self.active_rollout(request.template, request.label)
        if rollout and rollout.request == request.number:
            raise Conflict("rollout")

    def decide(self, actor: str, number: int, decision: str, seen: int) -> None:
        """seen: the number of the version that the person looked at."""
        request, template = self._take_request(actor, "reviewer", number)
        if not (request.is_pending or request.needs_approval):
            raise Conflict("closed")
        if template.mark(seen) != template.mark(request.head):
            raise Conflict("another head")
        self._require_may_decide(actor, request)
        if template.mark(request.head) in template.redacted:
            raise NotAllowed("redacted")
        request.decisions.append((request.round, template.mark(request.head), actor, decision))
        if request.unreviewed and self.is_enough(request):
            request.unreviewed = False

    def take_back(self, actor: str, number: int, seen: int) -> None:
        """Take back what the person decided about the head. seen: as `decide` has it."""
        request, template = self._take_request(actor, "author", number)
        if not (request.is_pending or request.needs_approval):
            raise Conflict("closed")
        mark = template.mark(request.head)
        if template.mark(seen) != mark:
            raise Conflict("another head")
        if actor.startswith("key:"):
            raise NotAllowed("key")
        said = [
            decision
            for round_number, decided_mark, person, decision in request.decisions
            if (round_number, decided_mark, person) == (request.round, mark, actor)
        ]
        if not said or said[-1] == "take_back":
            raise Conflict("nothing was decided")
        request.decisions.append((request.round, mark, actor, "take_back"))
        if request.unreviewed and self.is_enough(request):
            request.unreviewed = False

    def _require_may_decide(self, actor: str, request: Request) -> None:
        if not self.self_approval and actor in self.contributors(request):
            raise NotAllowed("contributor")

    def publish(self, actor: str, number: int) -> None:
        request, template = self._take_pending(actor, "author", number)
        self.require_text(template, request.head)
        self.require_unblocked(self.blockers(request))
        self.publish_unblocked(request, template)

    def publish_unblocked(self, request: Request, template: Template) -> None:
        """Close a request and move its label."""
        self.put(template, request.label, request.head, "published", request.number)
        request.state = "published"

    def withdraw(self, actor: str, number: int) -> None:
        request, _ = self._take_pending(actor, "author", number)
        self.require_opener(actor, request.opened_by)
        self.close_withdrawn(request)

    def require_opener(self, actor: str, opened_by: str) -> None:
        """Raise NotAllowed for who neither opened it nor is a reviewer."""
        if self.person(actor) != opened_by and RANKS[self.roles[self.person(actor)]] < RANKS["reviewer"]:
            raise NotAllowed("opener")

    def close_withdrawn(self, request: Request) -> None:
        """Withdraw a request that may be."""
        self._require_not_rolling_out(request)
        request.state = "withdrawn"

    def reopen(self, actor: str, number: int) -> None:
        request, template = self._take_request(actor, "author", number)
        if request.state != "withdrawn":
            raise Conflict("not withdrawn")
        self.require_text(template, request.head)
        self._require_new_head(template, request.label, request.head)
        if self._has_other_member(request):
            raise Conflict("member")
        request.state = "pending"
        request.round += 1
        self._note_head(actor, request, "reopened")

    def _has_other_member(self, request: Request) -> bool:
        if not request.release or self.releases[request.release - 1].state != "open":
            return False
        return any(it.release == request.release for it in self.pending(request.template))

    # Emergencies

    def publish_in_emergency(self, actor: str, number: int) -> None:
        request, template = self._take_pending(actor, "reviewer", number)
        if not self.break_glass:
            raise NotAllowed("no emergencies")
        blocker_codes = self.blockers(request)
        if not blocker_codes or blocker_codes & {"held", "superseded", "release", "rollout"}:
            raise Conflict("no use")
        if template.held_mark(request.label) == template.mark(request.head):
            raise Conflict("served")
        self.put(template, request.label, request.head, "broke_glass", request.number)
        request.state, request.unreviewed = "published", not self.is_enough(request)
        request.decisions.append((0, "", actor, "broke_glass"))

    def close_emergency(self, actor: str, number: int) -> None:
        request, template = self._take_request(actor, "reviewer", number)
        if not request.needs_approval:
            raise Conflict("no emergency")
        mark = template.mark(request.head)
        if template.held_mark(request.label) == mark and mark not in self.trusted_marks(template, request.label):
            raise Conflict("served")
        self._require_may_decide(actor, request)
        publisher = next(person for _, _, person, decision in request.decisions if decision == "broke_glass")
        if publisher == actor and not self.self_approval:
            raise NotAllowed("publisher")
        request.emergency_closed = True

    # Rules, roles and keys

    def set_rules(
        self, actor: str, protected: frozenset[str], approvals: int, self_approval: bool, break_glass: bool
    ) -> None:
        self.require_role(actor, "admin")
        fresh, self.protected = protected - self.protected, protected
        self.approvals, self.self_approval, self.break_glass = approvals, self_approval, break_glass
        for name in sorted(self.templates):
            for label in sorted(fresh & set(self.templates[name].labels)):
                self._ask_approval(actor, self.templates[name], label)

    def _ask_approval(self, actor: str, template: Template, label: str) -> None:
        served = template.labels[label]
        is_pending = any(it.head == served for it in self.pending(template.name, label))
        is_asked = self.approval(template, label) != "never_approved" or is_pending
        if not template.is_archived and not is_asked and template.mark(served) not in template.redacted:
            self.open_request(actor, template, label, served)

    def set_role(self, actor: str, person: str, role: str | None) -> None:
        self.require_role(actor, "admin")
        before = self.roles.get(person)
        if role == before:
            return
        if before == "admin" and list(self.roles.values()).count("admin") == 1:
            raise Conflict("last admin")
        rank = RANKS[role] if role else -1
        if rank > self.highest.get(person, -1):
            self.grants.append(Grant(actor, person, self.clock))
        self.highest[person] = rank
        self.roles.pop(person, None)
        if role:
            self.roles[person] = role

    def issue_key(self, actor: str, person: str) -> None:
        self.require_role(actor, "admin")
        if RANKS.get(self.roles.get(person, ""), -1) < RANKS["author"]:
            raise Invalid("person")
        self.keys.append(Key(person, actor))

    def revoke_key(self, actor: str, index: int) -> None:
        if self.keys[index].person != actor:
            self.require_role(actor, "admin")
        self.keys[index].is_revoked = True
