"""Formats whose prompts are messages, and exports of other registries, each in its program's own format."""

import pytest

from promptuary.renderer.document.parser import parse_document
from promptuary.renderer.interop.imported import LossError
from promptuary.renderer.interop.reading import read_templates
from tests.renderer.interop.imports import list_differences, read_one, render_messages, render_text

MESSAGES = [{"role": "system", "content": "Be {tone}."}, {"role": "user", "content": "{question}"}]
ASKED = [("system", "Be kind."), ("user", "Why?")]
DATA = {"tone": "kind", "question": "Why?"}


def test_openai_messages():
    assert render_messages(read_one("chat.json", MESSAGES), **DATA) == ASKED


def test_an_openai_request_keeps_model_settings_and_tools():
    tool = {"type": "function", "function": {"name": "look", "parameters": {"type": "object", "properties": {}}}}
    request = {"model": "gpt-4o", "messages": MESSAGES, "temperature": 0.2, "tools": [tool], "stream": True}
    template = read_one("chat.json", request)
    document = parse_document(template.document)
    assert (document.model, document.settings, len(document.tools)) == ("gpt-4o", {"temperature": 0.2}, 1)
    assert render_messages(template, **DATA) == ASKED
    assert "`stream`" in list_differences(template)


def test_an_anthropic_request_has_its_system_text_first():
    request = {"model": "claude", "max_tokens": 10, "system": "Be {tone}.", "messages": [MESSAGES[1]]}
    assert render_messages(read_one("chat.json", request), **DATA) == ASKED


def test_a_responses_request():
    request = {"model": "gpt-4o", "instructions": "Be {tone}.", "input": "{question}"}
    assert render_messages(read_one("chat.json", request), **DATA) == ASKED


def test_an_image_is_an_item_of_its_message():
    content = [
        {"type": "text", "text": "See {x}"},
        {"type": "image_url", "image_url": {"url": "https://a.example/{x}"}},
    ]
    ((_, items),) = render_messages(read_one("chat.json", [{"role": "user", "content": content}]), x="1")
    assert items[0]["text"] == "See 1"
    assert items[1]["image_url"]["url"] == "https://a.example/1"


@pytest.mark.parametrize(
    "message",
    [
        {"role": "user", "content": [{"type": "input_audio", "input_audio": {}}]},
        {"role": "assistant", "content": "x", "audio": {"id": "1"}},
        {"role": "assistant", "content": "x", "tool_calls": [{"id": "1"}]},
        {"role": "narrator", "content": "x"},
    ],
)
def test_messages_without_a_place_here_are_refused(message):
    with pytest.raises(LossError):
        read_one("chat.json", [message])


def test_chatml_leaves_out_its_marks_and_the_empty_turn():
    text = "<|im_start|>system\nBe {tone}.<|im_end|>\n<|im_start|>user\n{question}\n<|im_end|>\n<|im_start|>assistant\n"
    template = read_one("chat.txt", text)
    assert render_messages(template, **DATA) == ASKED
    assert "empty last turn" in list_differences(template)


def test_text_between_chatml_messages_is_refused_with_its_line():
    with pytest.raises(LossError, match="line 2"):
        read_one("chat.txt", "<|im_start|>user\na<|im_end|>lost\n<|im_start|>user\nb<|im_end|>")


def test_a_saved_langchain_prompt():
    saved = {
        "_type": "prompt",
        "input_variables": ["question"],
        "template": "Q: {question} {{}}",
        "template_format": "f-string",
    }
    assert render_text(read_one("p.json", saved), question="Why?") == "Q: Why? {}"
    assert render_text(read_one("p.yaml", "_type: prompt\ntemplate: 'Q: {question}'\n"), question="Why?") == "Q: Why?"


def test_a_langchain_few_shot_prompt_has_its_examples_in_the_text():
    saved = {
        "_type": "few_shot",
        "prefix": "Opposites.",
        "examples": [{"a": "tall", "b": "{short}"}],
        "example_prompt": {"_type": "prompt", "template": "{a} -> {b}"},
        "suffix": "{word} ->",
        "example_separator": "\n",
    }
    assert render_text(read_one("p.json", saved), word="big") == "Opposites.\ntall -> {short}\nbig ->"


def serialised(name, **fields):
    return {"lc": 1, "type": "constructor", "id": ["langchain", "prompts", "chat", name], "kwargs": fields}


def test_a_serialised_chat_prompt_with_a_place_for_messages():
    prompt = serialised("PromptTemplate", template="Be {tone}.", input_variables=["tone"], template_format="f-string")
    value = serialised(
        "ChatPromptTemplate",
        messages=[
            serialised("SystemMessagePromptTemplate", prompt=prompt),
            serialised("MessagesPlaceholder", variable_name="history", optional=True),
            serialised("HumanMessagePromptTemplate", prompt=serialised("PromptTemplate", template="{question}")),
        ],
    )
    history = [{"role": "assistant", "content": "Hm\n- name: x"}]
    template = read_one("p.json", {"manifest": value, "repo": "judge", "owner": "team"})
    assert template.name == "judge"
    rendered = render_messages(template, history=history, **DATA)
    assert rendered == [ASKED[0], ("assistant", "Hm\n- name: x"), ASKED[1]]


