"""Prompts in JavaScript and TypeScript: messages, template literals, joined lists and LangChain's calls."""

import pytest

from promptuary.renderer.interop.imported import LossError
from promptuary.renderer.interop.pasted import read_pasted_prompt
from promptuary.renderer.interop.reading import detect_format, read_templates
from promptuary.renderer.interop.source_file import read_source_file
from tests.renderer.interop.imports import list_differences, read_one, render_messages, render_text

KIND = "You are kind to each customer."


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        (f"const systemPrompt = '{KIND}';", KIND),
        (f'export const PROMPT: string = "{KIND} Don\\\'t\\n\\u0041\\x42";', f"{KIND} Don't\nAB"),
        (f"const prompt = `{KIND} Write to ${{name}}, \\`${{user.mail}}\\`.`", f"{KIND} Write to Ann, `a@b`."),
        (
            f"export function buildPrompt({{ name }}) {{\n  return `{KIND} Write to ${{name}}.`;\n}}",
            f"{KIND} Write to Ann.",
        ),
        (f"const prompt = (name: string): string => `{KIND} Write to ${{name}}.`", f"{KIND} Write to Ann."),
        (f"const prompt = '{KIND}' +\n  ' Write to ' + name + '.';", f"{KIND} Write to Ann."),
        (f"const prompt = [\n  '{KIND}',\n  `Write to ${{name}}.`,\n].join('\\n');", f"{KIND}\nWrite to Ann."),
        (f"const tone = 'Be brief.';\nconst prompt = `{KIND} ${{tone}}`;", f"{KIND} Be brief."),
        (f"const prompt = dedent`\n    {KIND}\n      Write to ${{name}}.\n  `;", f"{KIND}\n  Write to Ann."),
        (f"const prompt = `\n{KIND}\n`.trim()", KIND),
        (f"class A {{\n  prompt = `{KIND} ${{this.name}}`\n  other = 1\n}}", f"{KIND} Ann"),
        (f"const systemPrompt = '{KIND} Answer {{name}}.';", f"{KIND} Answer Ann."),
        (f"const re = /`'/g; // `\nconst prompt = `{KIND}`; /* ` */", KIND),
        (f"const prompt = `{KIND} ${{a ? `x ${{b}}` : '}}'}}.`", f"{KIND} it."),
        ("const prompt = PromptTemplate.fromTemplate('Joke on {name} as {{\"a\": 1}}.');", 'Joke on Ann as {"a": 1}.'),
    ],
)
def test_a_text_of_the_code_prints_what_the_code_prints(code, expected):
    template = read_one("pasted", code)
    assert template.source_format == "javascript"
    data = {"name": "Ann", "user": {"mail": "a@b"}, "a_x_b": "it"}
    assert render_text(template, **data) == expected


TALK = [("system", KIND), ("user", "Sum up: Hi")]
SUM = "`Sum up: ${text}`"


@pytest.mark.parametrize(
    "code",
    [
        f"const messages = [\n  {{ role: 'system', content: '{KIND}' }},\n  {{ role: \"user\", content: {SUM} }},\n];",
        f"const S = `{KIND}`;\nawait ai.chat({{ model: 'x', messages: [\n {{ role: 'system', content: S }},"
        f" {{ content: {SUM}, role: 'user' }}] }});",
        f"const {{ text }} = await generateText({{\n  model: openai('x'),\n  system: '{KIND}',\n  prompt: {SUM},\n}});",
        f'const p = ChatPromptTemplate.fromMessages([\n  ["system", "{KIND}"],\n  ["human", "Sum up: {{text}}"],\n]);',
        f'const m = [new SystemMessage("{KIND}"), new HumanMessage({SUM})];',
        f"streamText({{ system: `{KIND}`, messages: [{{ role: 'user', content: {SUM} }}] }})",
        f"[{{ role: 'system', content: `{KIND}` }}, {{ role: 'user', content: {SUM} }}]",
    ],
)
def test_messages_of_the_code_are_parts(code):
    template = read_one("pasted", code)
    assert render_messages(template, text="Hi") == TALK
    assert read_pasted_prompt(code).title == "JavaScript, TypeScript"


@pytest.mark.parametrize("turns", ["...history", 'new MessagesPlaceholder("history")', '["placeholder", "{history}"]'])
def test_the_turns_so_far_come_by_a_loop(turns):
    code = f"const p = ChatPromptTemplate.fromMessages([['system', `{KIND}`], {turns}, ['human', '{{text}}']]);"
    history = [{"role": "assistant", "content": "Hello"}]
    assert render_messages(read_one("p.ts", code), text="Hi", history=history) == [
        ("system", KIND),
        ("assistant", "Hello"),
        ("user", "Hi"),
    ]


