"""Pasted texts without a file name: prompt-poet's parts and LangChain's code are recognised, texts that mention them
aren't.
"""

import pytest

from promptuary.renderer.interop.pasted import read_pasted_prompt
from promptuary.renderer.interop.reading import detect_format, read_templates
from promptuary.renderer.interop.source_file import read_source_file
from tests.renderer.interop.imports import read_one, render_messages, render_text


def format_of(text):
    source_format = detect_format(read_source_file("pasted", text.encode()))
    return source_format.name if source_format else None


CHAT = """\
- name: system instructions
  role: system
  content: |
    Your name is {{ character_name }}. Be helpful.

{% if modality == "audio" %}
- name: audio instruction
  role: system
  content: |
    {{ username }} speaks to you.
{% endif %}

{% for message in current_chat_messages %}
- name: chat_message
  role: user
  truncation_priority: {{ 2 if loop.first else 1 }}
  content: |
    {{ message.author }}: {{ message.content }}
{% endfor %}

- name: reply_prompt
  role: user
  content: |
    {{ character_name }}:
"""


@pytest.mark.parametrize(
    ("text", "count"),
    [
        (CHAT, 4),
        (
            "- name: a\n  role: system\n  content: Help {{ name }}.\n- name: b\n  role: user\n  content: '{{ q }}'\n",
            2,
        ),
        ("# A template\n- name: a\n  role: {{ role }}\n  content: >\n    Help {{ user }}.\n", 1),
        ("{# The first part #}\n{%- set n = 3 -%}\n- name: a\n  role: system\n  content: |\n    {{ n }}\n", 1),
        ("- name: a\n  content: |\n    No role.\n- role: assistant\n  name: b\n  content: Hi\n", 2),
        ('\n\n-   name: a\n    role: "user"\n    content: |-\n      # Title\n      - name: x\n        role: boss\n', 1),
        ("{% for m in history\n   if m.text %}\n- name: m\n  role: user\n  content: '{{ m.text }}'\n{% endfor %}", 1),
        ("---\ninputs:\n  q: {type: string}\n---\n- name: a\n  role: user\n  content: '{{ q }}'\n", 1),
    ],
)
def test_a_list_of_parts_is_recognised_and_unchanged(text, count):
    assert format_of(text) == "prompt-poet"
    assert read_one("pasted", text).document == text
    pasted = read_pasted_prompt(text)
    assert (pasted.kind, pasted.count, pasted.document) == ("messages", count, text)


@pytest.mark.parametrize(
    "text",
    [
        "prompt-poet templates are lists of parts with a name, a role and content. Explain them.",
        "Answer in YAML, for example:\n\n- name: question\n  role: user\n  content: Why?\n",
        "- name: question\n  role: user\n  content: Why?\n\nReturn a list like this one.\n",
        "- name: Install nginx\n  apt:\n    name: nginx\n- name: Start\n  service:\n    name: nginx\n",
        "- name: web\n  role: server\n  content: nginx\n- name: db\n  role: storage\n  content: postgres\n",
        "- name: checkout\n  uses: actions/checkout@v4\n  with:\n    content: a\n    role: user\n",
        "- name: Home\n  content: Welcome\n- name: About\n  content: Who we are\n",
        "- name: a\n  role: user\n  email: a@example.org\n",
        "- name: a\n  role: user\n  content: hi\n  icon: star\n",
        "containers:\n- name: web\n  role: user\n  content: x\n",
        "- name: keep this\n- role: also text\n- just a bullet\n",
        "- Be kind.\n- role: user, content: what they ask\n",
    ],
)
def test_other_yaml_and_prose_are_not_parts(text):
    assert format_of(text) != "prompt-poet"
    pasted = read_pasted_prompt(text)
    assert pasted is None or pasted.title != "prompt-poet, Promptuary"


PAIRS = '[("system", "You translate to {language}."), ("human", "{text}")]'


