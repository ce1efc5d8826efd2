"""Prompts in Python code, read from its syntax tree."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from promptuary.renderer.interop.imported import LossError
from promptuary.renderer.interop.reading import read_templates
from tests.renderer.interop.imports import list_differences, read_one, render_messages, render_text

LONG = "Answer the question from the context only, and say so where it does not hold the answer."


def read_code(code):
    return {template.name: template for template in read_templates("prompts.py", code.encode())}


def test_constants_that_are_filled_by_format():
    code = f'SUMMARY_PROMPT = """{LONG}\n{{{{"a": 1}}}} {{text}}"""\nother = 3\n'
    template = read_one("prompts.py", code)
    assert template.name == "summary-prompt"
    assert render_text(template, text="Tea") == f'{LONG}\n{{"a": 1}} Tea'


def test_sums_of_constants_and_trimmed_texts():
    prompt = f'PROMPT = dedent("""\n    {LONG}\n    """).strip() + RULES\n'
    code = f'from textwrap import dedent\nRULES = "Be kind to {{name}}. "\n{prompt}'
    assert render_text(read_one("prompts.py", code), name="Ann") == f"{LONG}Be kind to Ann. "


def test_attributes_keys_and_functions_are_named_by_their_place():
    code = f'''
PROMPTS = {{"extract": "{LONG} {{text}}"}}
PROMPTS["judge"] = "{LONG} {{answer}}"
class Coder:
    main_system = "{LONG} {{rules}}"
def build(question):
    return f"{LONG} {{question}}"
'''
    assert set(read_code(code)) == {
        "prompts/prompts/extract",
        "prompts/judge",
        "prompts/coder/main-system",
        "prompts/build",
    }


def test_fields_of_an_f_string_that_are_more_than_names_become_inputs():
    prompt = f'    prompt = f"""{LONG} {{question.text}} {{len(documents)}} {{score:.1f}}"""\n'
    code = f"def build(question, documents):\n{prompt}"
    template = read_one("judge.py", code)
    assert render_text(template, question={"text": "Why?"}, len_documents="3", score=0.25).endswith("Why? 3 0.2")
    assert "`{len(documents)}` is the input `len_documents`" in list_differences(template)


def test_an_f_string_outside_of_functions_is_filled_again():
    code = f'FORMAT = "as JSON"\nPROMPT = f"""{LONG} {{FORMAT}} for {{name}} about {{{{topic}}}}"""\n'
    template = read_one("prompts.py", code)
    assert render_text(template, name="Ann", topic="tea") == f"{LONG} as JSON for Ann about tea"


def test_langchain_calls_say_the_language():
    code = f"""
from langchain_core.prompts import ChatPromptTemplate, MessagesPlaceholder, PromptTemplate
SUFFIX = "{LONG}"
A = PromptTemplate.from_template(SUFFIX + " {{{{x}}}} {{y}}")
B = PromptTemplate(template="{{% if y %}}{{{{ y }}}}{{% endif %}} {LONG}", template_format="jinja2")
C = ChatPromptTemplate.from_messages([("system", "Be kind."), MessagesPlaceholder("history"), ("human", "{{y}}")])
"""
    templates = read_code(code)
    assert render_text(templates["prompts/a"], y="1") == f"{LONG} {{x}} 1"
    assert render_text(templates["prompts/b"], y="1") == f"1 {LONG}"
    history = [{"role": "assistant", "content": "Hm"}]
    expected = [("system", "Be kind."), ("assistant", "Hm"), ("user", "1")]
    assert render_messages(templates["prompts/c"], y="1", history=history) == expected


def test_messages_as_mappings():
    messages = '[{"role": "system", "content": "Be kind."}, {"role": "user", "content": f"{question}"}]'
    code = f"def ask(question):\n    return {messages}\n"
    assert render_messages(read_one("ask.py", code), question="Why?") == [("system", "Be kind."), ("user", "Why?")]


def test_a_request_is_one_prompt_with_its_system_text_model_and_settings():
    code = """
