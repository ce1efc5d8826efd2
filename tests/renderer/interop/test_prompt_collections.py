"""Prompts in YAML and JSON of no known format: conversations by their keys, what only describes a prompt, and prose
that YAML could read.
"""

import json

import pytest

from promptuary.renderer.interop.pasted import read_pasted_prompt
from promptuary.renderer.interop.reading import read_templates
from tests.renderer.interop.imports import list_differences, read_one, render_messages, render_text

SYSTEM, USER = "You answer for {{shop}} in plain words.", "Question: {{question}}"
TALK = [("system", "You answer for Harbour in plain words."), ("user", "Question: Why?")]


@pytest.mark.parametrize(
    ("system", "user"),
    [
        ("system", "user"),
        ("system_prompt", "user_prompt"),
        ("systemPrompt", "userPrompt"),
        ("system_message", "human_message"),
        ("developer", "user_template"),
    ],
)
def test_texts_under_the_keys_of_a_conversation_are_its_messages(system, user):
    template = read_one("reply.yaml", f"{user}: '{USER}'\n{system}: |\n  {SYSTEM}\n")
    role = "developer" if system == "developer" else "system"
    assert render_messages(template, shop="Harbour", question="Why?") == [(role, TALK[0][1]), TALK[1]]


def test_each_conversation_of_a_file_is_a_template():
    prompts = {
        "short": {"system": SYSTEM, "user": USER},
        "long": {"condition": "x > 3", "system": SYSTEM, "user": USER},
    }
    short, long = read_templates("parse.json", json.dumps({"id": "parse", "prompts": prompts}).encode())
    assert (short.name, long.name) == ("parse/prompts/short", "parse/prompts/long")
    assert render_messages(long, shop="Harbour", question="Why?") == TALK
    assert "left out, as they are not prompts: id, prompts.long.condition" in list_differences(short)


@pytest.mark.parametrize("keys", [("system", "assistant"), ("system", "system_prompt")])
def test_without_a_text_of_the_system_and_one_of_the_user_each_key_is_a_template(keys):
    assert len(read_templates("a.yaml", json.dumps(dict.fromkeys(keys, SYSTEM)).encode())) == 2


def test_a_seed_of_pyrit_is_its_value_and_its_description_and_name_are_taken_over():
    seed = {
        "name": "Plain words",
        "description": "Asks in a way that needs more than four words, and says so for longer than eighty letters do",
        "source": "https://example.org/a/very/long/address/that/is/no/prompt/although/it/has/more/than/eighty/letters",
        "parameters": ["prompt"],
        "data_type": "text",
        "value": "Say {{ prompt }} in plain words.",
    }
    template = read_one("seed.yaml", seed)
    assert (template.name, render_text(template, prompt="it")) == ("plain-words", "Say it in plain words.")
    assert str(seed["description"]) in template.document
    assert "left out, as they are not prompts: source, parameters, data_type" in list_differences(template).replace(
        ".1", ""
    )


def test_a_value_that_no_seed_has_is_a_prompt_by_its_length_only():
    values = {"value": "Say it in plain words.", "prompt": "Answer in plain words, please."}
    assert "left out, as they are not prompts: value" in list_differences(read_one("a.yaml", values))


def test_fields_beside_the_prompt_become_its_model_and_settings():
    template = read_one("a.yaml", {"prompt": "Answer in plain words: {q}", "model": "gpt-4o", "temperature": 0.2})
    assert "\nmodel: gpt-4o\nsettings:\n  temperature: 0.2\n" in template.document
    assert "left out" not in list_differences(template)


PROSE = [
    "Role: You are an editor who writes plain words\nTask: Rewrite the text below in plain words\nText: {text}\n",
    "text: I loved the film, it made me laugh all evening\nlabel: positive\ntext: {text}\nlabel:",
    "• Tools: Ask before you use one of them, in each case and without any exception, please, and wait for an answer\n"
    "• Tone: Kind\n",
    "Sentiment: positive or negative?\nText: I loved the film, it made me laugh all evening\n",
    "prompt: rewrite this text in the plain words of {{ author }}\n",
]


@pytest.mark.parametrize("name", ["pasted", "a.txt"])
@pytest.mark.parametrize("text", PROSE)
def test_prose_in_lines_with_a_label_is_one_text(name, text):
    template = read_one(name, text)
    assert template.source_format == "text"
    expected = text.replace("{text}", "Hi").replace("{{ author }}", "Ann")
    assert render_text(template, text="Hi", author="Ann") == expected


@pytest.mark.parametrize(
    "text",
    [
        f"system: {SYSTEM}\nuser: '{USER}'\n",
        f"prompts:\n  reply: {SYSTEM}\n",
        f"reply_prompt: |\n  {SYSTEM}\n  Be brief.\n",
        f"tone_prompt: >\n  {SYSTEM}\n",
    ],
)
def test_yaml_that_is_not_prose_is_read_where_it_is_pasted(text):
    template = read_one("pasted", text)
    assert template.source_format == "prompt-collection"
    assert render_messages(template, shop="Harbour", question="Why?")[0][1].startswith(TALK[0][1])


def test_a_conversation_in_yaml_that_is_pasted_into_a_part_is_offered_as_parts():
    offer = read_pasted_prompt(f"system: |\n  {SYSTEM}\nuser: '{USER}'\n")
    assert (offer.kind, offer.count, offer.title) == ("messages", 2, "YAML or JSON of prompts")
    assert offer.differences == ("the end of a message's last line is left out, because a part has none",)
    assert read_pasted_prompt(f"reply_prompt: |\n  {SYSTEM.replace('{', '').replace('}', '')}\n  Be brief.") is None


def test_a_single_message_of_an_api_is_a_part():
    template = read_one("pasted", '{"role": "system", "content": "Be kind to {name}."}')
    assert render_messages(template, name="Ann") == [("system", "Be kind to Ann.")]


def test_front_matter_of_an_agent_is_not_part_of_its_text():
    text = "---\nname: code-reviewer\ndescription: Reviews code\ntools: Read, Grep\n---\n\nYou review code.\n"
    template = read_one("pasted", text)
    assert (template.name, render_text(template)) == ("code-reviewer", "\nYou review code.\n")
    assert "description: Reviews code\n" in template.document
    assert "front matter is left out: tools" in list_differences(template)


def test_a_text_between_rules_that_describes_nothing_is_part_of_the_prompt():
    text = "---\nNote: be kind\n---\nSay hello.\n"
    assert render_text(read_one("pasted", text)) == text
