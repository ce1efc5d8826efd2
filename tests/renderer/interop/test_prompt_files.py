"""Files with several prompts or requests: JSON Lines, TOML, short texts beside long ones, lists in promptfoo."""

import json

import pytest

from promptuary.renderer.interop.imported import LossError
from promptuary.renderer.interop.reading import read_files, read_templates
from tests.renderer.interop.imports import list_differences, read_one, render_messages, render_text


def test_each_line_of_training_data_is_a_template():
    lines = [
        {"messages": [{"role": "user", "content": "Where is {parcel}?"}, {"role": "assistant", "content": "In Bonn."}]},
        {"messages": [{"role": "user", "content": "Thanks, {name}."}], "tools": []},
    ]
    first, second = read_templates("chats.jsonl", "\n".join(map(json.dumps, lines)).encode())
    assert (first.name, second.name) == ("chats/1", "chats/2")
    assert render_messages(first, parcel="it") == [("user", "Where is it?"), ("assistant", "In Bonn.")]
    assert render_messages(second, name="Ann") == [("user", "Thanks, Ann.")]


def test_texts_of_a_toml_file_are_prompts():
    text = """
[review]
model = "gpt-5"
system = '''You check {{ kind }} texts for this shop.
{%- if strict %} Be strict.{% endif %}'''
user = "Check this text, please: {{ text }}"
"""
    results = read_files({"a/prompts.toml": text.encode(), "a/notes.bin": b"x"})
    (review,) = results[0].templates
    assert "\nmodel: gpt-5\n" in review.document
    assert render_messages(review, kind="short", strict=True, text="Hi") == [
        ("system", "You check short texts for this shop. Be strict."),
        ("user", "Check this text, please: Hi"),
    ]


def test_toml_that_is_not_valid_is_refused():
    with pytest.raises(LossError, match=r"isn't valid TOML: .*line 1"):
        read_one("prompts.toml", "[review\nsystem = 1")


def test_a_short_text_with_a_name_in_braces_is_a_prompt_next_to_others():
    value = {"system": "You are kind to {name} and to others.", "bye": "Say bye to {name} as one does", "colour": "red"}
    kind, bye = read_templates("texts.json", json.dumps(value).encode())
    assert render_text(bye, name="Ann") == "Say bye to Ann as one does"
    assert "left out, as they are not prompts: colour" in list_differences(kind)


def test_a_list_of_messages_in_promptfoo_is_read_and_another_list_named():
    messages = [{"role": "system", "content": "Be {{tone}}."}, {"role": "user", "content": "{{question}}"}]
    template = read_one("promptfooconfig.yaml", {"prompts": [messages, ["x"]], "providers": ["openai:gpt-5"]})
    assert render_messages(template, tone="kind", question="Why?") == [("system", "Be kind."), ("user", "Why?")]
    assert "prompt 2 is left out, because it is neither a text nor messages" in list_differences(template)


def test_a_tmpl_file_of_go_is_read_as_go():
    assert render_text(read_one("a.tmpl", "Hi {{.Name}}{{if .Loud}}!{{end}}"), Name="Ann", Loud=True) == "Hi Ann!"
    assert render_text(read_one("a.tmpl", "Hi {{ name }}{% if loud %}!{% endif %}"), name="Ann", loud=True) == "Hi Ann!"


def test_a_method_call_with_arguments_becomes_an_input():
    template = read_one("a.jinja", 'On {{ day.strftime("%d") }}: {{ words.split(",") | length }} {{ ctx.show("a") }}')
    data = {"day_strftime_d": "May 1", "words": "a,b", "ctx_show_a": "x"}
    assert render_text(template, **data) == "On May 1: 2 x"
    assert "give the text that this expression prints" in list_differences(template)


def test_a_method_of_a_loops_item_with_arguments_is_a_key_of_the_item():
    template = read_one("a.jinja", '{% for day in days %}{{ day.strftime("%d") }}{% endfor %}')
    assert render_text(template, days=[{"strftime_d": "May 1"}, {"strftime_d": "2"}]) == "May 12"


def test_yaml_with_keys_in_a_prompt_file_is_a_collection():
    text = "name: shop\ntemplate: |\n  You answer questions about {{ shop }} in plain words.\ncolour: red\n"
    template = read_one("shop.prompt", text)
    assert template.source_format == "prompt-collection"
    assert render_text(template, shop="boots") == "You answer questions about boots in plain words.\n"
    assert "left out, as they are not prompts: colour" in list_differences(template)


def test_a_text_without_keys_in_a_prompt_file_is_dotprompt():
    for text in (
        "Greet {{name}} and say in plain words what is new.",
        "Task: greet {{name}} and say what is new today.",
    ):
        template = read_one("greet.prompt", text)
        assert template.source_format == "dotprompt"
        assert render_messages(template, name="Ann") == [("user", text.replace("{{name}}", "Ann"))]
