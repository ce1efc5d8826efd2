"""The OpenAPI schema is served, complete, and matches the API's responses."""

import json
import re
from pathlib import Path

import jsonschema
import pytest
from django.core.management import call_command
from drf_spectacular.generators import SchemaGenerator

from registry.changes import decisions
from registry.evaluations import datasets
from registry.rest.operation_summaries import SUMMARIES
from tests.api.conftest import DOCUMENT, OTHER, REPLY, SAMPLES, Caller
from tests.api.test_permissions import TABLE

ROOT = Path(__file__).parents[2]


@pytest.fixture
def schema(db):
    return Caller().get("schema").json()


def test_the_schema_is_openapi_3_1_with_both_ways_to_sign_in(schema):
    assert schema["openapi"] == "3.1.0"
    assert set(schema["components"]["securitySchemes"]) == {"key", "cookieAuth"}


def test_every_address_is_in_the_schema(schema):
    count = sum(len(methods) for methods in schema["paths"].values())
    assert count == len(TABLE) - 3  # all but the schema, its page and the unknown


def test_each_operation_has_a_short_summary_of_its_own(schema):
    operations = [operation for methods in schema["paths"].values() for operation in methods.values()]
    summaries = [operation.get("summary", "") for operation in operations]
    missing = [operation["operationId"] for operation in operations if not operation.get("summary")]
    assert missing == [], "add them to registry/rest/operation_summaries.py"
    assert [text for text in summaries if len(text) > 60 or text.endswith(".") or not text[0].isupper()] == []
    assert len(set(summaries)) == len(summaries)
    assert {operation["operationId"] for operation in operations} == set(SUMMARIES)


def test_the_page_shows_every_operation_and_loads_nothing_from_elsewhere(schema):
    page = Caller().get("docs").content.decode()
    assert all(path in page for path in schema["paths"])
    without_nonces = re.sub(r'nonce="[^"]*"', "", page)  # they are Base64, in which // may occur
    assert "//" not in without_nonces
    assert page.count("<section>") == sum(len(methods) for methods in schema["paths"].values())


def test_the_schema_in_the_docs_is_the_one_that_is_served(db, tmp_path):
    call_command("spectacular", "--validate", "--format", "openapi-json", "--file", str(tmp_path / "schema.json"))
    fresh = json.loads((tmp_path / "schema.json").read_text())
    assert fresh == json.loads((ROOT / "docs/openapi/v1.json").read_text()), "run `make schema`"
    assert fresh == Caller().get("schema").json()


def test_the_schema_is_built_once_by_a_process(db, monkeypatch):
    first = Caller().get("schema").content
    monkeypatch.setattr(SchemaGenerator, "get_schema", lambda *_, **__: pytest.fail("it is built again"))
    assert Caller().get("schema").content == first
    assert Caller().get("docs").status_code == 200


def test_errors_are_declared_with_the_media_type_that_they_are_served_with(schema):
    for path, methods in schema["paths"].items():
        refused = Caller().get(re.sub(r"{\w+}", "1", path).removeprefix("/api/v1/"))
        kind = refused.headers["Content-Type"]
        assert (refused.status_code >= 400) == (kind == "application/problem+json"), path
        for operation in methods.values():
            assert [*operation["responses"]["4XX"]["content"]] == ["application/problem+json"], path


def test_parameters_that_are_needed_are_declared_as_required(cast, caller, schema):
    datasets.save_dataset(
        actor=cast.actor("author"), name="support/refunds/rows", text='{"inputs": {"question": "Why?"}}'
    )
    for path in ("datasets/support/refunds/rows/-/diff", "attachments", "models"):
        refused = caller("reader").get(path)
        declared = schema["paths"][f"/api/v1/{path.replace('support/refunds/rows', '{name}')}"]["get"]["parameters"]
        required = {parameter["name"] for parameter in declared if parameter.get("required")} - {"name"}
        assert refused.status_code in (400, 422)
        assert required
        assert required <= set(refused.json()["fields"]), refused.json()


def test_the_schema_names_the_server_that_serves_it(schema):
    assert [server["url"] for server in schema["servers"]] == ["/"]


def _check(schema, response, component):
    assert response.status_code < 300, response.content
    jsonschema.validate(
        response.json(), {"$ref": f"#/components/schemas/{component}", "components": schema["components"]}
    )


def test_answers_have_the_form_that_the_schema_gives(cast, caller, schema):
    author = caller("author")
    saved = author.put(f"templates/{REPLY}", {"document": DOCUMENT, "message": "", "samples": SAMPLES})
    _check(schema, saved, "SavedOutput")
    cast.save(OTHER, base=saved.json()["digest"])
    _check(schema, author.get("templates"), "TemplatePage")
    _check(schema, author.get(f"templates/{REPLY}"), "TemplateOutput")
    _check(schema, author.get(f"templates/{REPLY}@1"), "FetchOutput")
    _check(schema, author.post("fetch", {"refs": [f"{REPLY}@1", f"{REPLY}@9"]}), "FetchedList")
    _check(schema, author.get(f"templates/{REPLY}/-/versions"), "HistoryPage")
    _check(schema, author.get(f"templates/{REPLY}/-/samples"), "SamplesOutput")
    _check(schema, author.put(f"templates/{REPLY}/-/labels/staging", {"version": 1, "expected": None}), "LabelOutput")
    _check(schema, author.get(f"templates/{REPLY}/-/labels/staging/history"), "LabelMovePage")
    _check(schema, author.get(f"templates/{REPLY}/-/dependants"), "DependantList")
    _check(schema, author.post("check", {"document": DOCUMENT.replace("{{", "{{ x")}), "CheckOutput")
    _check(schema, author.post("render", {"document": DOCUMENT, "data": SAMPLES["short"]}), "RenderOutput")


def test_change_requests_have_the_form_that_the_schema_gives(cast, caller, schema):
    digest = cast.save().version.digest
    cast.propose(1)
    decisions.decide_on_change(actor=cast.actor("reviewer"), number=1, decision="comment", digest=digest, text="Hm")
    _check(schema, caller("reader").get("changes/1"), "ChangeOutput")
    _check(schema, caller("reader").get("changes"), "ChangePage")
    thread = caller("author").post("changes/1/threads", {"version": 1, "line": 1, "text": "Why?"})
    _check(schema, thread, "ThreadOutput")
    _check(schema, caller("reader").get("changes/1/threads"), "ThreadList")
    _check(schema, caller("reader").get("changes/1/merge"), "MergeOutput")