@pytest.mark.parametrize(
    "text",
    [
        f"ChatPromptTemplate.from_messages({PAIRS})",
        f"from langchain.prompts import ChatPromptTemplate\n\nprompt = ChatPromptTemplate.from_messages({PAIRS})\n",
        f"prompt = ChatPromptTemplate.from_messages(messages={PAIRS})\nchain = prompt | model | StrOutputParser()\n",
        f"prompt = ChatPromptTemplate({PAIRS})\nprompt",
        f"chain = ChatPromptTemplate.from_messages({PAIRS}) | model",
        f"ChatPromptTemplate.from_messages({PAIRS}) | model | StrOutputParser()",
        f"    prompt = ChatPromptTemplate.from_messages({PAIRS})\n    return prompt | self.model\n",
        f"def build():\n    return ChatPromptTemplate.from_messages({PAIRS})\n",
        f"prompts.ChatPromptTemplate.from_messages(\n    {PAIRS}\n)  # the translator\n",
        f"messages = {PAIRS}\nprompt = ChatPromptTemplate.from_messages(messages)\n",
        "prompt: ChatPromptTemplate = ChatPromptTemplate.from_messages(\n"
        '    [["system", "You translate to {language}."], ["human", "{text}"]]\n)',
        "ChatPromptTemplate.from_messages([\n"
        '    SystemMessagePromptTemplate.from_template("You translate to {language}."),\n'
        '    HumanMessagePromptTemplate.from_template(template="{text}"),\n])',
        'system_template = "You translate to {language}."\n'
        "system = SystemMessagePromptTemplate.from_template(system_template)\n"
        'human = HumanMessagePromptTemplate.from_template("{text}")\n'
        "chat_prompt = ChatPromptTemplate.from_messages([system, human])\n",
        'SYSTEM = """You translate to {language}."""\n'
        'prompt = ChatPromptTemplate.from_messages([("system", SYSTEM), ("user", "{text}")])\n',
    ],
)
def test_langchain_messages_in_code_are_recognised(text):
    assert format_of(text) == "python"
    (template,) = read_templates("pasted", text.encode())
    rendered = [("system", "You translate to German."), ("user", "Tea")]
    assert render_messages(template, language="German", text="Tea") == rendered
    pasted = read_pasted_prompt(text)
    assert (pasted.kind, pasted.count) == ("messages", 2)


@pytest.mark.parametrize(
    "text",
    [
        'PromptTemplate.from_template("Tell me a joke about {topic}.")',
        'prompt = PromptTemplate.from_template("Tell me a joke about {topic}.")\nchain = prompt | llm\n',
        'PromptTemplate(\n    input_variables=["topic"],\n    template="Tell me a joke about {topic}.",\n)',
        'PromptTemplate(template="Tell me a joke about {{ topic }}.", template_format="jinja2")',
        'from langchain import PromptTemplate\ntemplate = """Tell me a joke about {topic}."""\n'
        'prompt = PromptTemplate(template=template, input_variables=["topic"])\n',
        'ChatPromptTemplate.from_template("Tell me a joke about {topic}.")',
        'PromptTemplate.from_template("Tell me a joke about {topic}.").partial(tone="warm")',
        'chain = LLMChain(llm=llm, prompt=PromptTemplate.from_template("Tell me a joke about {topic}."))',
        'JOKE_PROMPT = """Tell me a joke about {topic}."""',
    ],
)
def test_a_langchain_text_in_code_is_recognised(text):
    assert format_of(text) == "python"
    (template,) = read_templates("pasted", text.encode())
    assert render_text(template, topic="tea") == "Tell me a joke about tea."
    assert (read_pasted_prompt(text).kind, read_pasted_prompt(text).count) == ("text", 1)


def test_a_text_that_the_code_does_not_contain_is_an_input():
    text = 'ChatPromptTemplate.from_messages([("system", SYSTEM), HumanMessagePromptTemplate.from_template(rules.ask)])'
    template = read_one("pasted", text)
    assert render_messages(template, SYSTEM="Be kind.", rules={"ask": "Why?"}) == [
        ("system", "Be kind."),
        ("user", "Why?"),
    ]


