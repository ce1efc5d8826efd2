"""The playground's JSON for the page: what a run answers, and refusals as problem documents that name the field."""

import json

import pytest

from registry.evaluations import dataset_queries
from registry.playground import services
from registry.playground.models import PlaygroundColumn, PlaygroundRun
from registry.templates import queries as template_queries
from tests.frontend.conftest import DOCUMENT, REPLY
from tests.support.finished_runs import GOLD, save_rows

RUN = f"/t/{REPLY}/-/run"
COLUMN = {"source": "draft", "document": DOCUMENT, "model": "echo"}
INPUTS = {"question": "Can I return boots?"}


@pytest.fixture
def post(reply, browser):
    """Post JSON as the author below a template's runs."""
    client = browser("author")
    return lambda path, body: client.post(f"{RUN}/{path}", json.dumps(body), content_type="application/json")


@pytest.fixture
def column(post):
    """A column with a complete reply."""
    column_id = post("start", {"columns": [COLUMN], "inputs": INPUTS}).json()["columns"][0]["id"]
    PlaygroundColumn.objects.filter(pk=column_id).update(state="done", reply="Within 30 days.")
    return column_id


def test_a_started_run_answers_with_its_columns(post):
    answer = post("start", {"columns": [COLUMN, {"source": "1", "model": "echo"}], "inputs": INPUTS, "sample": "boots"})
    run = answer.json()
    assert (answer.status_code, run["sample"], run["inputs"]) == (201, "boots", INPUTS)
    assert [(column["title"], column["number"], column["state"]) for column in run["columns"]] == [
        ("This draft", None, "ready"),
        ("v1", 1, "ready"),
    ]
    assert answer["Cache-Control"] == "private, no-store"


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"columns": [COLUMN], "inputs": {}}, "inputs.question"),
        ({"columns": [{**COLUMN, "model": "none"}], "inputs": INPUTS}, "columns.0.model"),
        ({"columns": [COLUMN], "inputs": []}, "inputs"),
        ({"columns": "draft", "inputs": INPUTS}, "columns"),
        ({"inputs": INPUTS}, "columns"),
        ({"columns": [COLUMN], "inputs": INPUTS, "sample": 3}, "sample"),
    ],
)
def test_a_refusal_is_a_problem_document_that_names_the_field(post, body, field):
    answer = post("start", body)
    assert (answer.status_code, answer["Content-Type"]) == (422, "application/problem+json")
    assert field in answer.json()["fields"]
    assert not PlaygroundRun.objects.exists()


@pytest.mark.parametrize("body", ["{", "[]", '{"columns": 1, "columns": 2}'])
def test_a_body_that_is_not_an_object_is_refused(reply, browser, body):
    answer = browser("author").post(f"{RUN}/start", body, content_type="application/json")
    assert answer.status_code == 422
    assert answer.json()["detail"]


def test_the_history_holds_the_column_and_its_texts(browser, column):
    history = browser("author").get(f"{RUN}/history").json()
    (run,) = history["runs"]
    assert (run["columns"][0]["text"], history["next"]) == ("Within 30 days.", None)
    assert browser("reviewer").get(f"{RUN}/history").json()["runs"] == []
    assert browser("author").get(f"{RUN}/history?before=nonsense").status_code == 422


def test_the_choices_say_where_models_are_connected(reply, browser):
    choices = browser("admin").get(f"{RUN}/choices").json()
    assert (choices["can_run"], choices["can_connect"], choices["connect_url"]) == (False, True, "/n/support/models")
    assert choices["sources"][0] == {"value": "draft", "title": "This draft", "number": None}


def test_a_new_template_is_tried_at_the_address_that_its_editor_has(reply, browser):
    body = json.dumps({"columns": [COLUMN], "inputs": INPUTS})
    answer = browser("author").post("/t/support/not/yet/-/run/start", body, content_type="application/json")
    assert answer.status_code == 201


def test_a_column_that_was_not_asked_yet_is_stopped_immediately(post):
    column_id = post("start", {"columns": [COLUMN], "inputs": INPUTS}).json()["columns"][0]["id"]
    assert post(f"columns/{column_id}/stop", {}).json()["state"] == "stopped"


def test_a_sample_answers_with_the_drafts_revision(post, column, desk):
    answer = post(f"columns/{column}/sample", {"name": "boots again"}).json()
    draft = template_queries.find_draft(desk.actor("author"), REPLY)
    assert (answer["title"], answer["revision"], answer["url"]) == ("boots again", draft.revision, f"/t/{REPLY}/-/edit")


