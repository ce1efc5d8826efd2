"""The checks of a version in a few words: how many passed, or which failed."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from frontend.web.findings import translate_finding
from frontend.web.wording import check_word
from registry.changes import version_checks
from registry.changes.checks import Check
from registry.evaluations.metric_titles import name_gates
from registry.namespaces.rules import Rules

__all__ = ["CheckSummary", "read_check_summaries", "summarize_checks"]


@dataclass(frozen=True)
class CheckSummary:
    """How many of the checks passed, and the names of the failed ones in words. sentences: the finding of each of
    these, in the language of the page. is_running: whether some haven't finished.
    """

    passed: int
    total: int
    failed: tuple[str, ...]
    sentences: tuple[str, ...]
    is_running: bool


def summarize_checks(checks: Sequence[Check]) -> CheckSummary | None:
    """Summarize the checks; None if there aren't any."""
    if not checks:
        return None
    failed = [check for check in checks if check.outcome == "failed" and not check.is_acknowledged]
    running = sum(check.outcome is None for check in checks)
    return CheckSummary(
        passed=len(checks) - len(failed) - running,
        total=len(checks),
        failed=tuple(check_word(check.name) for check in failed),
        sentences=tuple(name_gates(translate_finding(check.summary)) for check in failed),
        is_running=running > 0,
    )


def read_check_summaries(rules_by_version: Mapping[int, Rules]) -> dict[int, CheckSummary | None]:
    """Summaries of the checks of each version by version id, None for a version without checks; in one query.

    rules_by_version: the rules of each version's namespace.
    """
    checks = version_checks.read_version_checks(rules_by_version, with_missing=False)
    return {pk: summarize_checks(rows) for pk, rows in checks.items()}