def test_promptfoo_tests_are_samples():
    text = """
description: Greets
prompts:
  - 'Greet {{name}} in {{ language | upper }}'
  - label: chat
    raw: '[{"role": "user", "content": "Hello {{name}}"}]'
  - file://other.txt
providers: [openai:gpt-4o]
tests:
  - vars: {name: Ann, language: fr}
    assert: [{type: contains, value: Bonjour}]
"""
    template, chat = read_templates("promptfooconfig.yaml", text.encode())
    assert "prompt 3 is in another file: file://other.txt" in list_differences(template)
    with pytest.raises(LossError, match="prompt 1 is in another file"):
        read_one("promptfooconfig.yaml", {"prompts": ["file://other.txt"], "providers": []})
    assert (chat.name, render_messages(chat, name="Ann")) == ("chat", [("user", "Hello Ann")])
    assert template.samples == {"test 1": {"name": "Ann", "language": "fr"}}
    assert render_text(template, **template.samples["test 1"]) == "Greet Ann in FR"
    assert "assertions" in list_differences(template)


def test_dotprompt():
    text = """---
model: googleai/gemini-2.0-flash
config: {temperature: 0.4, maxOutputTokens: 10}
input:
  schema:
    name: string, who asks
    style?: string
    items(array, what): string
---
{{role "system"}}
Be kind{{#if style}} and {{style}}{{/if}}.
{{role "user"}}
{{#each items}}{{this}} {{/each}}for {{name}}
"""
    template = read_one("greet.prompt", text)
    document = parse_document(template.document)
    assert (document.model, document.settings) == ("gemini-2.0-flash", {"temperature": 0.4, "max_tokens": 10})
    assert document.inputs["items"] == {"type": "array", "items": {"type": "string"}, "description": "what"}
    assert render_messages(template, name="Ann", items=["a", "b"]) == [("system", "Be kind."), ("user", "a b for Ann")]


def test_semantic_kernel_yaml_in_its_own_format():
    text = """
name: Chat
description: Talks
template: |
  {{$history}} at {{time.now}} says {{"a"}}
template_format: semantic-kernel
input_variables:
  - {name: history, description: Before, is_required: false, default: none}
execution_settings:
  default: {temperature: 0.1}
"""
    template = read_one("chat.yaml", text)
    assert render_text(template, time_now="noon") == "none at noon says a\n"
    assert "`{{time.now}}` is the input `time_now`" in list_differences(template)
    assert parse_document(template.document).settings == {"temperature": 0.1}


def test_semantic_kernel_handlebars_messages():
    text = """
name: Chat
template: |
  {{#message role="system"}}Be {{tone}}.{{/message}}
  {{#message role="user"}}{{question}}{{/message}}
template_format: handlebars
"""
    assert render_messages(read_one("chat.yaml", text), **DATA) == ASKED


def test_a_haystack_2_pipeline():
    text = """
components:
  llm: {type: haystack.components.generators.openai.OpenAIGenerator, init_parameters: {model: gpt-4o}}
  prompt_builder:
    type: haystack.components.builders.prompt_builder.PromptBuilder
    init_parameters:
      required_variables: null
      template: "Docs:{% for d in documents %} {{ d.content }}{% endfor %}\\nQ: {{ question }}"
connections: []
"""
    template = read_one("rag.yaml", text)
    assert parse_document(template.document).model == "gpt-4o"
    assert render_text(template, documents=[{"content": "a"}], question="Why?") == "Docs: a\nQ: Why?"
    assert "llm" in list_differences(template)


def test_a_haystack_2_chat_builder():
    messages = [
        {"role": "system", "content": [{"text": "Be {{ tone }}."}]},
        {"_role": "user", "_content": "{{ question }}"},
    ]
    part = {
        "type": "haystack.components.builders.chat_prompt_builder.ChatPromptBuilder",
        "init_parameters": {"template": messages},
    }
    assert render_messages(read_one("rag.json", {"components": {"b": part}}), **DATA) == ASKED


def test_a_haystack_2_pipeline_without_prompts_is_refused():
    with pytest.raises(LossError, match="no PromptBuilder"):
        read_one("rag.json", {"components": {"r": {"type": "haystack.components.retrievers.X", "init_parameters": {}}}})


def test_a_dspy_program():
    value = {
        "signature": {
            "instructions": "Answer shortly.",
            "fields": [
                {"prefix": "Question:", "description": "${question}"},
                {"prefix": "Answer:", "description": "${answer}"},
            ],
        },
        "demos": [{"question": "1+1?", "answer": "2"}],
        "lm": None,
    }
    template = read_one("qa.json", {"predict": value, "metadata": {}})
    expected = [
        ("system", "Answer shortly."),
        ("user", "Question: 1+1?"),
        ("assistant", "Answer: 2"),
        ("user", "Question: Why?"),
    ]
    assert render_messages(template, question="Why?") == expected
    assert "output" in list_differences(template)


