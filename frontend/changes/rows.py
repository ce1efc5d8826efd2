"""Rows of the change request page, built by its presenters: blockers, reviews, candidates, checks, and actions."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from registry.changes.models import Decision
from registry.changes.review_requests import ReviewRequest

__all__ = ["BlockerRow", "CandidateRow", "CheckRow", "PermittedActions", "ReviewRow"]


@dataclass(frozen=True)
class BlockerRow:
    """A blocker with the one link to the reader's next action; no link if the action is to wait or to discuss."""

    icon: str
    cause: str
    action: str
    link: str = ""
    link_word: str = ""


@dataclass(frozen=True)
class ReviewRow:
    """A reviewer's last decision, on this digest or voided by a newer head.

    `why`: the rule by which it counts, or why it doesn't. `review_request`: by whom and when they were asked by name.
    """

    person: str
    word: str
    icon: str
    look: str
    decision: Decision | None
    voided: bool
    why: str = ""
    review_request: ReviewRequest | None = None


@dataclass(frozen=True)
class CandidateRow:
    """A user who can be asked for a review, and why they are suggested, in words; empty for no reason."""

    person: str
    word: str


@dataclass(frozen=True)
class CheckRow:
    """A check with its state in words.

    `findings` of the contract are its changes, breaking ones first. `at`: when it ended, for a closed request.
    """

    name: str
    icon: str
    look: str
    word: str
    summary: str
    required: bool
    acknowledged: bool
    findings: Sequence[Mapping[str, object]]
    at: datetime | None = None


@dataclass(frozen=True)
class PermittedActions:
    """What this reader may do. Each `..._fault` explains why not, in a sentence, unless it is simply up to another
    user.

    approved: the reader's own approval counts for this head. take_back: the reader's decision about this head that can
    be taken back, `approve` or `request_changes`; empty for none.
    """

    approve: bool
    approve_fault: str
    approved: bool
    take_back: str
    comment: bool
    acknowledge: bool
    publish: bool
    schedule: bool
    withdraw: bool
    reopen: bool
    set_version: bool
    emergency: bool
