"""Which rows a run failed on, by the thresholds of the evaluations that measure them."""

import json

import pytest

from registry.evaluations import attachments
from registry.evaluations.models import Run, RunRow
from registry.improvements import failing_rows
from tests.support.improvement_desk import DATASET, write_rows
from tests.support.improving_model_server import propose


@pytest.fixture
def run(desk):
    """A run whose three rows have scores of two outputs, answer and reason."""
    with desk(propose(""), rows=write_rows(3)) as place:
        for index, scores in enumerate(((0.9, 0.4), (0.6, 0.9), (1.0, 1.0))):
            named = {f"squad_f1 {output}": score for output, score in zip(("answer", "reason"), scores, strict=True)}
            RunRow.objects.filter(run=place.run, index=index).update(scores_text=json.dumps(named))
        yield Run.objects.get(pk=place.run.pk)


@pytest.fixture
def faults(run, admin):
    """The faults of the run's rows by index, with these thresholds."""

    def find(*gates):
        if gates:
            attachments.attach_evaluation(
                actor=admin,
                namespace="support",
                name="answers",
                pattern="reply",
                dataset=DATASET,
                model="helper",
                gates=list(gates),
            )
        return {row.index: row.faults for row in failing_rows.list_failing_rows(run)}

    return find


def test_a_threshold_of_one_output_is_not_asked_of_the_others(faults):
    assert faults("squad_f1[answer] >= 0.8") == {1: ("squad_f1 answer: 0.6, and 0.8 is asked for",)}


def test_a_threshold_without_an_output_is_asked_of_those_that_have_none_of_their_own(faults):
    assert faults("squad_f1 >= 0.5", "squad_f1[answer] >= 0.8") == {
        0: ("squad_f1 reason: 0.4, and 0.5 is asked for",),
        1: ("squad_f1 answer: 0.6, and 0.8 is asked for",),
    }


def test_without_any_threshold_the_best_is_asked_for(faults):
    assert faults() == {
        0: ("squad_f1 answer: 0.9, and 1 is asked for", "squad_f1 reason: 0.4, and 1 is asked for"),
        1: ("squad_f1 answer: 0.6, and 1 is asked for", "squad_f1 reason: 0.9, and 1 is asked for"),
    }


def test_some_rows_can_be_asked_about_alone(run):
    assert [row.index for row in failing_rows.list_failing_rows(run, [1, 2])] == [1]
