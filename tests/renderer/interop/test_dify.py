"""Dify's apps: the fields of their forms become inputs."""

from promptuary.renderer.document.parser import parse_document
from tests.renderer.interop.imports import list_differences, read_one, render_messages, render_text

SIMPLE = """
kind: app
app: {name: Support, mode: chat}
model_config:
  pre_prompt: "Answer {{question}} for a {{role}} in {{tone}}, {{lines}} lines. {{topic}}"
  model: {name: gpt-4o, completion_params: {temperature: 0.1}}
  user_input_form:
    - paragraph: {variable: question, label: Question, required: true, max_length: 400, default: ""}
    - text-input: {variable: role, label: role, required: false, max_length: 48, default: ""}
    - select: {variable: tone, label: Tone, required: true, options: [formal, warm], default: warm}
    - number: {variable: lines, label: Lines, required: false, default: "3"}
    - select: {variable: topic, label: topic, required: false, options: [shoes, coats]}
    - text-input: {variable: unused, label: Unused, required: true}
"""
FLOW = """
kind: app
app: {name: Flow, mode: workflow}
workflow:
  graph:
    nodes:
      - id: "1711"
        data:
          type: start
          variables:
            - {variable: tone, label: Tone, type: text-input, required: true, max_length: 20}
            - {variable: photo, label: Photo, type: file, required: true}
            - {variable: lines, label: lines, type: number, required: false}
      - id: "1712"
        data:
          type: llm
          title: Answer
          model: {name: gpt-4o}
          prompt_config: {jinja2_variables: [{variable: mood, value_selector: ["1711", tone]}]}
          prompt_template: PROMPT
"""


def test_the_fields_of_a_simple_app_become_inputs_with_what_the_form_demands():
    template = read_one("app.yml", SIMPLE)
    assert parse_document(template.document).inputs == {
        "question": {"description": "Question", "type": "string", "maxLength": 400},
        "role": {"type": "string", "maxLength": 48, "default": ""},
        "tone": {"description": "Tone", "type": "string", "enum": ["formal", "warm"], "default": "warm"},
        "lines": {"description": "Lines", "type": "number", "default": 3},
        "topic": {"type": "string", "enum": ["shoes", "coats", ""], "default": ""},
    }
    assert render_text(template, question="Why?") == "Answer Why? for a  in warm, 3 lines. "
    assert "fields of the form that this prompt does not use are left out: `unused`" in list_differences(template)


def test_the_fields_of_a_workflow_belong_to_its_start_node():
    prompt = '[{role: user, text: "Be {{#1711.tone#}}. {{#1711.photo#}} {{#1711.lines#}} {{#1700.tone#}}"}]'
    template = read_one("app.yml", FLOW.replace("PROMPT", prompt))
    assert parse_document(template.document).inputs == {
        "tone": {"description": "Tone", "type": "string", "maxLength": 20},
        "photo": {"description": "Photo"},
        "lines": {"type": "number"},
        "tone_2": {},
    }
    differences = list_differences(template)
    assert "the field `photo` of the form, of the type file, takes any value" in differences
    assert "the field `lines` of the form is optional there; here a value is required" in differences
    data = {"tone": "kind", "photo": "P", "lines": 2, "tone_2": "T"}
    assert render_messages(template, **data) == [("user", "Be kind. P 2 T")]


def test_a_jinja_prompt_names_its_fields_in_its_own_way():
    prompt = '[{role: user, edition_type: jinja2, jinja2_text: "Be {{ mood }}.", text: ""}]'
    template = read_one("app.yml", FLOW.replace("PROMPT", prompt))
    assert parse_document(template.document).inputs == {
        "mood": {"description": "Tone", "type": "string", "maxLength": 20}
    }
    assert render_messages(template, mood="kind") == [("user", "Be kind.")]
    assert "are left out: `photo`, `lines`" in list_differences(template)


def test_a_default_that_its_own_field_refuses_is_not_taken():
    text = SIMPLE.replace("default: warm", "default: rude").replace('48, default: ""', '4, default: "longer"')
    inputs = parse_document(read_one("app.yml", text).document).inputs
    assert inputs["tone"] == {"description": "Tone", "type": "string", "enum": ["formal", "warm"]}
    assert inputs["role"] == {"type": "string", "maxLength": 4, "default": ""}
