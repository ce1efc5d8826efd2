"""Random actions on one label against a small model: allowed moves, and versions held by approval."""

from dataclasses import dataclass, field

import pytest
from django.db import transaction
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from registry.accounts.actor import Actor
from registry.audit.verification import parse_event_text
from registry.changes import decisions, emergencies, gate
from registry.changes import queries as changes_query
from registry.changes import rules as change_rules
from registry.changes import services as change_services
from registry.changes.derivation import Protection
from registry.changes.models import ChangeRequest
from registry.core.errors import PromptuaryError
from registry.journal.models import Event
from registry.namespaces.models import Namespace
from registry.namespaces.verbs import Verb
from registry.redaction import services as redaction_services
from registry.templates import labels, version_queries
from registry.templates.label_models import Label, LabelMove
from registry.templates.label_moves import find_approval_of_label
from registry.templates.models import Template, Version
from tests.support.examples import example_count

NAME = "support/reply"
MARKS = ("one", "two", "one", "three", "two")  # versions 1 to 5: 1 and 3 are the same bytes, 2 and 5 too
OF_REQUESTS = ("approve", "publish", "break_glass", "withdraw")
STEPS = {  # sequences of actions; actions on a request after `propose` refer to that one
    "change": ("propose", "approve", "publish"),
    "change while loose": ("propose", "approve", "unprotect", "publish", "protect"),
    "wander": ("unprotect", "move", "protect"),
    "wander back": ("unprotect", "roll_back", "protect"),
    "emergency": ("propose", "break_glass"),
    "emergency while loose": ("propose", "unprotect", "break_glass", "protect"),
    **{act: (act,) for act in ("protect", "unprotect", "move", "roll_back", "propose", "redact", *OF_REQUESTS)},
}


@dataclass
class Request:
    """A change request of the model. `glass`: published in an emergency;
    None, or whether the label was protected then."""

    version: int
    state: str = "open"
    glass: bool | None = None
    unreviewed: bool = False


@dataclass(frozen=True)
class Move:
    """One move of the model's label. request: the one that it published."""

    before: int | None
    after: int
    how: str
    protected: bool
    request: Request | None


