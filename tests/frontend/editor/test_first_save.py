"""The first save of a pasted prompt: nothing missing prevents it, and one click fixes what is missing."""

import json

import pytest

from registry.templates.models import Draft, SampleSet, Version
from tests.frontend.conftest import REPLY, read_html

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
    assert "Saved as version 1." in read_html(form(author, "save"))
    assert Version.objects.get().document == PASTED


def test_after_the_save_nothing_is_left_to_save(author):
    form(author, "save")
    page = read_html(author.get(NEW))
    assert ("Same as v1." in page, "Ready to save." in page) == (True, False)
    changed = read_html(form(author, "preview", base="1", document=f"{PASTED}# more\n"))
    assert "Against v1: <b>1 line</b>" in changed


def test_one_click_fills_what_has_no_value_with_examples(author):
    assert 'value="examples:"' in read_html(form(author, "preview"))
    answer = script(author, do="examples:", samples={"a": {"day": "Monday"}}, sample="a").json()
    values = {"day": "Monday", "customer": {"name": "Example name"}, "items": ["Example items 1", "Example items 2"]}
    assert answer["samples"] == {"a": values}
    assert answer["document"] == PASTED
    assert "value" in script(author, do="examples:", samples={"a": values}, sample="a").json()["error"]


def test_examples_become_the_first_sample_without_a_script(author):
    form(author, "examples:", sample="", shown_sample="", data="{}")
    assert json.loads(Draft.objects.get().samples)["first sample"]["day"] == "Example day"


def test_the_sample_of_the_start_goes_with_its_inputs(author):
    form(author, "save")
    assert not SampleSet.objects.exists()


def test_the_sample_of_the_start_stays_while_the_text_uses_its_inputs(author):
    form(author, "save", document=DECLARED + "- name: q\n  content: |\n    {{ question }}\n")
    assert SampleSet.objects.get().samples == {"first sample": {"question": "What is a promptuary?"}}


def test_all_undeclared_inputs_are_listed_together_with_their_kinds(author):
    page = read_html(form(author, "preview"))
    assert "3 inputs are used but not declared" in page
    assert "Declare all 3</button>" in page
    assert '<select name="kind.items" aria-label="Kind of items">' in page
    for name, kind in {"customer": "Group", "items": "List of text", "day": "Text"}.items():
        assert f'<span class="chip chip-undeclared">{name}</span>' in page
        assert f"selected>{kind}</option>" in page


def test_each_undeclared_input_names_its_part_and_the_line_of_its_first_use(author):
    text = PASTED + '- name: "excerpt {{ place }}"\n  content: |\n    See {{ place }} and {{ page }}.\n'
    page = read_html(form(author, "preview", document=text))
    assert "instructions, line 4" in page
    assert "excerpt, line 5" in page
    assert "excerpt, line 7" in page


def test_a_text_without_parts_names_the_line_alone(author):
    page = read_html(form(author, "preview", document="---\nformat: text\n---\n- name: x\n{{ place }}\n"))
    assert "<td>line 5<" in page


def test_without_a_limit_the_tokens_of_the_template_are_named_and_what_the_inputs_add(author):
    budget = script(author, NEW + "/preview", samples={}).json()["budget"]
    assert "in the template, plus what 3 inputs add" in budget
    assert "No limit is set, so nothing is cut." in budget


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


def test_values_next_to_the_preview_become_a_sample_that_is_saved(author):
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
    page = read_html(form(replier, "preview", f"/t/{REPLY}/-/edit", data='{"question": "Gloves?"}', **fields))
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
    assert "This text has no parts yet" in read_html(form(author, "preview", document=text))
    answer = script(author, do="parts:", document=text).json()
    assert script(author, do="save", message="First version", document=answer["document"]).json()["saved"]
    assert "no parts" not in read_html(form(author, "preview", document=answer["document"]))


