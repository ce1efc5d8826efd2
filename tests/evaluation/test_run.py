"""evaluation.run: whole and by component, blind, streamed, and the handling of failing rows."""

import pytest

from promptuary.evaluation import (
    Chain,
    ChainError,
    EvaluationError,
    EvaluationResult,
    FunctionRunnable,
    Metric,
    reports,
    run,
)
from promptuary.evaluation.results import Recorder

GOLD = {"boat": "harbour", "bell": "tower"}


def search(query):
    return {"documents": [GOLD.get(query, "nothing")]}


def read(documents, query):
    return {"answer": documents[0] if query != "bell" else "church"}


def question_answering():
    parts = {"search": FunctionRunnable("search", search), "read": FunctionRunnable("read", read)}
    return Chain(parts, {"read.documents": "search.documents"}, name="question answering")


def rows():
    inputs = [{"search": {"query": q}, "read": {"query": q}} for q in ("boat", "bell", "well")]
    expected = [
        {"search": {"documents": ["harbour"]}, "read": {"answer": "harbour"}},
        {"search": {"documents": ["tower"]}, "read": {"answer": "tower"}},
        {"search": {"documents": ["garden"]}, "read": {"answer": "garden"}},
    ]
    return inputs, expected


def test_a_chain_is_scored_whole_and_each_component_by_itself():
    result = run(question_answering(), *rows())
    whole = result.calculate_metrics(Metric.F1, component="read")["read.answer"]
    alone = result.calculate_metrics(Metric.F1, component="read", mode="isolated")["read.answer"]
    assert whole["individual_scores"] == [1.0, 0.0, 0.0]
    assert alone["individual_scores"] == [1.0, 0.0, 1.0]


def test_the_bottleneck_is_the_component_that_loses_most_to_those_before_it():
    first = run(question_answering(), *rows()).bottlenecks(Metric.F1)[0]
    assert first["component"] == "read.answer"
    assert first["difference"] == pytest.approx(-1 / 3)


def test_simulated_outputs_feed_the_components_after_them():
    inputs, expected = rows()
    result = run(question_answering(), inputs, expected, {"search": {"documents": ["harbour"]}})
    alone = result.calculate_metrics(Metric.EXACT_MATCH, component="read", mode="isolated")["read.answer"]
    assert alone["individual_scores"] == [1.0, 0.0, 0.0]


def loud(answer):
    return {"text": answer.upper()}


def three_steps():
    chain = question_answering()
    wires = {"read.documents": "search.documents", "loud.answer": "read.answer"}
    return Chain({**chain.components, "loud": FunctionRunnable("loud", loud)}, wires)


def test_simulated_outputs_flow_to_the_end_of_the_chain():
    inputs = [{"search": {"query": "well"}, "read": {"query": "well"}}]
    expected = [{"read": {"answer": "garden"}, "loud": {"text": "GARDEN"}}]
    result = run(three_steps(), inputs, expected, {"search": {"documents": ["garden"]}})
    row = next(result.rows())
    assert row["simulated"] == {
        "search": {"documents": ["garden"]},
        "read": {"answer": "garden"},
        "loud": {"text": "GARDEN"},
    }
    assert row["actual"]["loud"] == {"text": "NOTHING"}
    scores = {
        mode: result.calculate_metrics(Metric.EXACT_MATCH, component="loud", mode=mode)["loud.text"]["score"]
        for mode in ("integrated", "isolated", "simulated")
    }
    assert scores == {"integrated": 0.0, "isolated": 1.0, "simulated": 1.0}


def test_only_what_comes_after_the_simulated_component_runs_again():
    calls = []

    def counted_search(query):
        calls.append(query)
        return search(query)

    chain = three_steps().replace("search", FunctionRunnable("search", counted_search))
    run(chain, [{"search": {"query": "boat"}, "read": {"query": "boat"}}], (), {"read": {"answer": "quay"}})
    assert calls == ["boat"]


def test_a_failure_after_a_simulated_output_is_recorded_with_its_mode():
    inputs = [{"search": {"query": "boat"}, "read": {"query": "boat"}}]
    row = next(run(three_steps(), inputs, (), {"read": {"answer": 7}}).rows())
    assert [(error["component"], error["mode"]) for error in row["errors"]] == [
        ("loud", "isolated"),
        ("loud", "simulated"),
    ]
    assert row["simulated"]["read"] == {"answer": 7}


def test_an_unknown_simulated_component_is_refused_before_anything_runs():
    inputs, expected = rows()
    with pytest.raises(EvaluationError, match="'reed' isn't a component"):
        run(question_answering(), inputs, expected, {"reed": {"answer": "x"}})


def test_a_blind_run_keeps_outputs_and_scores_nothing():
    result = run(FunctionRunnable("search", search), [{"query": "boat"}])
    assert result.blind
    assert next(result.rows())["actual"] == {"documents": ["harbour"]}
    with pytest.raises(EvaluationError, match="output"):
        result.calculate_metrics(Metric.F1)


def test_a_bare_input_goes_to_the_one_component_that_takes_it():
    chain = Chain({"search": FunctionRunnable("search", search)})
    assert next(run(chain, {"query": "boat"}).rows())["actual"] == {"search": {"documents": ["harbour"]}}


def test_an_input_that_two_components_take_is_refused_before_anything_runs():
    ran = []

    def note(query):
        ran.append(query)

    parts = {name: FunctionRunnable(name, note) for name in ("foo", "bar")}
    with pytest.raises(ChainError, match="foo and bar both take it"):
        run(Chain(parts), [{"query": "x"}])
    assert ran == []


