"""Plans of a run over dataset rows: which rows, their maximum cost, and refusals."""

import json
from decimal import Decimal

import pytest

from registry.connections import services as connection_services
from registry.core.errors import Conflict, Invalid, NotAllowed, NotFound, TooMany
from registry.evaluations import datasets
from registry.evaluations.models import Run
from registry.namespaces import services as namespace_services
from registry.playground import queries, row_plans, services
from registry.playground.models import PlaygroundRun
from tests.registry.playground.conftest import DRAFT, INPUTS
from tests.support.spending import spend_one_dollar

COLUMN = {"source": "draft", "document": DRAFT, "model": "small"}
QUESTIONS = "support/questions"


def write_rows(count, **values):
    rows = [
        {"id": f"q-{n}", "inputs": {"question": f"Boot {n}?"}, "expected": {"answer": "Yes."}} for n in range(count)
    ]
    return "".join(json.dumps({**row, **values}) + "\n" for row in rows)


@pytest.fixture
def save_rows(author):
    def save(text, name=QUESTIONS):
        return datasets.save_dataset(actor=author, name=name, text=text).dataset

    return save


@pytest.fixture
def plan(author):
    def make(*columns, actor=None, **options):
        fields = {"name": "support/reply", "dataset": QUESTIONS, **options}
        return row_plans.plan_rows(actor=actor or author, columns=columns or (COLUMN,), **fields)

    return make


def test_the_first_twenty_rows_are_planned_with_the_cost_of_all_columns(save_rows, connect, plan, start):
    connect(prompt_price="10", completion_price="1000")
    save_rows(write_rows(25))
    planned = plan(COLUMN, {**COLUMN, "settings": {"max_tokens": 10}})
    assert [row.name for row in planned.rows] == [f"q-{n}" for n in range(20)]
    assert (planned.version, planned.total, planned.calls, planned.currency) == (1, 25, 40, "USD")
    (first,) = start(COLUMN, inputs={"question": "Boot 0?"}).columns.all()
    prompts = 40 * first.rendered_tokens * Decimal(10)
    assert prompts + 20 * (50 + 10) * 1000 <= planned.estimate * 10**6 <= prompts * 2 + 20 * (50 + 10) * 1000
    assert not PlaygroundRun.objects.filter(dataset=QUESTIONS).exists()


def test_random_rows_are_other_rows_in_the_order_of_the_dataset(save_rows, connect, plan):
    connect()
    save_rows(write_rows(200))
    picks = [[row.row.inputs["question"] for row in plan(pick="random").rows] for _ in range(3)]
    numbers = [[int(question.split()[1].rstrip("?")) for question in pick] for pick in picks]
    assert all(len(set(each)) == 20 and each == sorted(each) for each in numbers)
    assert len({tuple(each) for each in numbers}) > 1


def test_a_row_that_lacks_an_input_is_named_and_costs_nothing(save_rows, connect, plan):
    connect()
    save_rows(write_rows(2) + json.dumps({"inputs": {"other": "x"}}) + "\n")
    planned = plan()
    assert [bool(row.problem) for row in planned.rows] == [False, False, True]
    assert planned.rows[2].name == "row 3"
    assert "question" in planned.rows[2].problem
    assert planned.calls == 2


def test_no_row_that_can_be_run_is_refused(save_rows, connect, plan):
    connect()
    save_rows(json.dumps({"id": "odd", "inputs": {"other": "x"}}) + "\n")
    with pytest.raises(Invalid) as caught:
        plan()
    assert "No row of support/questions can be run. In odd: question" in caught.value.fields["dataset"]


@pytest.mark.parametrize(
    ("column", "options", "field"),
    [
        ({**COLUMN, "document": "- name: {{ x"}, {}, "columns.0.document"),
        ({**COLUMN, "model": "unknown"}, {}, "columns.0.model"),
        ({**COLUMN, "source": "9"}, {}, "columns.0.source"),
        (COLUMN, {"pick": "last"}, "pick"),
    ],
)
def test_a_fault_of_a_column_or_a_choice_is_named(save_rows, connect, plan, column, options, field):
    connect()
    save_rows(write_rows(2))
    with pytest.raises(Invalid) as caught:
        plan(column, **options)
    assert list(caught.value.fields) == [field]


def test_a_dataset_of_another_namespace_or_none_is_refused(save_rows, connect, plan, start, author, operator):
    connect()
    namespace_services.create_namespace(actor=operator, name="sales")
    namespace_services.set_role(actor=operator, namespace="sales", username="author", role="author")
    save_rows(write_rows(2), name="sales/questions")
    with pytest.raises(Invalid, match="is of another namespace"):
        plan(dataset="sales/questions")
    with pytest.raises(NotFound):
        plan(dataset="support/none")
    with pytest.raises(Invalid, match="is of another namespace"):
        services.start_playground_run(
            actor=author, name="support/reply", columns=[COLUMN], inputs=INPUTS, dataset="sales/questions"
        )


def test_caps_and_missing_prices_are_reported_before_a_row_is_run(save_rows, connect, plan, admin, author):
    connect(prompt_price=None, completion_price=None)
    save_rows(write_rows(2))
    assert plan().estimate is None
    connection_services.set_caps(actor=admin, namespace="support", person_day="1", namespace_month=None)
    with pytest.raises(Conflict, match="has no price"):
        plan()
    connect(name="dear")
    spend_one_dollar(author.person)
    with pytest.raises(TooMany, match="daily limit of author"):
        plan({**COLUMN, "model": "dear"})


def test_readers_and_outsiders_may_not_plan(save_rows, connect, plan, save, reader, outsider):
    connect()
    save()
    save_rows(write_rows(2))
    with pytest.raises(NotAllowed, match="need the role author"):
        plan(actor=reader)
    with pytest.raises(NotFound):
        plan(actor=outsider)


@pytest.mark.usefixtures("transactional_db")
def test_runs_of_rows_are_in_no_list_of_runs_and_no_evaluation(save_rows, connect, plan, start, author, stream):
    connect()
    save_rows(write_rows(2))
    start(sample="by hand")
    for row in plan().rows:
        run = services.start_playground_run(
            actor=author,
            name="support/reply",
            columns=[COLUMN],
            inputs=row.row.inputs,
            sample=row.name,
            dataset=QUESTIONS,
        )
        assert stream(run)[-1][0] == "done"
    assert [run.sample for run in queries.list_own_runs(author, "support/reply").items] == ["by hand"]
    assert PlaygroundRun.objects.filter(dataset=QUESTIONS).count() == 2
    assert not Run.objects.exists()


def test_runs_of_rows_take_no_place_of_the_others(save_rows, connect, start, author, monkeypatch):
    monkeypatch.setattr(services, "_MAX_ROW_RUNS", 2)
    connect()
    save_rows(write_rows(2))
    kept = start(sample="by hand")
    started = [
        services.start_playground_run(
            actor=author, name="support/reply", columns=[COLUMN], inputs=INPUTS, dataset=QUESTIONS
        ).pk
        for _ in range(3)
    ]
    assert set(PlaygroundRun.objects.values_list("pk", flat=True)) == {kept.pk, *started[1:]}


def test_a_setting_that_the_protocol_does_not_take_is_named_before_rows_are_run(save_rows, connect, plan):
    connect(protocol="anthropic")
    save_rows(write_rows(2))
    with pytest.raises(Invalid) as caught:
        plan(COLUMN, {**COLUMN, "settings": {"seed": 7}})
    assert list(caught.value.fields) == ["columns.1.settings"]