@pytest.mark.parametrize("digits", [16, 5000])
def test_a_setting_with_too_many_digits_is_left_out(digits):
    code = f'ask({{ model: "m", seed: {"9" * digits}, messages: [{{ role: "user", content: "{KIND}" }}] }});'
    assert "seed" not in read_one("ask.ts", code).document


def test_a_call_gives_its_model_and_constant_settings_and_contents_may_be_lists():
    code = """const msg = await anthropic.messages.create({
  model: "claude-sonnet-4", max_tokens: 1024, temperature: 0.2, top_p: heat * 2,
  system: [{ type: "text", text: `You translate into ${language}.` }],
  messages: [{ role: "user", content: [{ type: "text", text: "Translate:" }, { type: "text", text: `${text}` }] }],
});"""
    template = read_one("pasted", code)
    assert template.document.startswith(
        "---\nformat: parts\nmodel: claude-sonnet-4\nsettings:\n  max_tokens: 1024\n  temperature: 0.2\n---\n"
    )
    expected = [("system", "You translate into German."), ("user", "Translate:\nTea")]
    assert render_messages(template, language="German", text="Tea") == expected
    with_image = code.replace('{ type: "text", text: "Translate:" }', '{ type: "image", source: image }')
    assert read_one("pasted", with_image).source_format == "text"


def test_each_prompt_is_a_template_and_other_long_texts_are_named():
    long = "This text is long enough to be a prompt, and no name says that it is one of the prompts here."
    code = f"export const systemPrompt = `{KIND}`;\nconst notice = `{long}`;\n"
    code += "export const userPrompt = (q) => `Question: ${q}`;"
    system, user = read_templates("ask.ts", code.encode())
    assert (system.name, user.name) == ("ask/system-prompt", "ask/user-prompt")
    assert "left out, as they are not prompts: notice" in list_differences(system)
    assert render_text(user, q="Why?") == "Question: Why?"
    assert render_text(read_one("notice.ts", f"const notice = `{long}`;")) == long


def test_a_text_that_is_only_passed_on_stays_a_prompt_and_one_inside_another_is_none():
    code = f"const tonePrompt = 'Be brief and kind, always.';\nconst kindPrompt = `{KIND} ${{tonePrompt}}`;\n"
    code += "export default { systemMessage: kindPrompt, title: `${kindPrompt} and ${tonePrompt}` };"
    template = read_one("a.ts", code)
    assert (template.name, render_text(template)) == ("kind-prompt", f"{KIND} Be brief and kind, always.")


def test_a_long_text_with_a_name_in_braces_is_a_prompt_under_any_key():
    text = "Answer the question below from the documents, in plain words and in one line: {question}. Thank you!"
    assert render_text(
        read_one("a.ts", f"const o = {{ rows: 4, default: `{text}` }};\nconst p = `{KIND}`"), question="Q"
    )


def test_an_expression_is_an_input_and_named():
    template = read_one("a.ts", f"const prompt = `{KIND} ${{names.map(n => n.id).join(', ')}}`;")
    assert "is the input `names_map_n_n_id_join`: give its text" in list_differences(template)
    assert render_text(template, names_map_n_n_id_join="Ann, Bo") == f"{KIND} Ann, Bo"


@pytest.mark.parametrize(
    ("code", "expected_text"),
    [
        ("const a = 1;", "no text in the code looks like a prompt"),
        (f"\nconst prompt = `{KIND}", "a template literal has no end"),
        ("const a = " + "`${" * 30 + "}`" * 30, "nested too deeply"),
        (
            "const q = gql`query { a long query that is no prompt at all, and has more than eighty letters in it }`",
            "no text",
        ),
    ],
)
def test_code_without_a_prompt_is_refused(code, expected_text):
    with pytest.raises(LossError, match=expected_text):
        read_one("a.ts", code)


@pytest.mark.parametrize(
    "text",
    [
        "Explain this code:\n```js\nconst prompt = `You are kind to each customer.`;\n```\n",
        "import the data, then write `prompt = 'You are kind to each customer'` into the file",
        "Type: `const` is a word, and so is `let`.",
        "let me say: 'be kind to each customer', and be brief",
        "const prompt = `You are kind to each customer",
        '{"prompt": "Be kind to each customer of ours."}',
    ],
)
def test_prose_with_code_is_not_code(text):
    source_format = detect_format(read_source_file("pasted", text.encode()))
    assert source_format is None or source_format.name != "javascript"


def test_nothing_of_the_code_runs_and_a_long_file_is_read_fast():
    code = "const a = { b: [1, 2, (3)] };\n" * 20_000 + f"const prompt = `{KIND}`;"
    assert render_text(read_one("a.js", code)) == KIND