def test_two_prompts_of_pasted_code_are_two_templates():
    text = (
        'ask = PromptTemplate.from_template("Ask {a} now.")\njudge = PromptTemplate.from_template("Judge {b} now.")\n'
    )
    assert [template.name for template in read_templates("pasted", text.encode())] == ["pasted/ask", "pasted/judge"]
    assert (read_pasted_prompt(text).kind, read_pasted_prompt(text).count) == ("several", 2)


def test_a_text_that_a_chat_and_another_name_share_is_listed_once():
    chat = 'chat = ChatPromptTemplate.from_messages([("system", RULES_PROMPT)])'
    text = f'RULES_PROMPT = "Be kind to everybody here."\n{chat}'
    assert [template.name for template in read_templates("pasted", text.encode())] == ["chat"]


@pytest.mark.parametrize(
    "text",
    [
        "Explain ChatPromptTemplate.from_messages to {name}.",
        'In LangChain you write PromptTemplate.from_template("Tell me about {topic}"). Explain it.',
        'Review this code:\n\nprompt = PromptTemplate.from_template("Tell me about {topic}")\n',
        f"Explain:\n```python\nprompt = ChatPromptTemplate.from_messages({PAIRS})\n```\n",
        "# Task\nUse PromptTemplate(template=...) for {thing}.",
        'prompt = PromptTemplate.from_template("Tell me about {topic}',
        "import os\n\nprint(os.getcwd())\n",
        "x = 3\ny = [1, 2]\n",
        "prompt = 3",
        "System prompt: You help {name}.",
        'const prompt = ChatPromptTemplate.fromMessages([["system", "Be kind."]]);',
        "[section]\nprompt = 'hi'\n",
    ],
)
def test_a_text_that_only_mentions_such_code_is_text(text):
    assert format_of(text) != "python"
    pasted = read_pasted_prompt(text)
    assert pasted is None or pasted.title != "Python code"


def test_a_toml_file_of_prompts_is_not_code():
    text = 'prompt = "Tell me a joke about tea and biscuits, please."\n'
    assert detect_format(read_source_file("prompts.toml", text.encode())).name != "python"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('"""You are kind to {name}.\n\nQuestion: {q}\n"""', "You are kind to Ann.\n\nQuestion: Why?\n"),
        ("\n'''You are kind to {name}, always.'''\n", "You are kind to Ann, always."),
        ('f"You are kind to {user.name}: {{}} and {q}"', "You are kind to Bo: {} and Why?"),
        ('"You are kind to {name}.\\nSay \\"hello\\"."', 'You are kind to Ann.\nSay "hello".'),
        ("`You are kind to ${name}.\nAnswer: \\`${q}\\``", "You are kind to Ann.\nAnswer: `Why?`"),
    ],
)
def test_a_text_that_is_one_string_of_code_is_its_content(text, expected):
    template = read_one("pasted", text)
    assert template.source_format in ("python", "javascript")
    assert render_text(template, name="Ann", q="Why?", user={"name": "Bo"}) == expected


@pytest.mark.parametrize(
    "text",
    [
        '"Be kind to each customer."',
        '"Be kind," he said, and "be brief\\n"',
        "```\nYou are kind to each customer.\n```",
        "`kind` and then `brief` are the words",
        '"""You are kind to each customer, always.',
        "``",
        '"""x"""',
        "`Internationalisation`",
    ],
)
def test_quoted_prose_stays_as_it_is(text):
    assert format_of(text) == "text"


def test_a_signature_of_dspy_that_is_pasted_is_its_instruction():
    code = 'class QA(dspy.Signature):\n    """Answer questions with short answers."""\n    q = dspy.InputField()\n'
    assert render_text(read_one("pasted", code)).startswith("Answer questions with short answers.")


def test_the_arguments_of_an_agents_command_are_an_input_and_variables_of_a_shell_are_none():
    template = read_one("pasted", "Review $ARGUMENTS in $HOME.")
    assert render_text(template, ARGUMENTS="change 7") == "Review change 7 in $HOME."
