"""The JSON Schema of the front matter, for editors, accepts and refuses the same as the renderer."""

import json

import jsonschema
import pytest

from promptuary.renderer.document.parser import FORMATS, FRONT_MATTER_KEYS, inspect_document
from tests.docs.pages import ROOT

SCHEMA = json.loads((ROOT / "docs/reference/document.schema.json").read_text(encoding="utf-8"))
CHECKER = jsonschema.Draft202012Validator(SCHEMA)
STARTERS = sorted((ROOT / "registry/starter").rglob("*.yml.j2"))
VALUES = ["text", ["a"], [1], {"a": 1}, [{"a": 1}], True, 0, 1, -1, 1.5, None]


def test_the_schema_names_the_keys_and_the_formats_that_the_renderer_knows():
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    assert list(SCHEMA["properties"]) == list(FRONT_MATTER_KEYS)
    assert SCHEMA["properties"]["format"]["enum"] == list(FORMATS)


@pytest.mark.parametrize("path", STARTERS, ids=lambda path: path.name)
def test_the_schema_takes_the_front_matter_of_each_starter_template(path):
    document, _ = inspect_document(path.read_text(encoding="utf-8"))
    assert [error.message for error in CHECKER.iter_errors(document.front)] == []


@pytest.mark.parametrize("key", [key for key in FRONT_MATTER_KEYS if key not in ("format", "inputs", "output")])
@pytest.mark.parametrize("value", VALUES, ids=repr)
def test_the_schema_and_the_renderer_agree_on_each_kind_of_value(key, value):
    assert CHECKER.is_valid({key: value}) == (FRONT_MATTER_KEYS[key](value) is None)


def test_the_schema_refuses_an_unknown_key():
    assert not CHECKER.is_valid({"descripton": "a"})
