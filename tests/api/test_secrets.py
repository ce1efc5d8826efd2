"""A credential is refused in every text that the journal or the mirror stores, and the response never repeats it."""

import json
from typing import Any

import pytest

from registry.evaluations.dataset_models import DatasetVersion
from registry.journal.models import Event
from tests.api.conftest import DOCUMENT, OTHER, REPLY, problem

KEY = "AKIA" + "QYLPMN5HFIQR7XYA"
TEXT = f"first line\nuse {KEY} for now"
CHANGES, LABELS = "changes/{change}", f"templates/{REPLY}/-/labels"


@pytest.fixture
def change(cast):
    """An open request for version 2, with a thread; staging held version 1 before."""
    first = cast.save().version.digest
    cast.save(OTHER, base=first)
    cast.move("staging", 1)
    cast.move("staging", 2, 1)
    return cast.propose(2)


WRITES: dict[str, tuple[str, str, str, dict[str, Any], str]] = {
    "save message": ("author", "PUT", f"templates/{REPLY}", {"document": DOCUMENT, "message": TEXT}, "message"),
    "change message": (
        "author", "POST", "changes", {"template": REPLY, "label": "production", "version": 1, "message": TEXT},
        "message",
    ),
    "decision": ("author", "POST", CHANGES + "/decisions", {"decision": "comment", "digest": "", "text": TEXT}, "text"),
    "comment": ("author", "POST", CHANGES + "/threads", {"version": 2, "line": 7, "text": TEXT}, "text"),
    "suggestion": ("author", "POST", CHANGES + "/threads", {"version": 2, "line": 7, "suggestion": TEXT}, "suggestion"),
    "withdrawal": ("author", "POST", CHANGES + "/withdraw", {"reason": TEXT}, "reason"),
    "emergency": ("reviewer", "POST", CHANGES + "/emergency", {"reason": TEXT}, "reason"),
    "roll back": ("reviewer", "POST", f"{LABELS}/staging/roll-back", {"version": 1, "reason": TEXT}, "reason"),
    "archive": ("admin", "POST", f"templates/{REPLY}/-/archive", {"reason": TEXT}, "reason"),
    "name of a key": (
        "admin", "POST", "namespaces/support/keys", {"name": f"use {KEY}", "scope": "read", "person": "reader"}, "name",
    ),
    "dataset message": ("author", "PUT", "datasets/support/q", {"text": '{"inputs": {"a": 1}}\n', "message": TEXT},
        "message"),
}  # fmt: skip


@pytest.mark.parametrize("name", WRITES)
def test_it_is_refused_with_the_field_and_the_line(cast, caller, change, stored, name):
    role, method, path, body, field = WRITES[name]
    if "digest" in body:
        body = {**body, "digest": change.version.digest}
    before, asked = stored(), caller(role, session=True)
    headers = {"If_Match": f'"{change.version.digest}"'} if path.startswith("templates") and method == "PUT" else {}
    before = stored()
    details = problem(asked.call(method, path.format(change=change.number), body, **headers), 422, "invalid")
    line = 1 if field == "name" else 2
    assert f"line {line} looks like an AWS access key" in json.dumps(details)
    assert field in json.dumps(details)
    assert KEY not in json.dumps(details)
    assert stored() == before


def test_a_row_of_a_dataset_is_named(cast, caller, stored):
    author = caller("author")
    rows = [{"inputs": {"q": "fine"}}, {"id": "second", "inputs": {"q": {"deep": ["", TEXT]}}, "expected": {"a": KEY}}]
    before = stored()
    details = problem(author.put("datasets/support/q", {"rows": rows}), 422, "invalid")
    assert "row 2 (second).inputs.q.deep[1]" in json.dumps(details)
    assert "row 2 (second).expected.a" in json.dumps(details)
    assert KEY not in json.dumps(details)
    assert (stored(), DatasetVersion.objects.count()) == (before, 0)


def test_a_credential_that_json_or_csv_spells_otherwise_is_found_too(cast, caller):
    author = caller("author")
    spelled = KEY.replace("A", "\\u0041")
    problem(author.put("datasets/support/q", {"text": f'{{"inputs": {{"q": "\\n{spelled}"}}}}\n'}), 422, "invalid")
    problem(author.put("datasets/support/q", {"form": "csv", "text": f"inputs.q\n{KEY}\n"}), 422, "invalid")


def test_personal_data_in_a_dataset_is_a_warning_of_the_answer(cast, caller):
    rows = [{"inputs": {"q": "I am jane.doe@acme.io"}}, {"inputs": {"q": "4111 1111 1111 1111"}}]
    answer = caller("author").put("datasets/support/q", {"rows": rows})
    assert answer.status_code == 201
    first, second = answer.json()["warnings"]
    assert first.startswith("row 1.inputs.q: ")
    assert "e-mail address" in first
    assert "payment card" in second
    assert "jane" not in answer.content.decode()


def test_a_document_and_its_samples_say_the_same_by_the_check(cast, caller):
    document = DOCUMENT.replace("Answer a question", "Ask jane.doe@acme.io")
    answer = caller("author").post("check", {"document": document, "samples": {"s": {"question": "a@acme.io"}}}).json()
    assert [(p["code"], p["severity"], p["sample"]) for p in answer["problems"] if p["code"] == "PT710"] == [
        ("PT710", "warning", "s"),
        ("PT710", "warning", None),
    ]


@pytest.mark.parametrize("place", ["description: Answer a question", "tags: [support]"])
def test_description_and_tags_are_part_of_the_document(cast, caller, place):
    document = DOCUMENT.replace(place, place.replace("support", KEY).replace("Answer", KEY))
    details = problem(caller("author").put(f"templates/{REPLY}", {"document": document, "message": ""}), 422, "invalid")
    assert "PT701" in json.dumps(details)
    assert KEY not in json.dumps(details)


def test_a_placeholder_is_taken(cast, caller):
    answer = caller("author").put(f"templates/{REPLY}", {"document": DOCUMENT, "message": "Drop AKIA… and sk-xxxxxxxx"})
    assert answer.status_code == 201
    assert "AKIA…" in Event.objects.order_by("-number").values_list("text", flat=True)[0]