message = await client.messages.create(
    model="claude-sonnet-4-20250514", max_tokens=1024, temperature=heat,
    system=[{"type": "text", "text": f"You translate into {language}.", "cache_control": {"type": "ephemeral"}}],
    messages=[*history, {"role": "user", "content": f"Translate: {text}"}, {"role": "assistant", "content": "Sure:"}],
)
print(message.content)
"""
    template = read_one("pasted", code)
    assert template.source_format == "python"
    assert "model: claude-sonnet-4-20250514\nsettings:\n  max_tokens: 1024\n---" in template.document
    data = {"language": "German", "text": "Tea", "history": [{"role": "user", "content": "Hm"}]}
    expected = [("system", "You translate into German."), ("user", "Hm"), ("user", "Translate: Tea")]
    assert render_messages(template, **data) == [*expected, ("assistant", "Sure:")]


@pytest.mark.parametrize(
    "call",
    [
        'r = responses.create(instructions="Talk like a friendly pirate.", input=f"Explain {topic}").output_text',
        'print(llm.generate(system_prompt="Talk like a friendly pirate.", prompt=f"Explain {topic}"))',
        'g.generate(contents=[f"Explain {topic}"], config=Config(system_instruction="Talk like a friendly pirate."))',
        'post(json={"system": "Talk like a friendly pirate.", "messages": [{"role": "user", '
        '"content": "Explain " + topic}]})',
        'RULE = "Talk like a friendly pirate."\ndef f():\n    return ask([{"role": "system", "content": RULE}, '
        '{"role": "user", "content": "Explain %s" % topic}])',
        'messages = []\nmessages.append({"role": "user", "content": f"Explain {topic}"})\n'
        'reply = ask(system="Talk like a friendly pirate.", messages=messages)\n'
        'messages.append({"role": "assistant", "content": reply})',
    ],
)
def test_the_texts_of_a_call_are_the_messages_of_one_prompt(call):
    expected = [("system", "Talk like a friendly pirate."), ("user", "Explain tea")]
    assert render_messages(read_one("pasted", call), topic="tea") == expected


def test_items_of_a_message_are_its_text_and_its_images():
    items = '[{"type": "text", "text": "See"}, {"type": "text", "text": f"{x}"}, IMAGE]'
    code = f"ask(messages=[{{'role': 'user', 'content': {items}}}])"
    image = '{"type": "image_url", "image_url": {"url": address}}'
    document = read_one("pasted", code.replace("IMAGE", image)).document
    assert "text: |-\n        See\n        {{ x }}\n" in document
    assert "url: |-\n          {{ address }}\n" in document
    with pytest.raises(LossError):
        read_one("pasted.py", code.replace("IMAGE", '{"type": "audio", "audio": sound}'))


def test_a_message_of_an_image_alone_is_read_too():
    image = "[{'type': 'image_url', 'image_url': {'url': address}}]"
    messages = f"[{{'role': 'system', 'content': 'Describe it'}}, {{'role': 'user', 'content': {image}}}]"
    document = read_one("pasted", f"ask(messages={messages})").document
    assert "Describe it" in document
    assert "url: |-\n          {{ address }}\n" in document


@pytest.mark.parametrize(
    "code",
    ['run(system="linux", input=path)', 'ask(messages=[{"role": "user", "content": question}])', "messages = []\n"],
)
def test_a_call_without_a_text_of_a_prompt_is_no_prompt(code):
    with pytest.raises(LossError):
        read_one("calls.py", code)


def test_a_list_is_not_extended_where_that_may_not_happen_once():
    code = (
        'messages = [{"role": "system", "content": "Be kind."}]\n'
        'for word in words:\n    messages.append({"role": "user", "content": word + " please"})\n'
    )
    assert render_messages(read_one("calls.py", code)) == [("system", "Be kind.")]


def test_positional_fields_of_a_percent_text_are_its_values():
    template = read_one("prompts.py", f'def f():\n    return "{LONG} 100%%: %s, %d" % (question, len(rows))\n')
    assert render_text(template, question="Why?", len_rows="3") == f"{LONG} 100%: Why?, 3"
    named = read_one("prompts.py", f'P = "{LONG} %(question)s" % values\n')
    assert render_text(named, question="Why?") == f"{LONG} Why?"


def test_an_unreadable_constant_is_named_with_its_line():
    code = f'A_PROMPT = "{LONG} {{x}}"\nB_PROMPT = "{LONG} {{x:*^9}}"\nB_PROMPT.format(x=1)\n'
    template = read_one("prompts.py", code)
    assert "line 2: `B_PROMPT` is left out" in list_differences(template)


def test_string_templates_of_the_standard_library():
    code = f'from string import Template\nPROMPT = Template("{LONG} $name {{x}}")\n'
    assert render_text(read_one("prompts.py", code), name="Ann") == f"{LONG} Ann {{x}}"


@pytest.mark.parametrize("code", ["x = 1", "def f(:\n", 'print("hello there, my good old friend")'])
def test_code_without_prompts_is_refused(code):
    with pytest.raises(LossError):
        read_one("prompts.py", code)


def test_nothing_of_the_code_runs(tmp_path):
    touch = f"pathlib.Path('{tmp_path}/ran').touch()"
    code = f'import pathlib\n{touch}\nPROMPT = f"{LONG} {{{touch}}}"\n'
    read_one("prompts.py", code)
    assert not (tmp_path / "ran").exists()


@given(st.text(st.sampled_from("ab {}\n\"'\\%$"), min_size=90, max_size=120))
def test_a_constant_of_code_gives_the_text_that_python_gives(text):
    code = f"PROMPT = {LONG + text!r}\nPROMPT.format()\n"
    try:
        expected = (LONG + text).format()
    except (ValueError, LookupError, AttributeError):
        return
    assert render_text(read_one("prompts.py", code)) == expected
