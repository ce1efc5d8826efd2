"""The checks of a change request: which there are, what each looks at, what stands in the way of publishing."""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from promptuary.renderer.digest import canonical
from registry.changes.policy import Blocker
from registry.namespaces.rules import CHECKS, Rules

__all__ = [
    "VOID",
    "Check",
    "CheckInputs",
    "check_blockers",
    "digests_of",
    "is_void",
    "key_of",
    "listed_checks",
    "required_checks",
]

VOID = {
    "dependants": "No template of its namespace includes it.",
    "evaluation": "No evaluation is attached to this template.",
}

_LOOKS_AT = {
    "problems": ("version", "samples"),
    "samples": ("version", "samples"),
    "budget": ("version", "samples", "against"),
    "contract": ("version", "served", "fetched"),
    "dependants": ("version", "dependants"),
    "evaluation": ("version", "against", "evaluations"),
}


@dataclass(frozen=True)
class CheckInputs:
    """The digests a check may look at: the head's, the current samples', that of what the label holds, those of all that
    any label of the template serves (sorted), those of versions that somebody still fetches by number or digest (sorted), those
    of the templates that include it as a fragment (sorted), and for each evaluation its rows', its model's and its
    thresholds."""

    template: str
    version: str
    samples: str | None
    against: str | None
    served: tuple[str, ...] = ()
    fetched: tuple[str, ...] = ()
    dependants: tuple[str, ...] = ()
    evaluations: tuple[Mapping[str, object], ...] = ()


@dataclass(frozen=True)
class Check:
    """One check of a request. `outcome` is passed, failed, or None while it has not been given for these digests.

    `action` is what to do about it where it doesn't come by itself; `at` is when the verdict was given, in microseconds since
    1970 UTC.
    """

    name: str
    key: str
    is_required: bool
    outcome: str | None
    summary: str
    findings: tuple[Mapping[str, object], ...] = ()
    is_acknowledged: bool = False
    action: str = ""
    at: int | None = None

    @property
    def is_blocking(self) -> bool:
        """Whether it keeps the request from being published."""
        return self.is_required and self.outcome != "passed" and not self.is_acknowledged


def required_checks(rules: Rules) -> tuple[str, ...]:
    """The checks that must pass; backward compatibility makes the contract one of them."""
    named = {*rules.required_checks, *(["contract"] if rules.compatibility == "backward" else [])}
    return tuple(check for check in CHECKS if check in named)


def listed_checks(looked: CheckInputs, needed: Sequence[str]) -> tuple[str, ...]:
    """The checks that a request has, in their order: those with nothing to look at only where they must be passed."""
    return tuple(name for name in CHECKS if name in needed or not is_void(name, looked))


def is_void(name: str, looked: CheckInputs) -> bool:
    """Whether the check has nothing to look at, and so passes without a verdict."""
    return (name == "evaluation" and not looked.evaluations) or (name == "dependants" and not looked.dependants)


def digests_of(name: str, looked: CheckInputs) -> dict[str, Any]:
    """The digests this check looks at, by what they are of."""
    digests = {part: getattr(looked, part) for part in _LOOKS_AT[name]}
    if not digests.get("fetched"):  # verdicts given before anybody stayed on a version keep their keys
        digests.pop("fetched", None)
    return {part: list(value) if isinstance(value, tuple) else value for part, value in digests.items()}


def key_of(name: str, looked: CheckInputs) -> str:
    """One digest over the check's name and every digest it looks at."""
    seal = canonical({"check": name, "template": looked.template, **digests_of(name, looked)})
    return "sha256:" + hashlib.sha256(seal).hexdigest()


def check_blockers(states: Sequence[Check], author: str) -> list[Blocker]:
    """What required checks keep the request from being published, and what to do about each."""
    found = []
    for state in states:
        if not state.is_blocking:
            continue
        code = f"check:{state.name}"
        if state.outcome is None:
            more = f" {state.summary}" if state.action else ""
            cause = f"The check {state.name} has not finished.{more}"
            found.append(Blocker(code, cause, state.action or "Wait for it: it runs by itself."))
            continue
        action = "Save a version that mends it, and put it into the request."
        if state.name == "contract":
            action += " Or let a reviewer acknowledge the break."
        found.append(Blocker(code, f"The check {state.name} failed: {state.summary}", action, (author,)))
    return found