def test_an_input_the_runnable_does_not_take_is_refused_by_name():
    with pytest.raises(EvaluationError, match=r"^row 2: .*takes query, not quary"):
        run(FunctionRunnable("search", search), [{"query": "x"}, {"quary": "y"}])


def test_messages_count_rows_from_1(tmp_path):
    runnable = FunctionRunnable("search", search)
    with pytest.raises(EvaluationError, match=r"^row 1: inputs are a mapping, not str"):
        run(runnable, ["x"])  # type: ignore[list-item]  # the wrong type is what is refused
    with pytest.raises(EvaluationError, match=r"^row 2 has inputs but expected_outputs ended before it"):
        run(runnable, iter([{"query": "x"}, {"query": "y"}]), iter([{"documents": []}]))
    with (
        Recorder({}, blind=True, path=tmp_path / "rows.jsonl") as recorder,
        pytest.raises(EvaluationError, match=r"^row 1 holds a value that isn't JSON"),
    ):
        recorder.add({"actual": object()}, 0)


def test_a_row_that_fails_is_reported_and_the_others_are_scored():
    def divide(number):
        return {"answer": 10 // number}

    result = run(FunctionRunnable("divide", divide), [{"number": n} for n in (5, 0, 2)], [{"answer": "2"}] * 3)
    scores = result.calculate_metrics(Metric.EXACT_MATCH)["answer"]
    assert scores == {"score": 0.5, "individual_scores": [1.0, None, 0.0], "scored": 2, "of": 3}
    assert [(row, error["kind"]) for row, error in result.errors()] == [(1, "ZeroDivisionError")]


def test_rows_stream_in_order_with_any_number_of_workers():
    seen = []
    numbers = ({"number": n} for n in range(200))
    result = run(
        FunctionRunnable("square", lambda number: {"answer": number**2}),
        numbers,
        on_progress=lambda done, total: seen.append((done, total)),
        workers=4,
    )
    assert [row["actual"]["answer"] for row in result.rows()] == [n**2 for n in range(200)]
    assert seen[-1] == (200, None)


def test_a_stream_is_read_a_few_rows_ahead_and_no_more():
    read_ahead = []

    def numbers():
        for n in range(1000):
            read_ahead.append(n)
            yield {"number": n}

    class Enough(Exception):
        pass

    def stop(done, total):
        if done == 10:
            raise Enough

    with pytest.raises(Enough):
        run(FunctionRunnable("same", lambda number: number), numbers(), on_progress=stop, workers=2)
    assert len(read_ahead) < 30


@pytest.mark.parametrize("expected", [[{"answer": "x"}], [{"answer": "x"}] * 3])
def test_expected_outputs_that_are_not_as_many_as_inputs_are_refused(expected):
    runnable = FunctionRunnable("same", lambda text: text)
    with pytest.raises(EvaluationError):
        run(runnable, [{"text": "a"}, {"text": "b"}], expected)
    with pytest.raises(EvaluationError):
        run(runnable, iter([{"text": "a"}, {"text": "b"}]), iter(expected))


def test_a_result_is_one_file_that_loads_equal(tmp_path):
    result = run(question_answering(), *rows())
    result.save(tmp_path / "run.jsonl")
    loaded = EvaluationResult.load(tmp_path / "run.jsonl")
    assert loaded == result
    assert loaded.runnable["definition"]["wiring"] == {"read.documents": "search.documents"}
    assert loaded.calculate_metrics(Metric.F1) == result.calculate_metrics(Metric.F1)


def test_a_file_that_is_not_a_result_is_refused(tmp_path):
    (tmp_path / "other.jsonl").write_text('{"a": 1}\n')
    with pytest.raises(EvaluationError, match="isn't an evaluation result"):
        EvaluationResult.load(tmp_path / "other.jsonl")


def test_a_metric_of_ones_own_takes_the_result():
    result = run(FunctionRunnable("search", search), [{"query": "boat"}])
    metrics: object = result.calculate_metrics(lambda result, unit: {unit: len(result)}, unit="rows")
    assert metrics == {"rows": 1}


def test_metrics_are_saved_as_csv_or_json(tmp_path):
    metrics = run(question_answering(), *rows()).calculate_metrics(Metric.F1, component="read")
    metrics.save(tmp_path / "f1.csv")
    assert (tmp_path / "f1.csv").read_text().splitlines()[2] == "read.answer,0,1.0"
    with pytest.raises(EvaluationError, match="csv or"):
        metrics.save(tmp_path / "f1.txt")


def test_the_numbers_of_a_metric_of_ones_own_are_saved_and_reported(tmp_path):
    result = run(FunctionRunnable("search", search), [{"query": "boat"}])
    counted = result.calculate_metrics(lambda result: {"rows": len(result)})
    counted.save(tmp_path / "rows.csv")
    assert (tmp_path / "rows.csv").read_text().splitlines()[1] == "rows,all,1"
    assert reports.aggregate({"count": counted}) == {"metrics": ["count"], "score": [1], "scored": [None], "of": [None]}
    assert "count" not in reports.detail(result, {"count": counted})


def test_a_target_whose_name_holds_a_comma_stays_one_cell(tmp_path):
    result = run(FunctionRunnable("say", lambda q: {"a, b": "x"}), [{"q": "y"}], [{"a, b": "x"}])
    result.calculate_metrics(Metric.EM).save(tmp_path / "em.csv")
    assert (tmp_path / "em.csv").read_text().splitlines()[1] == '"a, b",all,1.0'
