"""A row with values that JSON can't represent fails alone; the run and all other rows are kept."""

import json
from datetime import date
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from promptuary.evaluation import Chain, EvaluationResult, FunctionRunnable, run
from promptuary.evaluation.json_values import NotJson, copy_plain_values, require_json

LOOP: list[object] = []
LOOP.append(LOOP)
BAD = {
    "date": date(2026, 1, 1),
    "set": {1},
    "bytes": b"x",
    "nan": float("nan"),
    "infinity": float("inf"),
    "decimal": Decimal(1),
    "surrogate": "\ud800",
    "beyond 2^53": 2**60,
    "deep": LOOP,
    "key": {1: "a"},
    "object": object(),
}
PLAIN = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**53), 2**53)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=20,
)


@pytest.mark.parametrize("kind", BAD)
def test_an_output_that_is_not_json_fails_its_row_alone(kind, tmp_path):
    answers = FunctionRunnable("answers", lambda n: {"answer": [BAD[kind]] if n == 2 else str(n)})
    result = run(answers, [{"n": n} for n in range(4)], path=tmp_path / "run.jsonl")
    rows = list(EvaluationResult.load(tmp_path / "run.jsonl").rows())
    assert [row["actual"] for row in rows] == [{"answer": "0"}, {"answer": "1"}, None, {"answer": "3"}]
    ((index, error),) = result.errors()
    assert (index, error["kind"]) == (2, "NotJson")
    assert error["message"].startswith("outputs.answer[0]")


@pytest.mark.parametrize("kind", BAD)
@pytest.mark.parametrize("place", ["inputs", "expected"])
def test_a_row_that_is_given_such_a_value_is_not_run_and_is_recorded(kind, place):
    ran: list[object] = []

    def answer(n):
        ran.append(n)
        return {"answer": "a"}

    answers = FunctionRunnable("answers", answer)
    inputs: list[dict[str, object]] = [{"n": 0}, {"n": BAD[kind] if place == "inputs" else 1}, {"n": 2}]
    expected: list[dict[str, object]] = [
        {"answer": "a"},
        {"answer": BAD[kind] if place == "expected" else "a"},
        {"answer": "a"},
    ]
    result = run(answers, inputs, expected)
    assert ran == [0, 2]
    ((index, error),) = result.errors()
    assert (index, error["mode"]) == (1, place)
    assert len(result) == 3
    assert result.inputs_digest.startswith("sha256:")
    assert result.calculate_metrics("exact_match")["answer"]["score"] is not None


def test_a_component_that_gives_such_a_value_stops_its_row_of_the_chain():
    parts = {
        "search": FunctionRunnable("search", lambda query: {"documents": {1, 2} if query == "bad" else ["x"]}),
        "read": FunctionRunnable("read", lambda documents: {"answer": documents[0]}),
    }
    chain = Chain(parts, {"read.documents": "search.documents"})
    result = run(chain, [{"query": "good"}, {"query": "bad"}])
    rows = list(result.rows())
    assert rows[0]["actual"]["read"] == {"answer": "x"}
    assert rows[1]["actual"] == {}
    assert rows[1]["errors"][0]["message"] == "search.documents is a set, which JSON has no form for"


def test_the_value_itself_is_not_reported():
    with pytest.raises(NotJson) as refused:
        require_json({"card": [b"4111 1111"]}, "inputs")
    assert str(refused.value) == "inputs.card[0] is a bytes, which JSON has no form for"


@given(PLAIN)
def test_plain_values_pass_and_come_back_the_same(value):
    require_json(value, "value")
    assert copy_plain_values(value) == value
    json.loads(json.dumps(value, allow_nan=False))


@given(st.recursive(PLAIN | st.sampled_from([v for k, v in BAD.items() if k != "deep"]), st.lists, max_leaves=6))
def test_a_copy_is_always_plain_json(value):
    require_json(copy_plain_values(value), "copy")
