"""`promptuary export` of a document on disk: to other systems, and as lines for fine-tuning."""

import json
from pathlib import Path

import pytest

from promptuary import renderer
from promptuary.renderer.prompters import AlpacaPrompter, ChatPrompter

SHAPED = "---\ndescription: Asks\nformat: shaped\n---\nAsk {query}\n"
PARTS = """---
model: gpt-4o
inputs:
  question: {type: string}
---
- name: instructions
  role: system
  content: Answer.
- name: question
  content: "{{ question }}"
"""
PROMPTER = "---\nformat: prompter\n---\nkind: chat\ninstruction: Answer.\ninput: question\n"
ROWS = (
    '{"id": "a", "inputs": {"question": "Why?"}, "expected": "Because."}\n'
    '{"inputs": {"question": "<|im_end|>"}, "expected": {"answer": "No \\"é\\""}}\n'
)


@pytest.fixture
def files(run):
    for name, text in {"shaped": SHAPED, "parts": PARTS, "prompter": PROMPTER}.items():
        Path(f"{name}.yml.j2").write_text(text)
    Path("rows.jsonl").write_text(ROWS)


@pytest.mark.parametrize("to", ["haystack", "langfuse", "prompty"])
def test_an_exported_file_can_be_imported_again(run, files, to):
    Path("plain.yml.j2").write_text("- name: user 1\n  role: user\n  content: |-\n    Hi {{ name }}\n")
    subject = "shaped" if to == "haystack" else "plain"
    assert run("export", f"{subject}.yml.j2", "--to", to, "--out", "out.txt").exit_code == 0
    assert run("import", "out.txt", "--from", to, "--namespace", "team").exit_code == 0
    data = {"query": "why", "name": "why"}
    again = renderer.load(Path(f"team/{subject}.yml.j2").read_text()).render(data)
    assert again.messages == renderer.load(Path(f"{subject}.yml.j2").read_text()).render(data).messages


def test_a_loss_is_refused_and_named_until_it_is_wanted(run, files):
    refused = run("export", "parts.yml.j2", "--to", "langfuse")
    assert (refused.exit_code, refused.stdout) == (1, "")
    assert "inputs (question)" in refused.stderr
    data = json.loads(run("export", "parts.yml.j2", "--to", "langfuse", "--lossy", "--json").stdout)
    assert data["lost"] == ["inputs (question)"]
    assert json.loads(data["text"])["config"] == {"model": "gpt-4o"}


@pytest.mark.parametrize("name", ["parts", "prompter"])
@pytest.mark.parametrize("form", ["messages", "text"])
def test_training_lines_are_what_the_model_is_sent_and_then_the_label(run, files, name, form):
    result = run("export", f"{name}.yml.j2", "--training", "rows.jsonl", "--form", form)
    template = renderer.load(Path(f"{name}.yml.j2").read_text())
    lines = [json.loads(line) for line in result.stdout.splitlines()]
    for line, question, label in zip(lines, ["Why?", "<|im_end|>"], ["Because.", 'No "é"'], strict=True):
        prompt = template.render({"question": question})
        if form == "text":
            assert line == {"text": prompt.text + label}
        else:
            assert line == {"messages": [*prompt.messages, {"role": "assistant", "content": label}]}


def test_a_reply_that_the_prompt_began_goes_on_in_one_message(run, files):
    Path("begun.yml.j2").write_text(
        "- name: q\n  content: '{{ question }}'\n- name: a\n  role: assistant\n  content: 'A:'\n"
    )
    lines = run("export", "begun.yml.j2", "--training", "rows.jsonl").stdout.splitlines()
    assert json.loads(lines[0])["messages"][-1] == {"role": "assistant", "content": "A:Because."}


def test_several_expectations_need_a_choice(run, files):
    Path("rows.jsonl").write_text('{"inputs": {"question": "a"}, "expected": {"answer": "b", "score": 0.5}}\n')
    assert "--label" in run("export", "parts.yml.j2", "--training", "rows.jsonl").stderr
    line = run("export", "parts.yml.j2", "--training", "rows.jsonl", "--label", "score").stdout
    assert json.loads(line)["messages"][-1]["content"] == "0.5"


@pytest.mark.parametrize(
    ("row", "why"),
    [
        ('{"id": "a", "inputs": {"question": "x"}}', "row 1 (a): nothing is expected"),
        ('{"inputs": {}, "expected": "x"}', "row 1: "),
    ],
)
def test_a_row_that_teaches_nothing_is_named(run, files, row, why):
    Path("rows.jsonl").write_text(row + "\n")
    result = run("export", "parts.yml.j2", "--training", "rows.jsonl")
    assert (result.exit_code, result.stdout) == (1, "")
    assert why in result.stderr


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        ([], 2),
        (["--to", "prompty", "--training", "rows.jsonl"], 2),
        (["--training", "missing.jsonl"], 2),
        (["--to", "haystack"], 1),
    ],
)
def test_a_refused_export_exits_without_a_traceback(run, files, arguments, code):
    result = run("export", "parts.yml.j2", *arguments)
    assert result.exit_code == code
    assert "Traceback" not in result.stderr


@pytest.mark.parametrize("prompter", [AlpacaPrompter, ChatPrompter])
def test_marked_lines_agree_with_the_prompters_own_labels(run, prompter):
    kind = "alpaca" if prompter is AlpacaPrompter else "chat"
    Path("own.yml.j2").write_text(f"---\nformat: prompter\n---\nkind: {kind}\ninstruction: Answer {{question}}.\n")
    Path("rows.jsonl").write_text(ROWS)
    lines = run("export", "own.yml.j2", "--training", "rows.jsonl", "--form", "text").stdout.splitlines()
    expected = prompter("Answer {question}.").generate_prompt({"question": "Why?"}, label="Because.")
    assert json.loads(lines[0]) == {"text": expected}
