"""Exported flows of Flowise, and the formatted text of their nodes."""

import json

import pytest

from promptuary import renderer
from promptuary.renderer.interop.formatted_text import read_formatted_text
from promptuary.renderer.interop.imported import LossError
from promptuary.renderer.interop.reading import read_templates


def write_flow(*nodes):
    data = [{"name": name, "label": label, "inputs": inputs} for name, label, inputs in nodes]
    return {"nodes": [{"id": f"n{n}", "data": each} for n, each in enumerate(data)], "edges": []}


def read_flow(value):
    return read_templates("refunds.json", json.dumps(value).encode())


def list_differences(template):
    return [str(difference) for difference in template.differences]


def test_a_prompt_template_of_a_chat_flow_keeps_its_values():
    values = json.dumps({"shop": "Harbour Outfitters", "question": "{{question}}"})
    flow = write_flow(
        ("promptTemplate", "Answer", {"template": "Reply for {shop} as {{json}}: {question}", "promptValues": values}),
        ("chatOpenAI", "ChatOpenAI", {"modelName": "gpt-4o", "temperature": 0.2}),
    )
    (template,) = read_flow(flow)
    assert (template.name, template.source_format) == ("refunds/answer", "flowise")
    assert renderer.load(template.document).render({"question": "Why?"}).text == (
        "Reply for Harbour Outfitters as {json}: Why?"
    )
    differences = list_differences(template)
    assert "`question` is no longer filled from `{{question}}`: callers send it" in differences
    assert "only the prompts of the flow are read; its other nodes and settings are left out" in differences


def test_messages_of_a_node_become_parts_and_braces_of_json_stay():
    flow = write_flow(
        (
            "chatPromptTemplate",
            "Chat",
            {"systemMessagePrompt": 'Write {"tone": "warm"}.', "humanMessagePrompt": "{{question}} in {language}"},
        )
    )
    (template,) = read_flow(flow)
    rendered = renderer.load(template.document).render({"question": "Why?", "language": "Dutch"})
    assert [(part.role, part.content) for part in rendered.parts] == [
        ("system", 'Write {"tone": "warm"}.'),
        ("user", "Why? in Dutch"),
    ]


def test_an_agent_flow_gives_its_messages_its_model_and_its_instructions():
    mention = '<span class="variable" data-id="$flow.state.topic">{{ $flow.state.topic }}</span>'
    flow = write_flow(
        (
            "llmAgentflow",
            "Write",
            {
                "llmModelConfig": {"modelName": "gpt-4o-mini", "temperature": "0.9", "maxTokens": 200, "topP": ""},
                "llmMessages": [{"role": "system", "content": "<p>Be <strong>kind</strong>.</p><p>Be short.</p>"}],
                "llmUserMessage": f"<p>About {mention} &amp; {{{{ question }}}}</p>",
                "llmStructuredOutput": [{"key": "tone", "type": "string"}],
            },
        ),
        ("conditionAgentAgentflow", "Sort", {"conditionAgentInstructions": "<p>Is it a refund?</p>"}),
    )
    write, sort = read_flow(flow)
    assert (write.name, sort.name) == ("refunds/write", "refunds/sort/condition-agent-instructions")
    document = renderer.load(write.document)
    rendered = document.render({"flow_state_topic": "boots", "question": "Why?"})
    assert [(part.role, part.content) for part in rendered.parts] == [
        ("system", "Be **kind**.\n\nBe short."),
        ("user", "About boots & Why?"),
    ]
    assert "model: gpt-4o-mini" in write.document
    assert "temperature: 0.9" in write.document
    assert "max_tokens: 200" in write.document
    differences = list_differences(write)
    assert "`{{$flow.state.topic}}` is the input `flow_state_topic`" in differences
    assert "formatted text is written as Markdown" in differences
    assert "its structured output is left out" in differences
    assert renderer.load(sort.document).render({}).text == "Is it a refund?"


def test_a_flow_from_the_api_is_read_and_equal_labels_are_numbered():
    flow = write_flow(
        ("worker", "Worker", {"workerPrompt": "Do it."}), ("worker", "Worker", {"workerPrompt": "Check."})
    )
    names = [template.name for template in read_flow({"id": "1", "name": "x", "flowData": json.dumps(flow)})]
    assert names == ["refunds/worker", "refunds/worker-2"]


def test_a_node_that_cannot_be_read_is_named_and_the_others_are_read():
    flow = write_flow(
        ("llmAgentflow", "Odd", {"llmMessages": [{"role": "narrator", "content": "Once"}]}),
        ("promptTemplate", "Fine", {"template": "Hello {name}"}),
    )
    (template,) = read_flow(flow)
    assert template.name == "refunds/fine"
    assert list_differences(template)[0].startswith("`Odd` is left out: there is no role 'narrator'")


@pytest.mark.parametrize(
    ("flow", "reason"),
    [
        (
            write_flow(("chatOpenAI", "ChatOpenAI", {"modelName": "gpt-4o"})),
            "no node of the flow has a prompt of its own",
        ),
        (write_flow(("llmChain", "Chain", {"prompt": "{{promptTemplate_0.data.instance}}"})), "no node of the flow"),
        (write_flow(("llmAgentflow", "Odd", {"llmMessages": "text"})), "`llmMessages` isn't a list"),
    ],
)
def test_a_flow_without_a_readable_prompt_is_refused(flow, reason):
    with pytest.raises(LossError, match=reason):
        read_flow(flow)


@pytest.mark.parametrize(
    ("html", "markdown"),
    [
        ("<p>One</p><p>Two<br>lines</p>", "One\n\nTwo\nlines"),
        (
            "<p>Steps:</p><ol><li><p>First. </p></li><li><p>Second</p></li></ol><p>End</p>",
            "Steps:\n\n1. First. \n2. Second\n\nEnd",
        ),
        ("<ul><li>a<ul><li>b</li></ul></li><li>c</li></ul>", "- a\n   - b\n- c"),
        (
            '<h2>Head</h2><p>See <a href="https://example.org/x">this</a></p>',
            "## Head\n\nSee [this](https://example.org/x)",
        ),
        ("<pre><code>a &lt; b\n  c</code></pre><p>End</p>", "```\na < b\n  c\n```\n\nEnd"),
        ("<p>Keep <context>it</context>, <em>all</em></p>", "Keep <context>it</context>, _all_"),
        ("<p></p>", ""),
    ],
)
def test_formatted_text_is_written_as_markdown(html, markdown):
    assert read_formatted_text(html) == markdown


@pytest.mark.parametrize("text", ["Plain", "a < b", "<context>x</context>", "<p>one</p> and more"])
def test_a_text_that_is_not_formatted_is_none(text):
    assert read_formatted_text(text) is None
