"""Derives facts that events of older journals lack: what versions took in, and what requests were decided on.

Both a migration and a restore use this, so that their results agree. Explicit fields in an event take precedence:
`version.saved` with "merged_from" or "suggestions", `change.headed` with "from" (always present since those fields
exist), and closing events with "decided".
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from registry.changes.checks import VOID
from registry.namespaces.events import NamespaceCreated, NamespaceRuled

__all__ = ["RULING", "Contribution", "Derivation", "JournalFact", "Protection"]

_WITHIN = 60_000_000  # microseconds; an older server wrote all events of one action within this time
_CHECK_ORDER = ("problems", "samples", "budget", "contract", "dependants", "evaluation")


@dataclass(frozen=True)
class JournalFact:
    """One parsed event."""

    kind: str
    at: int
    person: str
    key: str
    namespace: str
    template: str
    version: int | None
    change: int | None
    body: Mapping[str, Any]


@dataclass(frozen=True)
class Contribution:
    """What a version took in: a suggestion as (change, thread, comment), or the number of a version of its template."""

    template: str
    number: int
    suggestion: tuple[int, int, int] | None = None
    source: int | None = None


@dataclass
class _Change:
    """The state of a request after its events so far."""

    template: str
    head: int
    digest: str
    round: int = 1
    opinions: dict[str, tuple[str, int, int, str]] = field(default_factory=dict)  # person: decision, at, round, digest
    acknowledged: set[tuple[int, str]] = field(default_factory=set)
    headed: JournalFact | None = None


class Derivation:
    """Reads the journal from its first event."""

    def __init__(self) -> None:
        self._rules: dict[str, Mapping[str, Any]] = {}
        self._roles: dict[tuple[str, str], str] = {}
        self._digests: dict[tuple[str, int], str] = {}
        self._authors: dict[tuple[str, int], str] = {}
        self._held: dict[tuple[str, str], int] = {}
        self._changes: dict[int, _Change] = {}
        self._openers: dict[int, str] = {}
        self._suggestions: dict[tuple[int, int], list[int]] = {}
        self._saved: dict[tuple[str, int], JournalFact] = {}
        self._verdicts: dict[tuple[str, str], dict[str, dict[str, Any]]] = {}
        self.emergencies: dict[int, dict[str, Any]] = {}

    def take(self, fact: JournalFact) -> list[Contribution]:
        """Process one event and return what versions took in by it. Call `decided` for a closing event first."""
        handler = getattr(self, "_" + fact.kind.replace(".", "_"), None)
        contributions: list[Contribution] | None = handler(fact) if handler else None
        return contributions or []

    def decided(self, fact: JournalFact) -> dict[str, Any] | None:
        """What the request of a closing event was decided on: from the event, else derived; None for other events."""
        if not _is_closing(fact) or fact.change not in self._changes:
            return None
        recorded: dict[str, Any] | None = fact.body.get("decided")
        if recorded is not None:
            return recorded
        change = self._changes[fact.change]
        before = self.emergencies.get(fact.change)
        return {
            "approvals": self._list_approvals(fact, change),
            "needed": self._rules.get(fact.namespace, {}).get("approvals", 1),
            "checks": before["checks"] if before else self._list_checks(fact, change),
        }

    def _namespace_created(self, fact: JournalFact) -> None:
        self._rules[fact.namespace] = fact.body["rules"]
        if fact.body.get("admin"):
            self._roles[fact.namespace, fact.body["admin"]] = "admin"

    def _namespace_ruled(self, fact: JournalFact) -> None:
        self._rules[fact.namespace] = fact.body["rules"]

    def _member_set(self, fact: JournalFact) -> None:
        self._roles[fact.namespace, fact.body["person"]] = fact.body["role"] or ""

    def _version_saved(self, fact: JournalFact) -> list[Contribution]:
        template, number = fact.template, fact.body["number"]
        self._digests[template, number] = fact.body["digest"]
        self._authors[template, number] = fact.person
        self._saved[template, number] = fact
        contributions = [
            Contribution(template, number, suggestion=tuple(one)) for one in fact.body.get("suggestions", ())
        ]
        source = fact.body.get("merged_from")
        return [*contributions, Contribution(template, number, source=source)] if source is not None else contributions

    def _template_renamed(self, fact: JournalFact) -> None:
        """Move what is known of the template to its new name."""
        former, name = fact.body["former"], fact.template
        tables: list[dict[Any, Any]] = [self._digests, self._authors, self._held, self._saved, self._verdicts]
        for facts in tables:
            for key in [key for key in facts if key[0] == former]:
                facts[name, key[1]] = facts.pop(key)
        for change in self._changes.values():
            change.template = name if change.template == former else change.template

    def _comment_added(self, fact: JournalFact) -> None:
        if fact.body["suggestion"] is not None and fact.change is not None:
            self._suggestions.setdefault((fact.change, fact.body["thread"]), []).append(fact.body["comment"])

    def _change_proposed(self, fact: JournalFact) -> None:
        if fact.change is not None:
            self._changes[fact.change] = _Change(fact.template, fact.body["version"], fact.body["digest"])
            self._openers[fact.change] = fact.person

    def _change_headed(self, fact: JournalFact) -> list[Contribution]:
        change = self._changes.get(fact.change or 0)
        if change is None:
            return []
        before, change.head, change.digest = change.head, fact.body["version"], fact.body["digest"]
        change.round, change.headed = fact.body["round"], None
        saved = self._saved.get((fact.template, change.head))
        is_told = "from" in fact.body
        if is_told or saved is None or saved.person != fact.person or fact.at - saved.at > _WITHIN:
            return []
        change.headed = fact  # saved and proposed in one action: threads that it now resolves were applied
        served = self._held.get((fact.template, fact.body["label"]))
        base = saved.body["base"]
        same = (
            served is not None and base is not None and self._find_digest(fact, base) == self._find_digest(fact, served)
        )
        return [Contribution(fact.template, change.head, source=before)] if same and base != before else []

    def _change_decided(self, fact: JournalFact) -> None:
        change = self._changes.get(fact.change or 0)
        if change is None:
            return
        decision = fact.body["decision"]
        if decision in ("approve", "request_changes"):
            change.opinions.pop(fact.person, None)
            change.opinions[fact.person] = (decision, fact.at, fact.body["round"], fact.body["digest"])
        elif decision == "take_back":
            change.opinions.pop(fact.person, None)
        elif decision == "acknowledge":
            change.acknowledged.add((fact.body["round"], fact.body["digest"]))

    def _change_reopened(self, fact: JournalFact) -> None:
        if fact.change in self._changes:
            self._changes[fact.change].round = fact.body["round"]

    def _thread_resolved(self, fact: JournalFact) -> list[Contribution]:
        """An older server resolved the threads of applied suggestions right after proposing the new version."""
        change = self._changes.get(fact.change or 0)
        headed = change.headed if change else None
        if change is None or headed is None or fact.change is None or not fact.body["resolved"]:
            return []
        if fact.person != headed.person or fact.key != headed.key or fact.at - headed.at > _WITHIN:
            return []
        comments = self._suggestions.get((fact.change, fact.body["thread"]), [])
        return [
            Contribution(fact.template, change.head, suggestion=(fact.change, fact.body["thread"], comment))
            for comment in comments
        ]

    def _label_moved(self, fact: JournalFact) -> None:
        place = fact.template, fact.body["label"]
        if fact.change is not None and fact.body["how"] == "broke_glass":
            decided = self.decided(fact)
            if decided is not None:
                self.emergencies[fact.change] = decided
        if fact.body["to"] is None:
            self._held.pop(place, None)
        else:
            self._held[place] = fact.body["to"]

    def _verdict_given(self, fact: JournalFact) -> None:
        result = {name: fact.body[name] for name in ("key", "outcome", "summary")}
        place = self._verdicts.setdefault((fact.template, fact.body["digest"]), {})
        place[fact.body["check"]] = {**result, "at": fact.at}

    def _find_digest(self, fact: JournalFact, number: int) -> str:
        return self._digests.get((fact.template, number), "")

    def _list_approvals(self, fact: JournalFact, change: _Change) -> list[dict[str, Any]]:
        """The approvals of the head that counted at the time: by reviewers who neither opened the request nor wrote the
        head.
        """
        own = {self._openers[fact.change or 0], self._authors.get((fact.template, change.head), "")}
        if self._rules.get(fact.namespace, {}).get("self_approval"):
            own = set()
        opinions = dict(change.opinions)
        if fact.body.get("reviewed"):
            opinions.pop(fact.person, None)
            opinions[fact.person] = (fact.body["decision"], fact.at, fact.body["round"], fact.body["digest"])
        return [
            {"person": person, "at": at}
            for person, (decision, at, turn, digest) in opinions.items()
            if decision == "approve"
            and (turn, digest) == (change.round, change.digest)
            and person not in own
            and self._roles.get((fact.namespace, person)) in ("reviewer", "admin")
        ]

    def _list_checks(self, fact: JournalFact, change: _Change) -> list[dict[str, Any]]:
        """The last verdicts on the head, and the required checks without one."""
        rules = self._rules.get(fact.namespace, {})
        required = {*rules.get("required_checks", ()), *(["contract"] if _is_backward(rules) else [])}
        results = self._verdicts.get((change.template, change.digest), {})
        acknowledged = (change.round, change.digest) in change.acknowledged
        entries = []
        for name in _CHECK_ORDER:
            verdict = results.get(name)
            if verdict is None and name not in required:
                continue
            passed = fact.body.get("how") == "published" and name in VOID  # the check had nothing to look at
            nothing = {
                "key": "",
                "outcome": "passed" if passed else None,
                "summary": VOID[name] if passed else "",
                "at": None,
            }
            facts = {"required": name in required, "acknowledged": name == "contract" and acknowledged}
            entries.append({"name": name, **(verdict or nothing), **facts})
        return entries


def _is_closing(fact: JournalFact) -> bool:
    """Whether the event closes a request, or ends the open part of an emergency."""
    if fact.kind == "label.moved":
        return fact.change is not None and fact.body["how"] in ("published", "broke_glass")
    return fact.kind == "change.withdrawn" or (fact.kind == "change.decided" and bool(fact.body.get("reviewed")))


def _is_backward(rules: Mapping[str, Any]) -> bool:
    return rules.get("compatibility") == "backward"


RULING = (NamespaceCreated.kind, NamespaceRuled.kind)  # the kinds of event that set the protected labels


class Protection:
    """The protected labels of each namespace after the last event processed.

    Pass every event to `apply_event` in journal order; kinds other than `RULING` are ignored. `is_protected` answers
    for the state after the last one. Writes run under the journal's lock, so the events before a move are what the
    service saw when it made the move.
    """

    def __init__(self, events: Iterable[tuple[str, str, Mapping[str, Any]]] = ()) -> None:
        """events: (kind, namespace, body) of earlier events, oldest first."""
        self._labels: dict[str, frozenset[str]] = {}
        for kind, namespace, body in events:
            self.apply_event(kind, namespace, body)

    def apply_event(self, kind: str, namespace: str, body: Mapping[str, Any]) -> None:
        """Process one event: its kind, the name of its namespace, and its body."""
        if kind in RULING:
            self._labels[namespace] = frozenset(body["rules"]["protected_labels"])

    def is_protected(self, namespace: str, label: str) -> bool:
        """Whether the label was protected in the namespace after the last event processed."""
        return label in self._labels.get(namespace, frozenset())
