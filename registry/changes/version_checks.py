"""The check results of versions, whichever change they were run for: what is known before a label moves."""

from collections.abc import Mapping, Sequence

from registry.changes import checks
from registry.changes.checks import Check
from registry.changes.models import Verdict
from registry.journal.event import to_microseconds
from registry.namespaces.rules import CHECKS, Rules

__all__ = ["build_unrun_check", "read_version_checks"]


def read_version_checks(rules_by_version: Mapping[int, Rules], *, with_missing: bool) -> dict[int, Sequence[Check]]:
    """Map each version's id to the newest verdict of each check on it, in the order of all checks, in one query.

    rules_by_version: the rules of each version's namespace. with_missing: also list required checks that were never
    run, without an outcome.
    """
    verdicts: dict[int, dict[str, Verdict]] = {pk: {} for pk in rules_by_version}
    for verdict in Verdict.objects.filter(version__in=verdicts).defer("details").order_by("pk"):
        verdicts[verdict.version_id][verdict.check_name] = verdict
    return {
        pk: _list_checks(version_verdicts, rules_by_version[pk], with_missing)
        for pk, version_verdicts in verdicts.items()
    }


def build_unrun_check(name: str, *, is_required: bool) -> Check:
    """A check without an outcome."""
    return Check(name, "", is_required, None, "It was not run on this version yet.")


def _list_checks(verdicts: Mapping[str, Verdict], rules: Rules, with_missing: bool) -> list[Check]:
    required = checks.list_required_checks(rules)
    listed = (name for name in CHECKS if name in verdicts or (with_missing and name in required))
    return [_read_check(name, verdicts.get(name), name in required) for name in listed]


def _read_check(name: str, verdict: Verdict | None, is_required: bool) -> Check:
    if verdict is None:
        return build_unrun_check(name, is_required=is_required)
    at = to_microseconds(verdict.created_at)
    return Check(name, verdict.key, is_required, verdict.outcome, verdict.summary, at=at)
