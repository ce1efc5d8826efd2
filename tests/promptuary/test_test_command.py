"""promptuary test: a document over a dataset, offline, with gates and reports."""

import json
import re
from pathlib import Path

import pytest
from typer.testing import CliRunner

from promptuary import renderer
from promptuary.commands.app import app
from promptuary.evaluation import prompt_digest

JUDGE = Path(__file__).parents[2] / "registry/starter/demo/judge-answer-support.yml.j2"
DOCUMENT = "---\ninputs:\n  q: {type: string}\n---\n- name: question\n  content: |\n    {{ q }}\n"


@pytest.fixture
def document(tmp_path):
    path = tmp_path / "ask.yml.j2"
    path.write_text(DOCUMENT)
    (tmp_path / "rows.jsonl").write_text(
        "".join(json.dumps({"inputs": {"q": q}, "expected": {"answer": a}}) + "\n" for q, a in (("a", "a"), ("b", "c")))
    )
    return path


def call(*arguments):
    return CliRunner().invoke(app, ["test", *map(str, arguments)])


def test_a_gate_that_holds_exits_with_0(document):
    result = call(document, "--dataset", document.parent / "rows.jsonl", "--gate", "exact_match >= 0.5", "--json")
    assert result.exit_code == 0
    assert json.loads(result.stdout)["verdicts"][0]["score"] == 0.5


def test_a_gate_that_does_not_hold_exits_with_1_and_is_in_the_reports(document):
    junit, markdown = document.parent / "junit.xml", document.parent / "report.md"
    result = call(
        document, "--dataset", document.parent / "rows.jsonl", "--gate", "exact_match >= 0.9",
        "--junit", junit, "--markdown", markdown,
    )  # fmt: skip
    assert result.exit_code == 1
    assert 'failures="1"' in junit.read_text()
    assert "**failed**" in markdown.read_text()


def test_one_row_and_one_gate_are_counted_in_the_singular(document):
    rows, report = document.parent / "rows.jsonl", document.parent / "report.md"
    gates = ("--gate", "exact_match >= 0", "--gate", "squad_f1 >= 0")
    assert "2 rows, 0 failed; 0 gates" in call(document, "--dataset", rows).output
    assert "2 rows, 0 failed; 2 gates" in call(document, "--dataset", rows, *gates).output
    rows.write_text('{"inputs": {"q": "a"}, "expected": {"answer": "a"}}\n')
    assert "1 row, 0 failed; 1 gate\n" in call(document, "--dataset", rows, *gates[:2]).output
    rows.write_text('{"inputs": {"q": 3}, "expected": {"answer": "a"}}\n')
    assert "row 1: InputError: " in call(document, "--dataset", rows, "--markdown", report).output
    assert "\n1 row failed:\n\n* row 1: InputError" in report.read_text()


def test_a_regression_against_a_kept_result_exits_with_1(document):
    rows, saved, replies = (document.parent / name for name in ("rows.jsonl", "before.jsonl", "replies.jsonl"))
    assert call(document, "--dataset", rows, "--save", saved).exit_code == 0
    template = renderer.load(DOCUMENT)
    digests = [prompt_digest(template.render({"q": q})) for q in ("a", "b")]
    replies.write_text("".join(json.dumps({"prompt": digest, "reply": "?"}) + "\n" for digest in digests))
    result = call(
        document, "--dataset", rows, "--model", f"recorded:{replies}", "--baseline", saved,
        "--gate", "exact_match - 0.02",
    )  # fmt: skip
    assert result.exit_code == 1


def test_an_html_report_is_written_with_the_metrics_asked_for(document):
    rows, saved, page = (document.parent / name for name in ("rows.jsonl", "before.jsonl", "report.html"))
    call(document, "--dataset", rows, "--save", saved)
    result = call(document, "--dataset", rows, "--metric", "squad_f1", "--baseline", saved, "--html", page)
    assert result.exit_code == 0
    assert "squad_f1" in page.read_text()
    assert "No row got worse" in page.read_text()


def test_a_metric_without_a_gate_is_reported(document):
    rows = document.parent / "rows.jsonl"
    output = call(document, "--dataset", rows, "--metric", "exact_match").output
    assert "exact_match (answer): 0.5, 2 of 2 rows scored" in output
    scores = json.loads(call(document, "--dataset", rows, "--metric", "exact_match", "--json").stdout)["scores"]
    assert scores == [{"metric": "exact_match", "output": "answer", "score": 0.5, "scored": 2, "of": 2}]


def test_a_score_of_a_judge_needs_a_judge(document):
    refusal = call(document, "--dataset", document.parent / "rows.jsonl", "--gate", "faithfulness >= 0.5")
    assert refusal.exit_code == 2
    assert "faithfulness is scored by a judge" in refusal.output


def test_a_row_that_fails_is_in_the_junit_report(document):
    (document.parent / "ask.samples.yml").write_text("first: {q: 3}\n")
    call(document, "--junit", document.parent / "junit.xml")
    assert 'errors="1"' in (document.parent / "junit.xml").read_text()


