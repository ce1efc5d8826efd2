"""GET and PUT of datasets, their rows, versions and differences."""

import pytest

from tests.api.conftest import REPLY, problem

PATH = "datasets/support/questions"
ROWS = [
    {"id": "a", "inputs": {"question": "Who?"}, "expected": {"answer": "Ada"}},
    {"id": "b", "inputs": {"question": "Where?"}},
]


def test_rows_are_saved_and_read_back(caller):
    author = caller("author")
    made = author.put(PATH, {"rows": ROWS, "message": "Begin"})
    assert (made.status_code, made.json()["version"], made.json()["count"]) == (201, 1, 2)
    results = author.get(f"{PATH}/-/rows").json()["results"]
    assert results[0] == {"index": 0, **ROWS[0]}
    assert results[1] == {"index": 1, **ROWS[1], "expected": None}


def test_the_same_rows_make_no_version(caller):
    author = caller("author")
    first = author.put(PATH, {"rows": ROWS})
    again = author.put(PATH, {"text": "id,question,expected\na,Who?,Ada\n", "form": "csv"}, If_Match=first["ETag"])
    same = author.put(PATH, {"rows": ROWS[:1]}, If_Match=again["ETag"])
    assert (again.status_code, same.status_code, same.json()["version"]) == (201, 200, 2)


def test_replacing_a_dataset_requires_the_etag_of_its_latest_version(caller):
    author = caller("author")
    first = author.put(PATH, {"rows": ROWS})
    problem(author.put(PATH, {"rows": ROWS[:1]}), 428, "precondition-required")
    author.put(PATH, {"rows": ROWS[:1]}, If_Match=first["ETag"])
    problem(author.put(PATH, {"rows": ROWS[1:]}, If_Match=first["ETag"]), 412, "stale")


def test_a_row_that_does_not_fit_is_named_with_its_path(cast, caller, stored):
    cast.save()
    author, before = caller("author"), stored()
    answer = author.put(PATH, {"rows": [*ROWS, {"inputs": {"question": 3}}], "template": REPLY})
    details = problem(answer, 422, "invalid")
    assert (list(details["fields"]), stored()) == (["row 3.inputs.question"], before)


def test_a_real_call_becomes_a_row_once(caller):
    author = caller("author")
    author.put(PATH, {"rows": ROWS})
    call = {"rows": [{"id": "reply-8213", "inputs": {"question": "When?"}}]}
    added, again = (author.post(f"{PATH}/-/rows", call) for _ in range(2))
    assert (added.status_code, added.json()["version"], added.json()["count"]) == (201, 2, 3)
    assert (again.status_code, again.json()["version"], again["ETag"]) == (200, 2, added["ETag"])
    details = problem(author.post(f"{PATH}/-/rows", {"rows": [{"id": "a", "inputs": {}}]}), 422, "invalid")
    assert list(details["fields"]) == ["rows.0.id"]
    problem(author.post(f"{PATH}/-/rows", {"rows": ["a"]}), 400, "bad-request")


def test_two_versions_are_compared(caller):
    author = caller("author")
    first = author.put(PATH, {"rows": ROWS})
    author.put(PATH, {"rows": [{**ROWS[0], "expected": {"answer": "Eva"}}, {"inputs": {}}]}, If_Match=first["ETag"])
    body = author.get(f"{PATH}/-/diff?from=1").json()
    assert (body["from"], body["to"], body["same"]) == (1, 2, 0)
    assert [row["index"] for row in body["added"] + body["removed"]] == [1, 1]
    assert body["changed"][0]["after"]["expected"] == {"answer": "Eva"}
    assert [row["version"] for row in author.get(f"{PATH}/-/versions").json()["results"]] == [2, 1]


@pytest.mark.parametrize("body", [{}, {"rows": ROWS, "text": ""}, {"rows": [1]}, {"text": "", "form": "xlsx"}])
def test_a_body_of_another_form_is_refused(caller, body):
    problem(caller("author").put(PATH, body), 400, "bad-request")


def test_a_list_shows_names_and_the_latest_version(caller):
    author = caller("author")
    author.put(PATH, {"rows": ROWS})
    results = author.get("datasets?search=quest&namespace=support").json()["results"]
    assert [(row["name"], row["latest"]["count"]) for row in results] == [("support/questions", 2)]


def test_numbers_in_the_query_are_numbers(caller):
    author = caller("author")
    author.put(PATH, {"rows": ROWS})
    problem(author.get(f"{PATH}/-/rows?version=x"), 400, "bad-request")
    problem(author.get(f"{PATH}/-/diff"), 400, "bad-request")
    problem(author.get(f"{PATH}/-/rows?version=7"), 404, "not-found")


def test_a_dataset_may_be_larger_than_other_bodies(caller):
    rows = [{"inputs": {"question": "x" * 10_000}} for _ in range(300)]
    assert caller("author").put(PATH, {"rows": rows}).json()["count"] == 300
