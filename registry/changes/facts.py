"""GateFacts of a change request that the policy evaluates, and the resulting approvals."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from registry.changes.contributor_reasons import Reason
from registry.freezes.windows import StandingFreeze
from registry.namespaces.rules import NamedGroup

__all__ = ["ApprovalStatus", "DecisionFacts", "Exemption", "GateFacts", "GroupApproval"]


@dataclass(frozen=True)
class DecisionFacts:
    """One decision in a request: the person, the decision, its round, and whether the person is a reviewer today.

    `number` is the version that was reviewed.
    """

    person: str
    decision: str
    digest: str
    round: int
    is_reviewer: bool
    number: int = 0


@dataclass(frozen=True)
class GateFacts:
    """The input of the gate. People are usernames; numbers are version numbers. `contributors` are the people whose
    approval does not count, each with the reasons.
    """

    label: str
    path: str
    number: int
    digest: str
    round: int
    opened_by: str
    author: str
    decisions: tuple[DecisionFacts, ...]
    reviewers: tuple[str, ...]
    holds: int | None
    holds_digest: str | None
    descends: bool
    archived: bool
    redacted: bool = False  # the text of the head
    closed: bool = False
    unreviewed: bool = False
    held_by_approval: bool = True  # of what the label holds; used only if that is the head
    superseded: bool = False
    open_threads: int = 0  # used only if the rules require all resolved
    release: int | None = None  # the open release that it is a member of
    freeze: StandingFreeze | None = None
    rollout: tuple[int, int] | None = None  # the active rollout's number, and its request's number
    change: int = 0
    contributors: Mapping[str, tuple[Reason, ...]] = field(default_factory=dict)
    groups: Mapping[str, NamedGroup] = field(default_factory=dict)  # by name; empty if no rule names a group

    def find_group(self, name: str) -> NamedGroup:
        """The group with this name, or an empty one if it does not exist, so that nobody can approve for it."""
        return self.groups.get(name) or NamedGroup(name)


@dataclass(frozen=True)
class ApprovalStatus:
    """The outcome of a request's reviews."""

    approvals: tuple[str, ...]
    objections: tuple[str, ...]
    missing: int
    missing_owners: tuple[str, ...]
    missing_groups: tuple[str, ...] = ()

    @property
    def is_enough(self) -> bool:
        """Whether no further approval is needed."""
        return not (self.objections or self.missing or self.missing_owners or self.missing_groups)


@dataclass(frozen=True)
class Exemption:
    """An approval that counts only because a rule allows it: the person, the rule, and what that person contributed."""

    person: str
    rule: str
    why: str


@dataclass(frozen=True)
class GroupApproval:
    """A group whose approval is required, and the usernames of its members whose approval counts."""

    name: str
    title: str
    people: tuple[str, ...]
