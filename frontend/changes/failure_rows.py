"""Rows of live versions that fail their nightly evaluation, with the rollback."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from frontend.changes.emergency_notices import roll_back_url
from registry.evaluations import live_failures
from registry.evaluations.live_models import LiveFailure
from registry.namespaces.permissions import MemberRoles
from registry.namespaces.verbs import Verb

__all__ = ["FailureRow", "build_failure_rows"]


@dataclass(frozen=True)
class FailureRow:
    """A live version that fails. back: the version that was approved for the label before, None if there isn't one or
    the user may not roll back; back_url: the panel that does.
    """

    failure: LiveFailure
    back: int | None = None
    back_url: str = ""


def build_failure_rows(failures: Sequence[LiveFailure], roles: Mapping[int, MemberRoles]) -> list[FailureRow]:
    """The failures with their rollbacks; two queries unless there are none. roles: by namespace id."""
    if not failures:
        return []
    earlier = live_failures.find_earlier_versions(failures)
    return [_build_failure_row(failure, earlier.get(failure.pk), roles) for failure in failures]


def _build_failure_row(failure: LiveFailure, back: int | None, roles: Mapping[int, MemberRoles]) -> FailureRow:
    template = failure.template
    role = roles.get(template.namespace_id)
    may_roll_back = role is not None and role.allows(Verb.ROLL_BACK, template.path)
    if not may_roll_back or back is None:
        return FailureRow(failure)
    return FailureRow(failure, back, roll_back_url(template.name, failure.label, back))
