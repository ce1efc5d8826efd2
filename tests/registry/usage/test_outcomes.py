"""Outcomes: in whatever order they arrive, the totals are those of the last score of each trace."""

import math

import pytest
from django.utils import translation
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from registry.core.errors import Invalid
from registry.templates.models import Version
from registry.usage import outcome_queries, outcomes
from registry.usage.models import Outcome, OutcomeTotal
from registry.usage.outcomes import OutcomeEntry

pytestmark = pytest.mark.dialect

VALUES = st.sampled_from([0.0, 1.0, 0.5, -2.0, 5.0])
TRACES = st.sampled_from(["", "t1", "t2", "t3"])
REPORTS = st.lists(st.lists(st.tuples(VALUES, TRACES), min_size=1, max_size=6), min_size=1, max_size=4)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(REPORTS)
def test_totals_are_those_of_the_last_score_of_each_trace(author, save, reports):
    version = Version.objects.first() or save("one")
    OutcomeTotal.objects.all().delete()
    Outcome.objects.all().delete()
    for report in reports:
        entries = [
            OutcomeEntry("support/reply", version.digest, "helpful", value, trace_id=trace) for value, trace in report
        ]
        assert outcomes.add_outcomes(actor=author, entries=entries) == []
    pairs = [pair for report in reports for pair in report]
    last_of_trace = {trace: value for value, trace in pairs if trace}
    values = [*(value for value, trace in pairs if not trace), *last_of_trace.values()]
    total = OutcomeTotal.objects.get()
    assert total.count == len(values)
    assert math.isclose(total.total, sum(values), abs_tol=1e-9)
    assert math.isclose(total.squares, sum(value * value for value in values), abs_tol=1e-9)
    assert total.graded == sum(value not in (0, 1) for value in values)


@pytest.mark.parametrize(("name", "value"), [("Bad", 1.0), ("good", math.inf), ("good", math.nan), ("good", 1e7)])
def test_an_invalid_score_is_refused(author, save, name, value):
    version = save("one")
    with pytest.raises(Invalid):
        outcomes.add_outcomes(actor=author, entries=[OutcomeEntry("support/reply", version.digest, name, value)])
    assert not OutcomeTotal.objects.exists()


def test_a_refused_score_is_reported_in_the_language_of_the_page(author, save):
    entry = OutcomeEntry("support/reply", save("one").digest, "good", 1e7)
    with translation.override("de"), pytest.raises(Invalid, match="keine Zahl zwischen"):
        outcomes.add_outcomes(actor=author, entries=[entry])


def test_reading_scores_takes_two_queries(author, save, django_assert_num_queries):
    version = save("one")
    entries = [OutcomeEntry("support/reply", version.digest, f"s{number}", 1.0) for number in range(20)]
    outcomes.add_outcomes(actor=author, entries=entries)
    with django_assert_num_queries(2):
        scores = outcome_queries.read_scores_by_version(version.template)
    assert [score.name for score in scores[1]] == sorted(f"s{number}" for number in range(20))
