"""The state machine: random actions of five people and their keys, in services and model, compared after each.

An integer that selects a version, a request, a rollout or a release counts back from the newest one, which is 0.
"""

import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, ClassVar

from django.db import transaction
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, precondition, rule

from registry.core.errors import PromptuaryError
from tests.registry.states import comparison
from tests.registry.states.model import Model
from tests.registry.states.model_rows import PEOPLE, RANKS
from tests.registry.states.services import Services

__all__ = ["LABELS", "NAMES", "ActMachine"]

NAMES = ("support/policy", "support/reply")
LABELS = ("production", "staging")
MAX_KEYS = 3

people = st.sampled_from(("author",) * 5 + ("reviewer",) * 2 + ("admin",) * 2 + PEOPLE)
actors = people | st.sampled_from(("key:0", "key:1", "key:2"))
admins = st.sampled_from(("admin",) * 9 + ("author", "outsider"))
deciders = st.sampled_from(("reviewer",) * 4 + ("admin",) * 4 + PEOPLE)
names, labels = st.sampled_from(NAMES), st.sampled_from(("production",) * 3 + LABELS)
marks, choices = st.sampled_from("abcde"), st.integers(0, 7)


class ActMachine(RuleBasedStateMachine):
    """Runs actions on templates, labels and change requests in sequence; starts with a version of each template."""

    folder: ClassVar[Path]  # for mirrors

    def __init__(self) -> None:
        super().__init__()
        self.model, self.services = Model(), Services()
        self.is_sound = True
        self.savepoint = transaction.savepoint()
        for name in NAMES:
            self.act("save", "author", name, "a", None, False)

    def act(self, name: str, *arguments: Any) -> None:
        """Do one act on both sides: both let it through, or both refuse it with the same class of error."""
        self.is_sound = False
        self.model.clock += 1
        predicted = _find_refusal(lambda: getattr(self.model, name)(*arguments))
        with transaction.atomic():
            actual = _find_refusal(lambda: self._serve(name, arguments))
        assert actual is predicted, f"{name}{arguments}: {actual} instead of {predicted}"
        comparison.compare_rows(self.model)
        comparison.compare_gates(self.model)
        self.is_sound = True

    def _serve(self, name: str, arguments: tuple[Any, ...]) -> None:
        with transaction.atomic():
            getattr(self.services, name)(*arguments)

    def teardown(self) -> None:
        """After the last act: what holds of all rows, and what a restore brings back."""
        try:
            if self.is_sound:
                comparison.check_numbers()
                comparison.check_approvals_of_moves()
                comparison.compare_restore(Path(tempfile.mkdtemp(dir=self.folder)))
        finally:
            transaction.savepoint_rollback(self.savepoint)

    def actor(self, drawn: str) -> str:
        """The key that was drawn, if there is such a key and it holds; else the author."""
        if not drawn.startswith("key:"):
            return drawn
        index = int(drawn.removeprefix("key:"))
        if index >= len(self.model.keys):
            return "author"
        key = self.model.keys[index]
        assert (self.services.authenticate(index) is None) == key.is_revoked
        return "author" if key.is_revoked else drawn

    def version(self, name: str, choice: int) -> int:
        """The number of a version."""
        count = len(self.model.templates[name].versions)
        return count - choice % count

    def request(self, choice: int) -> int:
        """The number of a request."""
        count = len(self.model.requests)
        return count - choice % count

    # Templates

    @rule(actor=actors, name=names, mark=marks, choice=choices | st.none(), parallel=st.booleans())
    def save(self, actor: str, name: str, mark: str, choice: int | None, parallel: bool) -> None:
        base = None if choice is None else self.version(name, choice)
        self.act("save", self.actor(actor), name, mark, 0 if choice == 7 else base, parallel)

    @rule(actor=actors, name=names, mark=marks)
    def save_next(self, actor: str, name: str, mark: str) -> None:
        self.act("save", self.actor(actor), name, mark, self.version(name, 0), False)

    @rule(actor=actors, name=names, label=labels, choice=choices, expected=st.none() | st.integers(1, 3))
    def move(self, actor: str, name: str, label: str, choice: int, expected: int | None) -> None:
        served = self.model.templates[name].labels.get(label)
        self.act("move", self.actor(actor), name, label, self.version(name, choice), expected or served)

    @rule(actor=people, name=names, label=labels, other=choices)
    def remove(self, actor: str, name: str, label: str, other: int) -> None:
        served = self.model.templates[name].labels.get(label)
        self.act("remove", actor, name, label, served or other + 1)

    @rule(actor=deciders, name=names, label=labels, choice=choices)
    def roll_back(self, actor: str, name: str, label: str, choice: int) -> None:
        self.act("roll_back", actor, name, label, self.version(name, choice))

    @rule(actor=admins, name=names, choice=choices, everywhere=st.booleans(), force=st.booleans())
    def redact(self, actor: str, name: str, choice: int, everywhere: bool, force: bool) -> None:
        self.act("redact", actor, name, self.version(name, choice), everywhere, force)

    @rule(actor=admins, name=names, force=st.booleans())
    def archive(self, actor: str, name: str, force: bool) -> None:
        self.act("archive", actor, name, force)

    @precondition(lambda self: any(it.is_archived for it in self.model.templates.values()))
    @rule(actor=admins, name=names)
    def unarchive(self, actor: str, name: str) -> None:
        self.act("unarchive", actor, name)

    # Change requests

    @rule(actor=actors, name=names, label=labels, choice=choices)
    def propose(self, actor: str, name: str, label: str, choice: int) -> None:
        self.act("propose", self.actor(actor), name, label, self.version(name, choice))

    @rule(actor=actors, name=names, label=labels, mark=marks, decision=st.sampled_from(("publish", "start_rollout")))
    def bring_live(self, actor: str, name: str, label: str, mark: str, decision: str) -> None:
        """The usual way: save, propose, approve and publish, immediately or gradually."""
        actor = self.actor(actor)
        self.act("save", actor, name, mark, self.version(name, 0), False)
        self.act("propose", actor, name, label, self.version(name, 0))
        if self.model.requests:
            self.approve_newest()
            self.act(decision, actor, self.request(0))

    @precondition(lambda self: self.model.requests)
    @rule()
    def approve_newest(self) -> None:
        for decider in ("reviewer", "admin"):
            self.act("decide", decider, self.request(0), "approve", self.model.requests[-1].head)

    @precondition(lambda self: self.model.requests)
    @rule(actor=actors, request=choices, choice=choices)
    def set_head(self, actor: str, request: int, choice: int) -> None:
        number = self.request(request)
        name = self.model.requests[number - 1].template
        self.act("set_head", self.actor(actor), number, self.version(name, choice))

    @precondition(lambda self: self.model.requests)
    @rule(actor=deciders, request=choices, objects=st.integers(0, 4), choice=st.none() | choices)
    def decide(self, actor: str, request: int, objects: int, choice: int | None) -> None:
        row = self.model.requests[self.request(request) - 1]
        seen = row.head if choice is None else self.version(row.template, choice)
        self.act("decide", actor, row.number, "approve" if objects else "request_changes", seen)

    @precondition(lambda self: self.model.requests)
    @rule(actor=actors, request=choices, choice=st.none() | choices)
    def take_back(self, actor: str, request: int, choice: int | None) -> None:
        row = self.model.requests[self.request(request) - 1]
        people = [person for _, _, person, decision in row.decisions if decision != "broke_glass"]
        decider = people[-1] if people and choice is None else self.actor(actor)
        seen = row.head if choice is None else self.version(row.template, choice)
        self.act("take_back", decider, row.number, seen)

    @precondition(lambda self: self.model.requests)
    @rule(actor=actors, request=choices)
    def publish(self, actor: str, request: int) -> None:
        self.act("publish", self.actor(actor), self.request(request))

    @precondition(lambda self: self.model.requests)
    @rule(actor=people, request=choices, name=st.sampled_from(("withdraw", "reopen")))
    def withdraw_or_reopen(self, actor: str, request: int, name: str) -> None:
        self.act(name, actor, self.request(request))

    @rule(actor=deciders, name=names, label=labels, choice=choices, mark=marks)
    def bring_live_in_emergency(self, actor: str, name: str, label: str, choice: int, mark: str) -> None:
        self.act("save", "author", name, mark, self.version(name, choice), True)
        self.act("propose", "author", name, label, self.version(name, 0))
        if self.model.requests:
            self.act("publish_in_emergency", actor, self.request(0))

    @precondition(lambda self: self.model.requests)
    @rule(actor=deciders, request=choices, name=st.sampled_from(("publish_in_emergency", "close_emergency")))
    def hurry(self, actor: str, request: int, name: str) -> None:
        self.act(name, actor, self.request(request))

    # Rules, roles and keys

    @rule(
        actor=admins,
        protected=st.sampled_from((frozenset(LABELS), frozenset({"production"}), frozenset({"staging"}), frozenset())),
        approvals=st.integers(0, 2),
        self_approval=st.sampled_from((False, False, True)),
        break_glass=st.booleans(),
    )
    def set_rules(
        self, actor: str, protected: frozenset[str], approvals: int, self_approval: bool, break_glass: bool
    ) -> None:
        self.act("set_rules", actor, protected, approvals, self_approval, break_glass)

    @rule(actor=admins, person=st.sampled_from(PEOPLE), role=st.sampled_from((*RANKS, None)))
    def set_role(self, actor: str, person: str, role: str | None) -> None:
        self.act("set_role", actor, person, role)

    @precondition(lambda self: len(self.model.keys) < MAX_KEYS)
    @rule(actor=admins, person=people)
    def issue_key(self, actor: str, person: str) -> None:
        self.act("issue_key", actor, person)

    @precondition(lambda self: self.model.keys)
    @rule(actor=people, choice=choices)
    def revoke_key(self, actor: str, choice: int) -> None:
        self.act("revoke_key", actor, choice % len(self.model.keys))

    # Releases and rollouts

    @rule(actor=actors, label=labels, first=choices, second=st.none() | choices)
    def propose_release(self, actor: str, label: str, first: int, second: int | None) -> None:
        drawn = {NAMES[0]: first} if second is None else {NAMES[0]: first, NAMES[1]: second}
        versions = {name: self.version(name, choice) for name, choice in drawn.items()}
        self.act("propose_release", self.actor(actor), label, versions)

    @rule(mark=marks, label=labels)
    def bring_release_live(self, mark: str, label: str) -> None:
        """The usual way of a release: save both templates, propose, approve and publish."""
        for name in NAMES:
            self.act("save", "author", name, mark, self.version(name, 0), False)
        self.act("propose_release", "author", label, {name: self.version(name, 0) for name in NAMES})
        for row in [it for it in self.model.requests if it.is_pending and it.release]:
            self.act("decide", "reviewer", row.number, "approve", row.head)
            self.act("decide", "admin", row.number, "approve", row.head)
        if self.model.releases:
            self.act("publish_release", "author", len(self.model.releases))

    @precondition(lambda self: self.model.releases)
    @rule(
        actor=people, choice=choices, name=st.sampled_from(("publish_release", "publish_release", "withdraw_release"))
    )
    def end_release(self, actor: str, choice: int, name: str) -> None:
        self.act(name, actor, len(self.model.releases) - choice % len(self.model.releases))

    @precondition(lambda self: self.model.releases)
    @rule(actor=people, request=choices)
    def remove_from_release(self, actor: str, request: int) -> None:
        number = self.request(request)
        release = self.model.requests[number - 1].release or len(self.model.releases)
        self.act("remove_from_release", actor, release, number)

    @precondition(lambda self: self.model.requests)
    @rule(actor=actors, request=choices)
    def start_rollout(self, actor: str, request: int) -> None:
        self.act("start_rollout", self.actor(actor), self.request(request))

    @precondition(lambda self: self.model.rollouts)
    @rule(actor=people, choice=st.sampled_from((0, 0, 1)), name=st.sampled_from(("step", "finish", "pause", "resume")))
    def go_on_with_rollout(self, actor: str, choice: int, name: str) -> None:
        self.act(f"{name}_rollout", actor, len(self.model.rollouts) - choice % len(self.model.rollouts))

    @precondition(lambda self: self.model.rollouts)
    @rule(actor=deciders)
    def stop_rollout(self, actor: str) -> None:
        self.act("stop_rollout", actor, len(self.model.rollouts))


def _find_refusal(act: Callable[[], None]) -> type[PromptuaryError] | None:
    """The class of the error with which an action is refused, or None if it succeeds."""
    try:
        act()
    except PromptuaryError as error:
        return type(error)
    return None