def test_banks_messages():
    text = '{% chat role="system" %}Be {{ tone }}.{% endchat %}\n{% chat role="user" %}{{ question }}{% endchat %}\n'
    assert render_messages(read_one("a.jinja", text), **DATA) == ASKED


def test_a_modelfile():
    system = 'SYSTEM """\nBe kind."""\n'
    settings = 'PARAMETER temperature 0.5\nPARAMETER stop "AI:"\n# note\n'
    text = f'FROM llama3.2\n{settings}{system}MESSAGE user Hi\nTEMPLATE """{{{{ .Prompt }}}}"""\n'
    template = read_one("Modelfile", text)
    document = parse_document(template.document)
    assert (document.model, document.settings) == ("llama3.2", {"temperature": 0.5, "stop": ["AI:"]})
    assert render_messages(template, prompt="Why?") == [("system", "\nBe kind."), ("user", "Hi"), ("user", "Why?")]
    assert "TEMPLATE" in list_differences(template)


def test_a_dify_app():
    text = """
kind: app
app: {name: Support, mode: workflow}
workflow:
  graph:
    nodes:
      - id: "1"
        data:
          type: llm
          title: Answer
          model: {name: gpt-4o, completion_params: {temperature: 0.1}}
          prompt_template:
            - {role: system, text: "Be {{#start.tone#}}."}
            - {role: user, text: "{{#sys.query#}} {not a slot}"}
"""
    template = read_one("app.yml", text)
    assert template.name == "support/answer"
    assert render_messages(template, tone="kind", query="Why?") == [ASKED[0], ("user", "Why? {not a slot}")]


def test_promptlayer():
    value = {
        "id": 1,
        "prompt_name": "greet",
        "version": 3,
        "tags": ["hello"],
        "prompt_template": {
            "type": "chat",
            "messages": [
                {"role": "system", "content": [{"type": "text", "text": "Be {tone}."}], "template_format": "f-string"},
                {"role": "user", "content": [{"type": "text", "text": "{question}"}], "template_format": "f-string"},
            ],
        },
        "metadata": {"model": {"provider": "openai", "name": "gpt-4o", "parameters": {"temperature": 0}}},
    }
    assert render_messages(read_one("p.json", value), **DATA) == ASKED


def test_an_lm_eval_task_has_its_description_before_the_question():
    question = 'doc_to_text: "Q: {{question}}\\nA:"\n'
    text = f'task: qa\ndescription: "Answer.\\n\\n"\n{question}process_docs: !function utils.f\n'
    template = read_one("qa.yaml", text)
    assert render_text(template, question="Why?") == "Answer.\n\nQ: Why?\nA:"
    assert "process_docs" in list_differences(template)
    with pytest.raises(LossError, match=r"Python function: !function utils.f"):
        read_one("qa.yaml", "task: qa\ndoc_to_text: !function utils.f\n")


def test_prompts_of_a_yaml_file_of_its_own_form():
    from_yaml = read_templates(
        "agents.yaml",
        b"writer:\n  role: Senior {topic} writer of this place\n  goal: Write about {topic} for us\n  verbose: true\n",
    )
    assert [template.name for template in from_yaml] == ["agents/writer/role", "agents/writer/goal"]
    assert render_text(from_yaml[0], topic="tea") == "Senior tea writer of this place"
    assert "verbose" in list_differences(from_yaml[0])


def test_a_file_of_messages_keeps_its_name_description_and_tags_next_to_the_settings():
    described = {"id": "p1", "name": "Order help", "description": "Helps.", "tags": ["shop"], "temperature": 0.2}
    template = read_one("chat.json", {**described, "messages": MESSAGES})
    document = parse_document(template.document)
    assert (template.name, document.description, list(document.tags)) == ("order-help", "Helps.", ["shop"])
    assert document.settings == {"temperature": 0.2}
    assert "`id` is left out" in list_differences(template)


def test_a_name_without_letters_is_not_taken_for_the_address():
    assert read_one("chat.json", {"name": "???", "messages": MESSAGES}).name == "chat"


def test_a_langchain_prompt_of_an_older_version_has_no_type():
    saved = {"input_variables": ["question"], "output_parser": None, "template": "Q: {question}"}
    template = read_one("p.json", {**saved, "template_format": "f-string"})
    assert template.source_format == "langchain"
    assert render_text(template, question="Why?") == "Q: Why?"


def test_the_only_prompt_of_a_langchain_sequence_is_read_wherever_it_is():
    def made(kind, **kwargs):
        return {"lc": 1, "type": "constructor", "id": ["langchain", kind], "kwargs": kwargs}

    prompt = made("PromptTemplate", template="Q: {question}", template_format="f-string", input_variables=["question"])
    model = {"lc": 1, "type": "not_implemented", "id": ["langchain", "ChatOpenAI"]}
    sequence = made("RunnableSequence", first=made("RunnableParallel", steps={}), middle=[prompt], last=model)
    assert render_text(read_one("p.json", sequence), question="Why?") == "Q: Why?"
    for middle, count in (([], 0), ([prompt, prompt], 2)):
        sequence["kwargs"]["middle"] = middle
        with pytest.raises(LossError, match=f"its sequence has {count} prompts"):
            read_one("p.json", sequence)
