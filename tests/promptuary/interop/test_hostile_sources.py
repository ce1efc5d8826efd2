"""Any file becomes documents without errors, or is refused with a message."""

import json
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from promptuary import renderer
from promptuary.renderer.interop import foreign_yaml, haystack, langfuse, prompty, python_source
from promptuary.renderer.interop.imported import LossError

WORDS = (
    *("name", "text", "type", "params", "prompt", "components", "output_parser", "func", "inputs", "outputs", "tags"),
    *("config", "model", "api", "configuration", "parameters", "sample", "template", "metadata", "default", "role"),
    *("content", "description", "meta", "version", "pattern", "PromptTemplate", "AnswerParser", "Shaper", "chat", "x"),
)
TEXTS = st.sampled_from(["Ask {query}", "{{name}}", "$query", "a", "", "rename", "string", *WORDS])
LEAVES = st.none() | st.booleans() | st.integers(-3, 3) | st.floats() | TEXTS | st.text(max_size=5)
KEYS = st.sampled_from(WORDS)
VALUES = st.recursive(
    LEAVES, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=5), max_leaves=12
)


def check(found):
    with suppress(LossError):
        for imported in found:
            assert [p for p in renderer.validate(imported.document) if p.severity == "error"] == []


@given(st.fixed_dictionaries({}, optional=dict.fromkeys(WORDS, VALUES)))
def test_any_mapping_is_imported_or_refused(value):
    check(langfuse.read_langfuse_prompts({"name": "x", "prompt": "a", **value}, "file"))
    check(haystack.read_haystack_prompts({"name": "x", "text": "a", **value}, "file"))
    check(haystack.read_haystack_prompts({"params": {"prompt": "a b"}, **value, "type": "PromptTemplate"}, "file"))
    check(haystack.read_haystack_prompts({**value, "components": value.get("components")}, "file"))
    check(prompty.read_prompty_file(f"---\n{foreign_yaml.write_yaml_1_1(value)}---\nuser:\nHi {{{{name}}}}\n", "file"))


@given(st.text(st.sampled_from("{}\\\"'fnx=pab \n")))
def test_any_code_is_imported_or_refused(text):
    check(python_source.read_python_prompt(f'p = f"""{text}"""', "file"))


@pytest.mark.parametrize("text", ["[" * 100_000, '{"a":' * 100_000, "- " * 5000, "a: &a [*a]", "\0", '{"name": NaN}'])
def test_a_hostile_file_is_refused_in_a_sentence(run, tmp_path, text):
    for ending in ("json", "yml", "prompty", "py"):
        (tmp_path / f"x.{ending}").write_text(text)
        for kind in ("content", "haystack", "langfuse", "prompty", "python", "prompt-poet"):
            result = run("import", f"x.{ending}", "--from", kind, "--namespace", "team", "--dry-run")
            assert isinstance(result.exception, SystemExit), (kind, result.exception)
            assert result.exit_code == 1
            assert result.stderr.startswith("nothing is imported.")


def test_numbers_that_json_lacks_are_refused():
    with pytest.raises(LossError):
        list(langfuse.read_langfuse_prompts(json.loads('{"name": "x", "prompt": "a", "config": {"t": NaN}}'), "file"))