def test_front_matter_that_is_right_stays_when_a_text_becomes_parts(author):
    form(author, "parts:", document=DECLARED + "Answer {{ question }}: shortly.")
    part = "- name: user 1\n  role: user\n  content: |-\n    Answer {{ question }}: shortly.\n"
    assert Draft.objects.get().document == DECLARED + part


def test_the_model_and_settings_of_a_pasted_request_are_kept(author):
    request = '{"model": "gpt-4o", "temperature": 0.2, "messages": [{"role": "user", "content": "Hi"}]}'
    text = script(author, do="parts:", document=request).json()["document"]
    assert "model: gpt-4o" in text
    assert "temperature: 0.2" in text


def test_a_document_with_a_slip_in_its_parts_is_not_taken_for_a_plain_text(author):
    assert "no parts yet" not in read_html(form(author, "preview", document="- name: a\n content: b\n"))


def test_a_text_that_no_document_can_hold_is_refused_with_a_sentence(author):
    assert "error" in script(author, do="parts:", document="bad \x00 sign").json()


def _with_new_input() -> str:
    document = Version.objects.get(number=2).document
    return document.replace("inputs:\n", "inputs:\n  order: {type: string}\n") + "    {{ order }}\n"


def test_samples_that_lack_a_value_are_named_in_one_line_with_fixes(replier):
    page = read_html(form(replier, "preview", f"/t/{REPLY}/-/edit", document=_with_new_input(), base="2"))
    assert "2 samples need a value for <b>order</b>: boots, late." in page
    for value in ("optional:order", "default:order", "remove-sample:boots", "remove-sample:late"):
        assert f'value="{value}"' in page


def test_without_scripts_the_fix_for_a_missing_value_leads_to_the_field_of_values(replier):
    fields = {"document": _with_new_input(), "base": "2"}
    page = read_html(form(replier, "preview", f"/t/{REPLY}/-/edit", **fields))
    assert '<a class="button button-small without-build" href="#data">Enter a value</a>' in page
    assert '<textarea id="data" name="data"' in page
    values = json.dumps({"question": "Boots?", "order": "17"})
    filled = form(replier, "preview", f"/t/{REPLY}/-/edit", **fields, data=values, sample="boots", shown_sample="boots")
    assert 'href="#data"' not in read_html(filled)


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


def _with_two_new_inputs() -> str:
    document = Version.objects.get(number=2).document
    inputs = "inputs:\n  order: {type: string}\n  place: {type: string}\n"
    return document.replace("inputs:\n", inputs) + "    {{ order }} {{ place }}\n"


def test_several_inputs_without_a_value_are_one_notice_with_one_set_of_fixes(replier):
    fields = {"document": _with_two_new_inputs(), "base": "2"}
    page = read_html(form(replier, "preview", f"/t/{REPLY}/-/edit", **fields))
    assert "2 inputs have no value in some of 2 samples" in page
    for value in ("optional-all:", "default-all:", "remove-samples:"):
        assert page.count(f'value="{value}"') == 1
    assert 'value="optional:order"' not in page
    values = json.dumps({"question": "Boots?", "order": "17"})
    filled = form(replier, "preview", f"/t/{REPLY}/-/edit", **fields, data=values, sample="boots", shown_sample="boots")
    assert 'value="fill-all:"' in read_html(filled)


def _fixed_all(client, do: str, **body):
    return _fixed(client, do, document=_with_two_new_inputs(), **body)


def test_all_values_that_are_shown_are_used_for_the_other_samples(replier):
    data = {"question": "Boots?", "order": "17", "place": "Bonn"}
    assert _fixed_all(replier, "fill-all:", data=data)["samples"] == {
        "boots": data,
        "late": {**data, "question": "Late?"},
    }
    assert "Enter the values first." in _fixed_all(replier, "fill-all:")["error"]


def test_all_inputs_are_made_optional_and_those_with_a_typed_default_get_it(replier):
    document = _fixed_all(replier, "optional-all:")["document"]
    assert 'order: {type: string, default: ""}' in document
    assert 'place: {type: string, default: ""}' in document
    document = _fixed_all(replier, "default-all:", **{"default.place": "Bonn"})["document"]
    assert "place: {type: string, default: Bonn}" in document
    assert "order: {type: string}" in document
    assert "Enter a default first." in _fixed_all(replier, "default-all:")["error"]


