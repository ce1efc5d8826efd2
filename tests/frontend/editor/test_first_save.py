"""The first save of a pasted prompt: nothing that is missing stops it, and one click settles what is."""

import json

import pytest

from registry.templates.models import Draft, SampleSet, Version
from tests.frontend.conftest import REPLY, words

NEW = "/t/support/late-parcel/-/edit"
PASTED = """- name: instructions
  role: system
  content: |
    Write to {{ customer.name }} about {% for item in items %}{{ item }}, {% endfor %}promised for {{ day }}.
"""
DECLARED = "---\ninputs:\n  question: {type: string}\n---\n"


@pytest.fixture
def author(desk, browser):
    return browser("author")


@pytest.fixture
def replier(reply, browser):
    return browser("author")


def form(client, do: str, address: str = NEW, **fields):
    return client.post(address, {"document": PASTED, "message": "First version", "base": "", **fields, "do": do})


def script(client, address: str = NEW, **body):
    return client.post(address, {"document": PASTED, "base": "", **body}, content_type="application/json")


def test_a_pasted_prompt_is_saved_although_nothing_is_declared_and_no_value_is_known(author):
    assert "Saved as version 1." in words(form(author, "save"))
    assert Version.objects.get().document == PASTED


def test_the_sample_of_the_start_goes_with_its_inputs(author):
    form(author, "save")
    assert not SampleSet.objects.exists()


def test_the_sample_of_the_start_stays_while_the_text_uses_its_inputs(author):
    form(author, "save", document=DECLARED + "- name: q\n  content: |\n    {{ question }}\n")
    assert SampleSet.objects.get().samples == {"first sample": {"question": "What is a promptuary?"}}


def test_all_undeclared_inputs_are_listed_at_once_with_their_kinds(author):
    page = words(form(author, "preview"))
    assert "3 inputs are used but not declared" in page
    assert "Declare all 3</button>" in page
    assert '<select name="kind.items" aria-label="Kind of items">' in page
    for name, kind in {"customer": "Group", "items": "List of text", "day": "Text"}.items():
        assert f'<span class="chip chip-undeclared">{name}</span>' in page
        assert f"selected>{kind}</option>" in page


def test_declare_all_declares_them_without_a_script_and_keeps_the_draft(author):
    form(author, "declare:")
    draft = Draft.objects.get()
    assert draft.document.endswith(PASTED)
    assert draft.document.startswith(
        "---\ninputs:\n  customer: {type: object, properties: {name: {type: string}}, required: [name]}\n"
        "  items: {type: array, items: {type: string}}\n  day: {type: string}\n---\n"
    )


def test_a_kind_picked_before_declaring_is_the_one_that_is_written(author):
    answer = script(author, do="declare:", **{"kind.day": "number", "required.day": "on", "kind.items": "list"})
    text = answer.json()["document"]
    assert "day: {type: number}" in text
    assert "items: {type: array, items: {type: string}, default: []}" in text


def test_the_preview_shows_a_placeholder_for_each_missing_value(author):
    answer = script(author, NEW + "/preview", samples={}).json()
    assert answer["rendered"] is True
    assert answer["placeholders"] == ["customer.name", "items, first", "items, second", "day"]
    assert answer["preview"].count("chip placeholder") >= 4


def test_inputs_go_from_the_form_with_the_front_matter_that_declared_them(author):
    assert script(author, NEW + "/preview", document=PASTED, samples={}).json()["inputs"] == {}
    assert script(author, NEW + "/preview", document="---\ninputs: [\n---\n", samples={}).json()["inputs"] is None


def test_values_beside_the_preview_become_a_sample_that_is_saved(author):
    form(author, "save", sample="", shown_sample="", data='{"day": "Monday"}')
    assert SampleSet.objects.get().samples == {"first example": {"day": "Monday"}}


def test_values_belong_to_the_sample_that_is_chosen(replier):
    fields = {"document": Version.objects.get(number=2).document, "base": "2", "message": "Ask about gloves"}
    data = '{"question": "Can I return gloves?"}'
    form(replier, "save", f"/t/{REPLY}/-/edit", sample="boots", shown_sample="boots", data=data, **fields)
    newest = SampleSet.objects.order_by("-number").first()
    assert newest.samples["boots"] == {"question": "Can I return gloves?"}
    assert newest.samples["late"]["shop"] == "Harbour Books"


def test_values_shown_for_one_sample_are_not_written_into_another_that_was_picked(replier):
    document = Version.objects.get(number=2).document
    fields = {"document": document, "base": "2", "sample": "late", "shown_sample": "boots"}
    page = words(form(replier, "preview", f"/t/{REPLY}/-/edit", data='{"question": "Gloves?"}', **fields))
    assert "Where is it?" in page


