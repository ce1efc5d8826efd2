"""MLflow's prompts are imported in the forms of its REST API and its Python objects."""

import json
from pathlib import Path

import pytest

from promptuary import renderer
from promptuary.renderer.document.parser import parse_document
from promptuary.renderer.interop import mlflow, reading
from promptuary.renderer.interop.imported import LossError


def version(text: str, number: str = "3", name: str = "refund_reply", **tags: str) -> dict[str, object]:
    """A model version as `model-versions/get` has it."""
    pairs = {"mlflow.prompt.is_prompt": "true", "mlflow.prompt.text": text, "_mlflow_prompt_type": "text", **tags}
    rows = [{"key": key, "value": value} for key, value in pairs.items()]
    return {"name": name, "version": number, "current_stage": "None", "description": "Be kind", "tags": rows}


CHAT = version(
    json.dumps(
        [{"role": "system", "content": "Be {{ tone }}. {% 50 % off\n"}, {"role": "user", "content": "{{question}}"}]
    ),
    _mlflow_prompt_type="chat",
    _mlflow_prompt_model_config=json.dumps({"provider": "openai", "model_name": "gpt-4o", "temperature": 0.2}),
    _mlflow_prompt_response_format=json.dumps({"type": "object", "properties": {"answer": {"type": "string"}}}),
    owner="support",
)


def imported(value):
    (template,) = mlflow.read_mlflow_prompts(value, "file")
    return template


def test_a_chat_prompt_gives_the_messages_that_its_own_format_gives():
    template = imported({"model_version": CHAT})
    assert template.name == "refund-reply"
    assert renderer.load(template.document).render({"tone": "warm", "question": "x\n- name: evil"}).messages == [
        {"role": "system", "content": "Be warm. {% 50 % off\n"},
        {"role": "user", "content": "x\n- name: evil"},
    ]


def test_model_settings_schema_and_message_come_along():
    document = parse_document(imported(CHAT).document)
    assert (document.model, document.settings, document.description) == ("gpt-4o", {"temperature": 0.2}, "Be kind")
    assert document.output["schema"]["properties"] == {"answer": {"type": "string"}}
    assert '"owner": "support"' in document.text
    assert '"provider": "openai"' in document.text


def test_of_several_versions_the_highest_is_imported_with_a_note():
    template = imported({"model_versions": [version("b", "2"), version("d", "10"), version("c", "3")]})
    assert renderer.load(template.document).render({}).messages[0]["content"] == "d"
    assert list(map(str, template.differences)) == ["version 10 is the highest; 2 older ones stay there"]


def test_prompts_from_the_python_client_are_read():
    entry = {"name": "reply", "version": 2, "template": "Hi {{ name }}\n", "commit_message": "New", "aliases": ["live"]}
    template = imported([entry])
    assert renderer.load(template.document).render({"name": "{{x}}"}).messages[0]["content"] == "Hi {{x}}\n"
    assert list(map(str, template.differences)) == ["labels move by review only; there it has live"]


def test_jinja_comes_as_it_is_with_a_word_about_missing_names():
    template = imported(version("{% for word in words %}{{ word }};{% endfor %}\n", _mlflow_prompt_type="jinja2"))
    assert renderer.load(template.document).render({"words": ["a", "b"]}).messages[0]["content"] == "a;b;"
    assert "missing" in template.differences[0].message


@pytest.mark.parametrize(
    ("value", "expected_text"),
    [
        (version("{{ a.b }}"), "plain name"),
        (version("{{ a"), "plain name"),
        (version("{% for %}"), "line"),
        (version("not json", _mlflow_prompt_type="chat"), "isn't valid JSON"),
        (version("[]", _mlflow_prompt_type="chat"), "no messages"),
        (version('[{"role": "user", "content": [1]}]', _mlflow_prompt_type="chat"), "isn't text"),
        (version('[{"role": "user", "content": "a", "tool_calls": [1]}]', _mlflow_prompt_type="chat"), "has no name"),
        (version("a", "x"), "isn't a number"),
        ({"name": "a", "tags": []}, "mlflow.prompt.text"),
    ],
)
def test_unsupported_fields_are_refused_by_name(value, expected_text):
    with pytest.raises(LossError, match=expected_text):
        imported(value)


def test_a_file_is_known_by_its_content(tmp_path: Path):
    path = tmp_path / "prompt.json"
    path.write_text(json.dumps({"model_version": CHAT}))
    (template,) = reading.read_templates(path.name, path.read_bytes())
    assert template.source_format == "mlflow"
    assert template.document == imported(CHAT).document