@dataclass
class Model:
    """An independent model of one label. Versions are numbers; `mark` represents the bytes of one."""

    protected: bool = False
    holds: int | None = None
    ever: set[str] = field(default_factory=set)
    approved: set[str] = field(default_factory=set)
    redacted: set[str] = field(default_factory=set)
    requests: list[Request] = field(default_factory=list)
    moves: list[Move] = field(default_factory=list)

    def mark(self, version: int | None) -> str | None:
        return MARKS[version - 1] if version else None

    @property
    def emergencies(self) -> set[str]:
        return {MARKS[it.version - 1] for it in self.requests if it.unreviewed and it.glass}

    @property
    def trusted(self) -> set[str]:
        """What the label held by approval, without what it was rolled back from, or got in an emergency that nobody
        approved, unless it was approved or rolled back to afterwards.
        """
        held_marks: set[str] = set()
        for move in self.moves:
            mark, request = MARKS[move.after - 1], move.request
            is_unapproved = move.how == "broke_glass" and request is not None and request.unreviewed
            if move.how == "roll_back" and move.before is not None and move.before > move.after:
                held_marks.discard(MARKS[move.before - 1])
            if move.protected and is_unapproved:
                held_marks.discard(mark)
            elif move.protected and (move.how in ("publish", "broke_glass") or mark in self.approved):
                held_marks.add(mark)
        return held_marks - self.redacted

    def approval(self) -> str | None:
        if not self.protected or self.holds is None:
            return None
        mark = MARKS[self.holds - 1]
        if mark in self.trusted:
            return "approved"
        return "emergency" if mark in self.emergencies else "never_approved"

    def may_read(self, version: int) -> bool:
        approved_marks = {MARKS[it.version - 1] for it in self.requests if it.state == "approved"}
        return self.protected and MARKS[version - 1] in self.approved | approved_marks

    def put(self, version: int, how: str, request: Request | None = None) -> bool:
        self.moves.append(Move(self.holds, version, how, self.protected, request))
        self.holds = version
        self.ever.add(MARKS[version - 1])
        return True

    def is_pending(self, version: int) -> bool:
        return any(it.version == version and it.state in ("open", "approved") for it in self.requests)

    def is_superseded(self, version: int) -> bool:
        """Whether what the label holds contains the version, and not the other way round."""
        held = self.mark(self.holds)
        return held is not None and held not in MARKS[:version] and MARKS[version - 1] in MARKS[: self.holds]

    def blockers(self, request: Request) -> list[str]:
        codes, mark, held = [], self.mark(request.version), self.mark(self.holds)
        if held == mark:
            codes += ["held"] if mark in self.trusted else []
        elif held is not None and held not in MARKS[: request.version]:
            codes.append("superseded" if self.is_superseded(request.version) else "diverged")
        return codes if request.state == "approved" else [*codes, "approvals"]

    # Each act says whether it is let through, and notes what follows.

    def protect(self, _version: int) -> bool:
        if not self.protected and self.holds is not None:
            waits = self.is_pending(self.holds) or self.mark(self.holds) in self.emergencies | self.redacted
            if not waits and self.mark(self.holds) not in self.trusted:
                self.requests.append(Request(self.holds))
        self.protected = True
        return True

    def unprotect(self, _version: int) -> bool:
        self.protected = False
        return True

    def move(self, version: int) -> bool:
        if self.protected:
            return False
        return version == self.holds or (self.mark(version) not in self.redacted and self.put(version, "move"))

    def propose(self, version: int) -> bool:
        mark = self.mark(version)
        served = mark == self.mark(self.holds) and mark in self.trusted | self.emergencies
        is_refused = served or self.is_superseded(version)
        if not self.protected or mark in self.redacted or is_refused or self.is_pending(version):
            return False
        self.requests.append(Request(version))
        return True

    def approve(self, request: Request) -> bool:
        if request.state in ("open", "approved"):
            request.state = "approved"
            return True
        if not request.unreviewed:
            return False
        request.unreviewed = False
        if request.glass:
            self.approved.add(MARKS[request.version - 1])
        return True

    def publish(self, request: Request) -> bool:
        if request.state not in ("open", "approved") or self.blockers(request):
            return False
        request.state = "published"
        if self.protected:
            self.approved.add(MARKS[request.version - 1])
        return self.put(request.version, "publish", request)

    def break_glass(self, request: Request) -> bool:
        codes = self.blockers(request)
        if request.state not in ("open", "approved") or not codes or {"held", "superseded"} & set(codes):
            return False
        if self.mark(request.version) == self.mark(self.holds):
            return False
        is_approved = request.state == "approved"
        request.state, request.unreviewed, request.glass = "published", not is_approved, self.protected
        if is_approved and self.protected:
            self.approved.add(MARKS[request.version - 1])
        return self.put(request.version, "broke_glass", request)

    def withdraw(self, request: Request) -> bool:
        if request.state not in ("open", "approved"):
            return False
        request.state = "withdrawn"
        return True

    def roll_back(self, version: int) -> bool:
        mark = self.mark(version)
        if self.holds is None or mark in self.redacted or mark == self.mark(self.holds):
            return False
        return mark in (self.approved if self.protected else self.ever) and self.put(version, "roll_back")

    def redact(self, version: int) -> bool:
        if self.mark(version) in self.redacted:
            return False
        self.redacted.add(MARKS[version - 1])
        self.approved.discard(MARKS[version - 1])
        return True


@dataclass
class World:
    """The same actions through the services; each returns True if it succeeds."""

    author: Actor
    reviewer: Actor
    admin: Actor

    def act(self, act: str, version: int, number: int) -> bool:
        try:
            with transaction.atomic():
                getattr(self, act)(version if number == 0 else number)
        except PromptuaryError:
            return False
        return True

    def protect(self, _version):
        change_rules.set_rules(actor=self.admin, namespace="support", protected_labels=["live"])

    def unprotect(self, _version):
        change_rules.set_rules(actor=self.admin, namespace="support", protected_labels=[])

    def move(self, version):
        label = Label.objects.filter(name="live").select_related("version").first()
        expected = label.version.number if label else None
        labels.move_label(actor=self.author, name=NAME, label="live", version=version, expected=expected)

    def propose(self, version):
        change_services.propose_change(actor=self.author, name=NAME, label="live", version=version, message="")

    def approve(self, number):
        digest = ChangeRequest.objects.select_related("version").get(pk=number).version.digest
        decisions.decide_on_change(actor=self.reviewer, number=number, decision="approve", digest=digest)

    def publish(self, number):
        change_services.publish_change(actor=self.author, number=number)

    def break_glass(self, number):
        emergencies.publish_in_emergency(actor=self.admin, number=number, reason="It burns")

    def withdraw(self, number):
        change_services.withdraw_change(actor=self.reviewer, number=number, reason="Not needed")

    def roll_back(self, version):
        labels.roll_back_label(actor=self.reviewer, name=NAME, label="live", version=version, reason="It erred")

    def redact(self, version):
        redaction_services.redact_version(
            actor=self.admin, name=NAME, version=version, reason="A name", everywhere=True, force=True
        )