RAW = {
    "plain": "Answer {{ question }} shortly.",
    "with JSON": 'Read {text}. Answer with JSON only:\n{"name": "Ada", "items": [{"sku": "A-1"}]}\n',
    "with a table": "* one\n* two {{ x }}\n| a | b |\n|---|---|\n",
    "with front matter of another system": "---\ntitle: My prompt\n---\n# Role\nYou are {{ role }}.\n",
    "between lines": "---\nYou are brief: always.\n---\nAnd goes on {{ x }}.",
    "with tabs": "\tYou sort\n\t- {{ item }}\n",
    "trimmed at its edges": "{{- a }}\n# Title\n{{ b -}}\n",
    "of a conversation": "<|im_start|>system\nBe brief.<|im_end|>\n<|im_start|>user\n{q}<|im_end|>\n",
}


@pytest.mark.parametrize("text", RAW.values(), ids=RAW)
def test_a_prompt_pasted_in_the_place_of_the_document_becomes_parts_with_one_click(author, text):
    assert "This text has no parts yet" in words(form(author, "preview", document=text))
    answer = script(author, do="parts:", document=text).json()
    assert script(author, do="save", message="First version", document=answer["document"]).json()["saved"]
    assert "no parts" not in words(form(author, "preview", document=answer["document"]))


def test_front_matter_that_is_right_stays_when_a_text_becomes_parts(author):
    form(author, "parts:", document=DECLARED + "Answer {{ question }}: shortly.")
    part = "- name: user 1\n  role: user\n  content: |-\n    Answer {{ question }}: shortly.\n"
    assert Draft.objects.get().document == DECLARED + part


def test_what_a_request_says_beside_its_messages_comes_along(author):
    request = '{"model": "gpt-4o", "temperature": 0.2, "messages": [{"role": "user", "content": "Hi"}]}'
    text = script(author, do="parts:", document=request).json()["document"]
    assert "model: gpt-4o" in text
    assert "temperature: 0.2" in text


def test_a_document_with_a_slip_in_its_parts_is_not_taken_for_a_plain_text(author):
    assert "no parts yet" not in words(form(author, "preview", document="- name: a\n content: b\n"))


def test_a_text_that_no_document_can_hold_is_refused_with_a_sentence(author):
    assert "error" in script(author, do="parts:", document="bad \x00 sign").json()


def _with_new_input() -> str:
    document = Version.objects.get(number=2).document
    return document.replace("inputs:\n", "inputs:\n  order: {type: string}\n") + "    {{ order }}\n"


def test_samples_that_lack_a_value_are_named_in_one_line_with_fixes(replier):
    page = words(form(replier, "preview", f"/t/{REPLY}/-/edit", document=_with_new_input(), base="2"))
    assert "2 samples need a value for <b>order</b>: boots, late." in page
    for value in ("optional:order", "default:order", "remove-sample:boots", "remove-sample:late"):
        assert f'value="{value}"' in page


def _fixed(client, do: str, **body):
    samples = {"boots": {"question": "Boots?"}, "late": {"question": "Late?"}}
    body = {"document": _with_new_input(), "base": "2", "samples": samples, "sample": "boots", **body}
    return script(client, f"/t/{REPLY}/-/edit", do=do, **body).json()


def test_one_click_gives_all_samples_the_value_that_is_shown(replier):
    answer = _fixed(replier, "fill:order", data={"question": "Boots?", "order": "17"})
    assert answer["samples"] == {
        "boots": {"question": "Boots?", "order": "17"},
        "late": {"question": "Late?", "order": "17"},
    }


def test_an_input_is_made_optional_or_gets_a_default(replier):
    assert 'order: {type: string, default: ""}' in _fixed(replier, "optional:order")["document"]
    answer = _fixed(replier, "default:order", **{"default.order": "none"})
    assert "order: {type: string, default: none}" in answer["document"]


def test_a_default_has_to_be_entered_first(replier):
    assert "Enter the default first." in _fixed(replier, "default:order")["error"]


def test_a_sample_is_removed(replier):
    assert list(_fixed(replier, "remove-sample:boots")["samples"]) == ["late"]


def test_a_fix_that_the_source_alone_can_make_is_refused_with_a_sentence(replier):
    block = _with_new_input().replace("order: {type: string}", "order:\n    type: string")
    assert "only the source can change" in _fixed(replier, "optional:order", document=block)["error"]


def test_a_plain_form_keeps_the_samples_of_a_fix_in_the_draft(replier):
    fields = {"document": _with_new_input(), "base": "2", "sample": "boots", "shown_sample": "boots"}
    data = json.dumps({"question": "Boots?", "order": "17"})
    form(replier, "fill:order", f"/t/{REPLY}/-/edit", data=data, **fields)
    assert json.loads(Draft.objects.get().samples)["late"]["order"] == "17"


def test_an_input_is_renamed_in_the_text_and_in_every_sample(replier):
    body = _fixed(replier, "rename:question", new_name="customer_question")
    assert "customer_question: {type: string" in body["document"]
    assert "{{ customer_question }}" in body["document"]
    assert body["samples"]["boots"] == {"customer_question": "Boots?"}
    assert body["status"] == "question is called customer_question now, in the text and in the samples."


def test_a_name_that_is_taken_is_refused(replier):
    assert "There is an input `shop` already" in _fixed(replier, "rename:question", new_name="shop")["error"]