def test_the_samples_that_lack_values_are_removed_together(replier):
    samples = {"boots": {"question": "a"}, "whole": {"question": "a", "order": "1", "place": "x"}, "late": {}}
    assert list(_fixed_all(replier, "remove-samples:", samples=samples)["samples"]) == ["whole"]


def test_it_says_that_a_save_works_only_if_nothing_else_prevents_it(author):
    assert "You can save now." in read_html(form(author, "preview"))
    page = read_html(form(author, "preview", document=PASTED + "- name: other\n  rol: user\n  content: x\n"))
    assert "3 inputs are used but not declared" in page
    assert "You can save now." not in page


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


def test_values_typed_next_to_undeclared_inputs_become_the_first_sample(author):
    typed = {"value.text.day": "Monday", "value.list.items": "boots\r\n\r\ngloves", "shown.text.day": ""}
    page = read_html(form(author, "preview", sample="", shown_sample="", data="{}", **typed))
    assert 'name="value.text.day" data-value="text" aria-label="Value of day for the preview"' in page
    assert 'name="shown.text.day" value="Monday"' in page
    form(author, "save", sample="", shown_sample="", data="{}", **typed)
    assert SampleSet.objects.get().samples == {"first example": {"day": "Monday", "items": ["boots", "gloves"]}}


def test_a_value_control_that_was_not_touched_leaves_the_values_as_they_are(author):
    data = '{"day": "Tuesday", "items": ["boots"]}'
    untouched = {"value.text.day": "Monday", "shown.text.day": "Monday"}
    emptied = {"value.list.items": "", "shown.list.items": "boots"}
    form(author, "save", sample="", shown_sample="", data=data, **untouched, **emptied)
    assert SampleSet.objects.get().samples == {"first example": {"day": "Tuesday"}}


def test_the_script_fills_in_the_values_itself(author):
    answer = script(author, NEW + "/preview", samples={"a": {"day": "Monday"}}, sample="a").json()
    assert 'name="value.text.day"' in answer["notices"]
    assert 'value="Monday"' not in answer["notices"]


def test_samples_without_a_value_get_the_one_that_was_typed_for_all(replier):
    answer = _fixed(replier, "set-all:order", **{"set.order": "17"})
    assert answer["samples"] == {
        "boots": {"question": "Boots?", "order": "17"},
        "late": {"question": "Late?", "order": "17"},
    }
    kept = _fixed(replier, "set-all:question", **{"set.question": "Why?"})
    assert kept["samples"]["boots"]["question"] == "Boots?"


@pytest.mark.parametrize(("subject", "typed"), [("order", " "), ("nobody", "17")])
def test_setting_nothing_or_an_unknown_input_for_all_is_refused(replier, subject, typed):
    assert _fixed(replier, f"set-all:{subject}", **{f"set.{subject}": typed})["error"]


def test_values_of_an_input_that_is_gone_are_removed_from_all_samples(replier):
    samples = {"boots": {"question": "Boots?", "tone": "warm"}, "late": {"question": "Late?"}}
    answer = _fixed(replier, "drop-value:tone", samples=samples)
    assert answer["samples"] == {"boots": {"question": "Boots?"}, "late": {"question": "Late?"}}
    assert answer["status"] == "Removed tone from 1 sample."


def test_several_prompts_are_not_run_together_into_one(author):
    pasted = "prompts:\n  - Tell {{topic}}\n  - Say {{topic}}\nproviders: [openai:gpt-4o]\n"
    page = read_html(form(author, "parts:", document=pasted))
    assert "This text has 2 prompts. Paste it on the page Import" in page
    assert "- Tell {{topic}}" in page


