"""An improvement from the first call to the draft: requested, measured against the run, taken or dismissed."""

import pytest

from registry.connections.models import Spending
from registry.evaluations import run_queries
from registry.evaluations.models import Run, RunRow
from registry.improvements import figures, queries, services
from registry.improvements.models import KEPT, Improvement
from registry.improvements.serializers import ImprovementDetailOutput
from registry.journal.models import Event
from registry.templates import queries as template_queries
from registry.templates.models import Version
from tests.support.improvement_desk import BETTER, DOCUMENT, NAME, ROWS
from tests.support.improving_model_server import propose


@pytest.fixture
def measured(desk):
    """A measured improvement at its desk."""
    with desk(propose(BETTER)) as place:
        yield place, place.measure(place.start(guidance="Keep it short"))


def test_the_model_is_shown_the_text_the_wish_and_half_of_the_failing_rows_at_most(measured):
    place, improvement = measured
    (messages,) = place.server.asked_prompts
    assert [message["role"] for message in messages] == ["system"] + ["user"] * 7
    assert messages[1]["content"] == f"The template to improve:\n{DOCUMENT}"
    assert messages[-1]["content"] == "The author's guidance: Keep it short"
    assert len(improvement.shown_rows) == 5
    first = improvement.shown_rows[0]
    assert f"Question {first}?" in messages[2]["content"]
    assert f"That may be answer {first}, I believe." in messages[2]["content"]


def test_the_proposal_is_measured_on_the_rows_of_the_run_by_its_model(measured):
    place, improvement = measured
    assert (improvement.stage, improvement.document, improvement.calls) == ("done", BETTER, 1)
    run = improvement.measurement
    assert (run.is_draft, run.total, run.failed, run.rows_digest) == (True, ROWS, 0, place.run.rows_digest)
    assert (run.scores["squad_f1"]["answer"]["score"], run.metrics) == (1.0, place.run.metrics)


def test_figures_are_split_by_rows_that_the_model_saw(measured):
    _, improvement = measured
    found = figures.measure_improvement(improvement)
    assert [(group.group, group.rows, group.better, group.worse) for group in found.groups] == [
        ("unseen", ROWS - 5, ROWS - 5, 0),
        ("seen", 5, 5, 0),
        ("all", ROWS, ROWS, 0),
    ]
    metric = found.of("unseen").metrics[0]
    assert (metric.metric, metric.after, metric.reading) == ("squad_f1", 1.0, "better")
    told = ImprovementDetailOutput.of(improvement)["figures"]
    assert [group["better"] for group in told["groups"]] == [ROWS - 5, 5, ROWS]
    assert 0 < metric.before < 1
    assert metric.comparison.low > 0
    assert [found.is_no_improvement, found.is_only_on_seen, found.has_few_unseen] == [False] * 3


def test_calls_are_counted_for_the_person(measured):
    place, improvement = measured
    assert (improvement.prompt_tokens, improvement.completion_tokens) == (100, 100)
    assert float(improvement.cost) == pytest.approx(0.0003)
    spent = Spending.objects.get(person=place.author.person, model="helper")
    calls = 2 * ROWS + 1
    assert (spent.calls, spent.prompt_tokens, spent.completion_tokens) == (calls, 100 * calls, 10 * 2 * ROWS + 100)


def test_nothing_is_applied_and_nothing_is_in_the_journal(desk):
    with desk(propose(BETTER)) as place:
        events, versions = Event.objects.count(), Version.objects.count()
        place.measure(place.start())
        assert (Event.objects.count(), Version.objects.count()) == (events, versions)
        assert template_queries.list_template_drafts(place.author, NAME) == []


def test_it_becomes_a_draft_made_from_the_version_that_it_was_asked_for(measured, save, author):
    place, improvement = measured
    save("newer", name=NAME)
    draft = services.take_improvement(actor=place.author, number=improvement.number, draft_name="Shorter")
    assert (draft.name, draft.document, draft.base.number) == ("Shorter", BETTER, 1)
    taken = queries.find_own_improvement(author, improvement.number)
    assert (taken.stage, taken.draft_name) == ("taken", "Shorter")


def test_it_is_dismissed_and_stays_to_be_read(measured):
    place, improvement = measured
    services.dismiss_improvement(actor=place.author, number=improvement.number)
    kept = queries.list_own_improvements(place.author, place.run.number).items
    assert [(one.stage, one.document) for one in kept] == [("dismissed", BETTER)]


def test_runs_of_drafts_are_in_no_list_and_no_comparison(measured):
    place, improvement = measured
    assert [run.number for run in run_queries.list_runs(place.author).items] == [place.run.number]
    assert run_queries.list_comparable_runs(place.run) == []
    assert list(Run.objects.values_list("pk", flat=True)) == [place.run.pk]
    assert improvement.measurement.key != place.run.key


def test_a_proposal_that_helps_no_row_is_marked(desk):
    with desk(propose(DOCUMENT.replace("Answer the question.", "Answer the question, please."))) as place:
        improvement = figures.measure_improvement(place.measure(place.start()))
    assert (improvement.is_no_improvement, improvement.is_only_on_seen) == (True, False)
    assert {metric.reading for metric in improvement.of("all").metrics} == {"unclear"}


def test_a_proposal_that_helps_only_rows_seen_by_the_model_is_marked(measured):
    place, improvement = measured
    unseen = RunRow.objects.filter(run=improvement.measurement).exclude(index__in=improvement.shown_rows)
    for row in unseen:
        before = RunRow.objects.get(run=place.run, index=row.index)
        RunRow.objects.filter(pk=row.pk).update(scores_text=before.scores_text)
    found = figures.measure_improvement(improvement)
    assert (found.is_no_improvement, found.is_only_on_seen) == (False, True)


def test_improvements_are_forgotten_after_thirty_days_with_their_runs(measured):
    _, improvement = measured
    assert services.delete_old_improvements() == 0
    Improvement.objects.update(created_at=improvement.created_at - 1.01 * KEPT)
    assert services.delete_old_improvements() == 1
    assert not Run.everything.filter(is_draft=True).exists()
    assert Run.objects.count() == 1