def test_samples_are_run_where_no_dataset_is_named(document):
    (document.parent / "ask.samples.yml").write_text("first: {q: hello}\n")
    assert json.loads(call(document, "--json").stdout)["rows"] == 1


@pytest.mark.parametrize(
    ("arguments", "expected_text"),
    [
        ([], "name a --dataset"),
        (["--dataset", "absent.jsonl"], "absent.jsonl"),
        (["--dataset", "rows.jsonl", "--gate", "squad_f1"], "not a gate"),
        (["--dataset", "rows.jsonl", "--model", "gpt-4o"], "--model-url"),
    ],
)
def test_an_invalid_call_exits_with_2_and_the_reason(document, monkeypatch, arguments, expected_text):
    monkeypatch.chdir(document.parent)
    result = call("ask.yml.j2", *arguments)
    assert result.exit_code == 2
    assert expected_text in result.output


@pytest.mark.parametrize("option", [[], ["--dataset", "rows.jsonl"]])
def test_a_path_that_is_not_a_document_is_refused_with_what_to_do(document, option, monkeypatch):
    monkeypatch.chdir(document.parent)
    document.rename("ask.yml")
    for path, advice in (
        ("ask.yml", "rename it to ask.yml.j2"),
        ("gone.yml.j2", "no such file. Give the path of a document"),
        (".", "Give the path of a document in it"),
    ):
        result = call(path, *option)
        assert result.exit_code == 2
        assert advice in " ".join(result.stderr.split())


def test_a_row_that_fails_to_render_is_a_finding(document):
    (document.parent / "ask.samples.yml").write_text("first: {q: 3}\n")
    result = call(document, "--json")
    assert result.exit_code == 1
    assert json.loads(result.stdout)["errors"][0]["kind"] == "InputError"


SUPPORTED = {
    "answer": "In 1932.",
    "relevance_explanation": "",
    "all_relevant_sentence_keys": ["0a"],
    "overall_supported_explanation": "",
    "overall_supported": True,
    "sentence_support_information": [
        {"response_sentence_key": "a", "explanation": "", "supporting_sentence_keys": ["0a"], "fully_supported": True}
    ],
    "all_utilized_sentence_keys": ["0a"],
}
JUDGED = """---
inputs:
  excerpts: {type: array, items: {type: string}}
  question: {type: string}
---
- name: answer
  content: It opened in 1932.
"""


@pytest.fixture
def judged(tmp_path):
    """The arguments of a test whose one row is judged by the starter's judge, from recorded replies."""
    row = {"excerpts": ["The bridge opened in 1932."], "question": "When?"}
    for name, text in (("answer", JUDGED), ("judge", JUDGE.read_text())):
        (tmp_path / f"{name}.yml.j2").write_text(text)
    (tmp_path / "rows.jsonl").write_text(json.dumps({"inputs": row}) + "\n")
    read = {"documents": row["excerpts"], "question": row["question"], "response": "It opened in 1932."}
    digest = prompt_digest(renderer.load(JUDGE.read_text()).render(read))
    replies = json.dumps({"prompt": digest, "reply": json.dumps(SUPPORTED)})
    (tmp_path / "replies.jsonl").write_text(replies + "\n")
    return [
        tmp_path / "answer.yml.j2", "--dataset", tmp_path / "rows.jsonl", "--judge", tmp_path / "judge.yml.j2",
        "--judge-model", f"recorded:{tmp_path / 'replies.jsonl'}", "--judge-path", "documents=inputs.excerpts",
    ]  # fmt: skip


def test_a_judge_reads_each_row_and_its_scores_are_gates(judged):
    saved = judged[0].parent / "kept.jsonl"
    result = call(*judged, "--gate", "faithfulness >= 0.9", "--save", saved, "--json")
    assert result.exit_code == 0, result.output
    verdict = json.loads(result.stdout)["verdicts"][0]
    assert (verdict["target"], verdict["score"]) == ("judgement", 1.0)
    again = call(*judged, "--gate", "trace_relevance - 0.01", "--baseline", saved)
    assert again.exit_code == 0, again.output


def test_a_judge_that_finds_nothing_to_read_fails_the_gate(judged):
    result = call(*judged[:-2], "--gate", "faithfulness >= 0.9")
    assert result.exit_code == 1
    assert "no row could be scored" in result.output
    assert re.search(r"1 row was not judged: .*`inputs\.documents` to judge by", result.output)
    assert "--judge-path says where in a row the judge finds its documents" in result.output
    rows = json.loads(call(*judged[:-2], "--gate", "faithfulness >= 0.9", "--json").stdout)["not_judged"]
    assert [(row["row"], "`inputs.documents`" in row["message"]) for row in rows] == [(0, True)]


def test_an_invalid_judge_path_is_refused(judged):
    result = call(*judged, "--judge-path", "answer")
    assert result.exit_code == 2
    assert "documents, question, response" in result.output


def test_a_model_of_a_judge_needs_a_judge(document):
    result = call(document, "--dataset", document.parent / "rows.jsonl", "--judge-model", "echo")
    assert result.exit_code == 2
    assert "belong to a --judge" in result.output
