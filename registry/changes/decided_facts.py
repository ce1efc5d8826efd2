"""What a closed request was decided on: its checks and approvals as they were then, with their times.

In the closing event, and in the column `decided` of the request, this is one JSON object:

    {"approvals": [{"person", "at"}], "needed": 1, "checks": [{"name", "key", "outcome", "summary", "required", "acknowledged",
     "at"}], "exemptions": [{"person", "rule", "why"}], absent where there is none}

Times are microseconds since 1970 UTC; `outcome` and `at` are null for a check that was not given.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from registry.changes.checks import Check
from registry.changes.policy import Exemption

__all__ = ["Approval", "Decided", "read_decided"]


@dataclass(frozen=True)
class Approval:
    """One approval that counted, and when it was given (microseconds since 1970 UTC)."""

    person: str
    at: int


@dataclass(frozen=True)
class Decided:
    """Checks and approvals of a closed request."""

    approvals: tuple[Approval, ...]
    needed: int
    checks: tuple[Check, ...]
    exemptions: tuple[Exemption, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """The JSON object, without what the checks found: that stays with the verdict named by the key."""
        found: dict[str, Any] = {
            "approvals": [{"person": one.person, "at": one.at} for one in self.approvals],
            "needed": self.needed,
            "checks": [_write(state) for state in self.checks],
        }
        if self.exemptions:
            found["exemptions"] = [{"person": it.person, "rule": it.rule, "why": it.why} for it in self.exemptions]
        return found


def read_decided(kept: Mapping[str, Any], findings: Mapping[str, Sequence[Mapping[str, object]]]) -> Decided:
    """The value from its JSON object; findings: what the verdicts of these keys found."""
    return Decided(
        tuple(Approval(one["person"], one["at"]) for one in kept["approvals"]),
        kept["needed"],
        tuple(_state(check, findings.get(check["key"], ())) for check in kept["checks"]),
        tuple(Exemption(one["person"], one["rule"], one["why"]) for one in kept.get("exemptions", ())),
    )


def _write(state: Check) -> dict[str, Any]:
    return {
        "name": state.name,
        "key": state.key,
        "outcome": state.outcome,
        "summary": state.summary if state.outcome else "",
        "required": state.is_required,
        "acknowledged": state.is_acknowledged,
        "at": state.at,
    }


def _state(check: Mapping[str, Any], findings: Sequence[Mapping[str, object]]) -> Check:
    return Check(
        name=check["name"],
        key=check["key"],
        is_required=check["required"],
        outcome=check["outcome"],
        summary=check["summary"] or "It was not finished when the request was closed.",
        findings=tuple(findings) if check["at"] is not None else (),  # else the verdict came later
        is_acknowledged=check["acknowledged"],
        at=check["at"],
    )
