"""Chat programs of guidance: blocks of roles in Handlebars."""

import pytest

from promptuary.renderer.interop.imported import LossError
from promptuary.renderer.interop.pasted import read_pasted_prompt
from promptuary.renderer.interop.reading import detect_format
from promptuary.renderer.interop.source_file import read_source_file
from tests.renderer.interop.imports import list_differences, read_one, render_messages

CHAT = """\
{{#system~}}
You are kind.
{{~/system}}

{{#user~}}
Help with {{topic}}.{{#if tone}} Be {{tone}}.{{/if}}
{{~/user}}

{{#assistant~}}
{{gen 'answer' temperature=0 max_tokens=300}}
{{~/assistant}}
"""


def test_each_block_is_a_message_and_the_last_turn_is_the_reply():
    template = read_one("pasted", CHAT)
    assert template.source_format == "guidance"
    assert render_messages(template, topic="tea", tone="") == [("system", "You are kind."), ("user", "Help with tea.")]
    assert "the last turn is left out" in list_differences(template)
    pasted = read_pasted_prompt(CHAT)
    assert (pasted.kind, pasted.title, pasted.count) == ("messages", "guidance", 2)


def test_an_earlier_reply_of_the_model_becomes_an_input():
    text = "{{#user}}Ask{{/user}}{{#assistant}}{{gen 'plan'}}{{/assistant}}{{#user}}\nAnd now?{{/user}}"
    template = read_one("pasted", text)
    rows = [("user", "Ask"), ("assistant", "A plan"), ("user", "And now?")]
    assert render_messages(template, plan="A plan") == rows
    assert "what the model wrote in an earlier turn is an input" in list_differences(template)
    assert "white space at the edges of a message is left out" in list_differences(template)


@pytest.mark.parametrize(
    "text",
    [
        "{{#system}}Be kind to {{name}}.",
        "Before {{#system}}Be kind.{{/system}}",
        "{{#user}}Dear {{name}}{{/user}} and others, hello",
        "{{#if user}}Dear {{name}}{{/if}}",
    ],
)
def test_other_handlebars_are_not_blocks_of_roles(text):
    assert detect_format(read_source_file("pasted", text.encode())).name != "guidance"


def test_a_text_without_such_blocks_is_refused():
    with pytest.raises(LossError, match="only blocks"):
        read_one("pasted", "Be kind.", "guidance")
