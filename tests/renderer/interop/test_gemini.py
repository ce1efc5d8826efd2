"""Requests and conversations of Gemini's API."""

import pytest

from promptuary.renderer.document.parser import parse_document
from promptuary.renderer.interop.imported import LossError
from tests.renderer.interop.imports import list_differences, read_one, render_messages

REQUEST = {
    "systemInstruction": {"parts": [{"text": "You are {{name}}."}]},
    "contents": [
        {"role": "user", "parts": [{"text": "Hello"}]},
        {"role": "model", "parts": [{"text": "Hi."}]},
        {"parts": [{"text": "{{question}}"}]},
    ],
    "generationConfig": {"temperature": 0.4, "maxOutputTokens": 200, "stopSequences": ["END"]},
    "safetySettings": [{"category": "HARASSMENT", "threshold": "HIGH"}],
}


def test_a_request_keeps_each_content_and_its_configuration():
    template = read_one("gemini.json", REQUEST)
    assert template.source_format == "gemini"
    assert render_messages(template, name="Ada", question="Why?") == [
        ("system", "You are Ada."),
        ("user", "Hello"),
        ("assistant", "Hi."),
        ("user", "Why?"),
    ]
    assert parse_document(template.document).settings == {"max_tokens": 200, "stop": ["END"], "temperature": 0.4}
    assert "safetySettings" in list_differences(template)
    assert "`systemInstruction` is the first part" in list_differences(template)


@pytest.mark.parametrize(
    ("value", "texts"),
    [
        ({"contents": {"parts": {"text": "Say {{x}}"}}}, ["Say 1"]),
        (
            {"system_instruction": {"parts": {"text": "Be brief."}}, "contents": [{"parts": ["{x}"]}]},
            ["Be brief.", "1"],
        ),
        ([{"role": "user", "parts": ["Hello {{x}}"]}, {"role": "model", "parts": ["Hi"]}], ["Hello 1", "Hi"]),
    ],
)
def test_other_spellings_of_the_contents(value, texts):
    assert [text for _, text in render_messages(read_one("gemini.json", value), x="1")] == texts


def test_function_declarations_are_tools_and_other_tools_are_named():
    declaration = {"name": "look", "parameters": {"type": "object", "properties": {}}}
    tools = [{"functionDeclarations": [declaration]}, {"googleSearch": {}}]
    template = read_one("gemini.json", {**REQUEST, "tools": tools})
    assert [tool["function"]["name"] for tool in parse_document(template.document).tools] == ["look"]
    assert "googleSearch" in list_differences(template)


def test_a_part_that_is_not_text_is_refused_with_its_place():
    contents = [{"role": "user", "parts": [{"text": "See"}, {"inlineData": {"mimeType": "audio/mp3", "data": "AA=="}}]}]
    with pytest.raises(LossError, match=r"content 1 has a part that isn't text \(inlineData\)"):
        read_one("gemini.json", {"contents": contents})


def test_calls_of_functions_are_text_and_their_results_parts_of_the_role_tool():
    contents = [
        {"role": "user", "parts": [{"text": "How warm is it in {town}?"}]},
        {"role": "model", "parts": [{"functionCall": {"name": "look", "args": {"town": "Bonn"}}}]},
        {"role": "user", "parts": [{"functionResponse": {"name": "look", "response": {"degrees": 21}}}]},
        {"role": "model", "parts": [{"thought": True, "text": "Easy."}, {"text": "21 degrees."}]},
    ]
    template = read_one("gemini.json", {"contents": contents})
    assert render_messages(template, town="Bonn") == [
        ("user", "How warm is it in Bonn?"),
        ("assistant", '{"name": "look", "arguments": {"town": "Bonn"}}'),
        ("tool", '{"degrees": 21}'),
        ("assistant", "21 degrees."),
    ]
    assert "message 2: its call of `look` is text" in list_differences(template)
    assert "message 4: its reasoning is left out" in list_differences(template)


@pytest.mark.parametrize(
    ("part", "address"),
    [
        ({"inlineData": {"mimeType": "image/png", "data": "iVBORw=="}}, "data:image/png;base64,iVBORw=="),
        ({"file_data": {"mime_type": "image/png", "file_uri": "https://a.example/{x}"}}, "https://a.example/1"),
    ],
)
def test_an_image_is_an_item_of_its_message(part, address):
    ((_, items),) = render_messages(
        read_one("gemini.json", {"contents": [{"parts": [part, {"text": "See {x}"}]}]}), x="1"
    )
    assert items[0]["text"] == "See 1"
    assert items[1]["image_url"]["url"] == address


def test_a_value_without_contents_is_refused_as_gemini():
    with pytest.raises(LossError, match="`contents`"):
        read_one("gemini.json", {"messages": []}, "gemini")
