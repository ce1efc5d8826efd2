"""The checks of a version in a few words."""

from django.utils import translation

from frontend.changes.check_summaries import summarize_checks
from registry.changes.checks import Check

FINDING = (
    "requests: squad_exact_match - 0.02: 0.85 against 0.975 (-0.125; 0 rows better, 5 worse), "
    "at most 0.02 less is allowed"
)


def test_findings_are_in_the_language_of_the_page_and_name_the_metric():
    checks = [Check("evaluation", "k", True, "failed", FINDING), Check("samples", "k", True, "passed", "")]
    with translation.override("de"):
        summary = summarize_checks(checks)
    assert (summary.passed, summary.total) == (1, 2)
    (sentence,) = summary.sentences
    assert sentence.startswith("requests: Gleiche Antwort")
    assert "0 Zeilen besser, 5 schlechter" in sentence


def test_there_is_no_summary_without_checks():
    assert summarize_checks([]) is None