def test_a_row_answers_with_the_datasets_new_version(post, column, reply):
    save_rows(reply)
    answer = post(f"columns/{column}/row", {"dataset": GOLD, "name": "new", "expected": "Yes."})
    assert (answer.status_code, answer.json()["url"]) == (200, f"/d/{GOLD}?for=support%2Frefunds%2Freply")
    assert answer.json()["title"].endswith(" v2")
    assert post(f"columns/{column}/row", {"dataset": GOLD, "tags": [1]}).json()["fields"] == {
        "tags": "texts separated by commas."
    }


def test_rows_get_tags_and_are_run_by_them(post, column, reply, desk):
    save_rows(reply)
    assert post(f"columns/{column}/row", {"dataset": GOLD, "name": "new", "tags": "late, sale"}).status_code == 200
    version = dataset_queries.read_dataset_version(desk.actor("author"), GOLD)
    assert version.rows()[-1].tags == ("late", "sale")
    plan = post("rows", {"columns": [COLUMN], "dataset": GOLD, "tag": "sale"}).json()
    assert (plan["tags"], [row["name"] for row in plan["rows"]]) == (["late", "sale"], ["new"])
    refused = post("rows", {"columns": [COLUMN], "dataset": GOLD, "tag": "none"}).json()
    assert refused["fields"] == {"tag": f"no row of {GOLD} has the tag none."}


def test_a_row_can_make_a_dataset(post, column):
    answer = post(f"columns/{column}/row", {"new_dataset": "replies", "name": "new", "expected": "Yes."})
    assert (answer.status_code, answer.json()["title"]) == (200, "replies v1")
    again = post(f"columns/{column}/row", {"new_dataset": "replies", "name": "newer", "expected": "No."})
    assert again.json()["fields"] == {"new_dataset": "There is already a dataset called support/replies."}


def test_a_runs_draft_comes_back(post, column, desk):
    run = PlaygroundColumn.objects.get(pk=column).run
    answer = post(f"history/{run.pk}/draft", {}).json()
    assert (answer["document"], answer["url"]) == (DOCUMENT, f"/t/{REPLY}/-/edit")


def test_a_column_is_found_below_its_own_template_only(browser, column):
    answer = browser("author").post(f"/t/support/other/-/run/columns/{column}/stop")
    assert answer.status_code == 404
    run = PlaygroundColumn.objects.get(pk=column).run
    assert browser("author").post(f"/t/support/other/-/run/history/{run.pk}/draft").status_code == 404


def test_the_page_of_the_rules_switches_storing_off(reply, browser, column):
    rules = {"protected_labels": "production", "approvals": "1", "compatibility": "none", "owners": ""}
    browser("admin").post("/n/support/rules", {**rules, "discard_playground_texts": "on"})
    assert browser("author").get(f"{RUN}/choices").json()["is_stored"] is False
    assert browser("author").get(f"{RUN}/history").json()["runs"] == []
    services.delete_old_runs()
    assert not PlaygroundRun.objects.exists()


def test_a_plan_of_rows_answers_with_the_rows_and_their_cost(post, reply):
    save_rows(reply)
    answer = post("rows", {"columns": [COLUMN], "dataset": GOLD})
    plan = answer.json()
    assert (answer.status_code, plan["url"], plan["total"], plan["calls"]) == (200, f"/d/{GOLD}", 6, 6)
    assert plan["rows"][0] == {
        "name": "case-0",
        "inputs": {"question": "Boot 0?"},
        "expected": {"answer": "Boot 0?"},
        "problem": None,
    }
    assert plan["estimate"] is None  # echo has no price
    assert not PlaygroundRun.objects.exists()


@pytest.mark.parametrize(
    ("changes", "status", "field"),
    [
        ({"dataset": ""}, 404, None),
        ({"dataset": 3}, 422, "dataset"),
        ({"dataset": GOLD, "pick": "last"}, 422, "pick"),
        ({"dataset": GOLD, "columns": []}, 422, "columns"),
    ],
)
def test_a_plan_that_is_refused_names_the_field(post, reply, changes, status, field):
    save_rows(reply)
    answer = post("rows", {"columns": [COLUMN], **changes})
    assert answer.status_code == status
    assert field is None or field in answer.json()["fields"]


def test_a_run_of_a_row_stays_out_of_the_history(post, reply, browser):
    save_rows(reply)
    run = post("start", {"columns": [COLUMN], "inputs": INPUTS, "sample": "case-0", "dataset": GOLD})
    assert (run.status_code, run.json()["sample"]) == (201, "case-0")
    assert browser("author").get(f"{RUN}/history").json()["runs"] == []