@pytest.fixture
def world(author, reviewer, admin, save):
    rules = {"protected_labels": [], "break_glass": True, "required_checks": [], "approvals": 1}
    change_rules.set_rules(actor=admin, namespace="support", **rules)
    for mark in MARKS:
        save(mark)
    return World(author, reviewer, admin)


def compare(model: Model) -> None:
    """What the database says beside what the model says."""
    template = Template.objects.select_related("namespace").get()
    label = Label.objects.filter(name="live").select_related("version").first()
    assert (label.version.number if label else None) == model.holds
    assert find_approval_of_label(template, "live") == model.approval()
    for version in Version.objects.filter(template=template):
        if MARKS[version.number - 1] not in model.redacted:
            assert version_queries.is_version_approved(template, version) == model.may_read(version.number)
    rows = ChangeRequest.objects.order_by("number").select_related("template__namespace", "version", "opened_by")
    assert [(row.version.number, row.state, row.unreviewed) for row in rows] == [
        (it.version, it.state, it.unreviewed) for it in model.requests
    ]


def compare_with_journal() -> None:
    """Each row's `protected` beside what the journal's rules say."""
    protection, protected = Protection(), []
    for kind, space, text in Event.objects.order_by("number").values_list("kind", "namespace", "text"):
        body = parse_event_text(text)["body"]
        protection.apply_event(kind, space, body)
        if kind == "label.moved":
            protected.append(protection.is_protected(space, body["label"]))
    assert list(LabelMove.objects.order_by("pk").values_list("protected", flat=True)) == protected


steps = st.lists(
    st.tuples(st.sampled_from(list(STEPS)), st.integers(1, len(MARKS)), st.integers(0, 3)), min_size=3, max_size=8
)


def take(world: World, model: Model, act: str, version: int, index: int) -> None:
    """Do one act on both sides and compare; `index` chooses the request, the newest being 0."""
    if act not in OF_REQUESTS:
        assert world.act(act, version, 0) == getattr(model, act)(version), (act, version)
    elif model.requests:
        place = len(model.requests) - 1 - index % len(model.requests)
        request = model.requests[place]
        if MARKS[request.version - 1] in model.redacted:
            return  # its text is removed: it can no longer be read or served
        number = list(ChangeRequest.objects.order_by("number").values_list("number", flat=True))[place]
        assert world.act(act, 0, number) == getattr(model, act)(request), (act, number)
    compare(model)


@given(steps=steps)
@settings(
    max_examples=example_count(0.1), suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)
def test_a_label_does_what_the_model_says(world, steps):
    model, start = Model(), transaction.savepoint()
    try:
        for step, version, choice in [("protect", 1, 0), *steps]:
            for act in STEPS[step]:
                take(world, model, act, version, choice if len(STEPS[step]) == 1 else 0)
        compare_with_journal()
    finally:
        transaction.savepoint_rollback(start)


def test_the_model_is_not_empty(world):
    """A former bug, in the model: unprotected to 1, 2 and back, then protected, and no roll back to 2."""
    model = Model()
    for act, version, allowed in (("move", 1, True), ("move", 2, True), ("move", 1, True), ("protect", 0, True)):
        assert world.act(act, version, 0) == getattr(model, act)(version) == allowed
    assert world.act("roll_back", 2, 0) == model.roll_back(2) is False
    compare(model)
    assert Namespace.objects.get(name="support").protected_labels == ["live"]
    change = changes_query.find_change(world.reviewer, Verb.READ, ChangeRequest.objects.get().pk)
    assert [blocker.code for blocker in gate.evaluate(change, world.reviewer).blockers] == ["approvals"]
