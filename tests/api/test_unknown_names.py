"""At most ten unknown names are reported, wherever they occur and however many a body contains."""

import pytest

from promptuary.renderer.document import parser
from promptuary.renderer.syntax import suggestions

MANY = {f"unknown{number}": number for number in range(20_000)}


@pytest.mark.parametrize("body", [MANY, {"document": "x", **MANY}, {"x" * 1_000_000: 1}])
def test_unknown_fields_are_named_ten_at_most(caller, body):
    answer = caller("author").post("check", body)
    assert answer.status_code == 400
    assert len(answer.content) < 20_000
    fields = answer.json()["fields"]
    assert sum(name.startswith("unknown") for name in fields) in (0, 10)
    if "unknown0" in body:
        assert "19,990 more unknown fields." in answer.json()["detail"]
    else:
        assert any(name.endswith("x…") for name in fields)


def test_unknown_parameters_are_named_ten_at_most(caller):
    query = "&".join(f"unknown{number}=1" for number in range(500))
    answer = caller("author").get(f"templates?{query}")
    assert answer.status_code == 400
    assert "490 more unknown parameters." in answer.json()["detail"]
    assert len(answer.content) < 20_000


def test_unknown_keys_of_front_matter_are_named_ten_at_most():
    lines = "".join(f"unknown{number}: 1\n" for number in range(5000))
    _, problems = parser.inspect_document(f"---\n{lines}---\nbody\n")
    assert [problem.code for problem in problems] == ["PT104"] * 11
    assert problems[-1].message == "4,990 more are not keys of the front matter"


def test_a_few_names_are_all_listed_and_long_ones_cut():
    assert suggestions.list_names(["a", "b"]) == "a, b"
    assert suggestions.list_names([str(number) for number in range(12)]) == "0, 1, 2, 3, 4, 5, 6, 7, 8, 9 and 2 more"
    assert len(suggestions.list_names(["x" * 1000])) < 100
    assert suggestions.find_likely_name("x" * 100_000, ["x" * 99_999]) is None