@pytest.mark.parametrize(
    "pasted",
    [
        "Answer as {{'a': <value>}} for {question}.",
        '[{"role": "system", "content": "Be kind."}, {"role": "user", "content": "{{ q }}"}]',
        "{% for key, value in facts.items() %}{{ key }}={{ value }}\n{% endfor %}",
        "{% assign name = user.name %}Hi {{ name }}",
        "models:\n  - type: main\ninstructions:\n  - type: general\n    content: |\n      Be kind.\n",
        "prompts:\n  - task: general\n    content: |-\n      {{ history | user_assistant_sequence }}\n",
        "models:\n  - content: |\n      Be kind.\n  content: {{ x }}\n",
        "- name: Milk\n  price: 3\n- name: Bread\n  price: {{ price }}\n",
        "- name: Ada\n- name: Bob\n",
        "- name: Ada\n  role: engineer\n- name: Bob\n  role: nurse\n",
        "- name: Ada\n  role: user\n  address: Mill Lane 1\n",
        "- role: human\n  content: Hi {name}\n- role: ai\n  content: Hello\n",
        "- name: what they are called\n- content: what they wrote\nAnswer {{ q }}: shortly.\n",
        "---\ndescription: x\n---\n- name: Milk\n  price: 3\n",
        "---\nnav_order: 1\n---\nUse it:\n\n- name: openrouter/x\n  edit_format: diff\n",
    ],
)
def test_a_prompt_in_the_place_of_the_source_has_a_way_on_whatever_keeps_it_from_being_read(author, pasted):
    assert "This text has no parts yet" in read_html(form(author, "preview", document=pasted))
    answer = script(author, document=pasted, do="parts:").json()
    saved = script(author, document=answer["document"], do="save")
    assert saved.json()["saved"], saved.json()


@pytest.mark.parametrize(
    "document",
    [
        "- name: a\n  role: system\n  content: |\n    {{ a b }}\n",
        "- name: a\n  role: system\n",
        "- name: a\n  role: sys\n",
        "- role: sytem\n  name: a\n  content: Be kind.\n",
        "- name: a\n  content: Be kind.\n- name: b\n",
        "- name: a\n  content: Be kind.\n  wight: 3\n",
    ],
)
def test_a_part_that_is_being_written_is_not_a_prompt_without_parts(author, document):
    page = read_html(form(author, "preview", document=document))
    assert "This text has no parts yet" not in page


@pytest.mark.parametrize(
    "pasted",
    [
        "- name: Ada\n  content: Likes tea.\n  weight: 3\n- name: Bob\n  content: Likes {milk}.\n",
        "- name: Ada\n  role: user\n  content: Likes tea.\n  weight: 3\n",
        "- name: Ada\n  content: Likes tea.\n  weight: 3\nAnswer the question {q}.",
        "- name: Ada\n  content: Likes tea.\n  weight: 3\n  weight: 4\n",
        "- name: Ada\n  content: &x Likes tea.\n  weight: *x\n",
    ],
)
def test_a_list_with_a_field_that_no_part_has_can_become_text_with_one_click(author, pasted):
    page = read_html(form(author, "preview", document=pasted))
    assert "This list is read as parts" in page
    assert "Turn the list into text" in page
    document = script(author, document=pasted, do="parts:").json()["document"]
    assert script(author, document=document, do="save", message="First").json()["saved"]
    assert "Likes tea." in document
    assert "weight" in document


def test_a_misspelt_field_of_a_part_has_its_own_fix_and_no_notice(author):
    page = read_html(form(author, "preview", document="- name: a\n  rol: user\n  content: Be kind.\n"))
    assert "read as parts" not in page


def test_messages_in_json_that_have_names_become_parts(author):
    pasted = '[{"role": "system", "name": "guide", "content": "Be kind."}, {"role": "user", "content": "{q}"}]'
    document = script(author, document=pasted, do="parts:").json()["document"]
    assert document.count("- name: ") == 2
    assert "content: |-\n    {{ q }}\n" in document
    assert script(author, document=document, do="save", message="First").json()["saved"]
