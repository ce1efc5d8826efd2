"""Runs whose rows are judged by a template: scores, evidence, and a failing judge."""

import json

import pytest

from registry.core.errors import Conflict, Invalid
from registry.evaluations import datasets, run_worker, start_runs
from registry.evaluations import run_queries as queries
from registry.templates import save as template_save
from tests.support.fake_model_server import ModelServer
from tests.support.instances import ROOT

STARTER = ROOT / "registry/starter/demo/judge-answer-support.yml.j2"
DOCUMENT = """---
inputs:
  documents: {type: array, items: {type: string}}
  question: {type: string}
---
- name: answer
  content: "It opened in 1932. Lorries are banned."
"""
JUDGED = {
    "relevance_explanation": "the first says when",
    "all_relevant_sentence_keys": ["0a", "1a"],
    "overall_supported_explanation": "half of it",
    "overall_supported": False,
    "sentence_support_information": [
        {"response_sentence_key": "a", "explanation": "0a says so", "supporting_sentence_keys": ["0a"]}
        | {"fully_supported": True},
        {"response_sentence_key": "b", "explanation": "nowhere", "supporting_sentence_keys": []}
        | {"fully_supported": False},
    ],
    "all_utilized_sentence_keys": ["0a"],
}
DOCUMENTS = ["The bridge opened in 1932. It is grey.", "It opened on a Sunday."]
QUESTION = "When did it open?"


@pytest.fixture
def rows(author):
    template_save.save_version(actor=author, name="support/ask", document=DOCUMENT, message="")
    template_save.save_version(actor=author, name="support/judge", document=STARTER.read_text(), message="")
    listed = [{"inputs": {"documents": DOCUMENTS, "question": f"{QUESTION} {n}"}} for n in range(2)]
    datasets.save_dataset(
        actor=author, name="support/questions", text="".join(json.dumps(row) + "\n" for row in listed)
    )


@pytest.fixture
def judged(author, rows, settings, tmp_path):
    """A run that is done, judged with these replies."""
    settings.MODELS_PATH = tmp_path / "models.yml"

    def judged(*replies, **options):
        answers = {f"{QUESTION} {n}": reply for n, reply in enumerate(replies)}
        with ModelServer(answers, {1: "refused"} if len(replies) == 1 else {}) as server:
            server.answers.setdefault(f"{QUESTION} 1", "")
            server.numbers.setdefault(f"{QUESTION} 1", 1)
            settings.MODELS_PATH.write_text(
                f"judge: {{base_url: '{server.url}', price: {{prompt: 1, completion: 1}}, attempts: 1}}\n"
            )
            run = start_runs.start_run(
                actor=author,
                template="support/ask",
                dataset="support/questions",
                judge="support/judge@1",
                judge_model="judge",
                **options,
            )
            while run_worker.advance_run(run.pk):
                pass
        return queries.load_run(run.pk)

    return judged


def test_a_judge_scores_the_rows_and_leaves_its_evidence(judged):
    run = judged(json.dumps(JUDGED), json.dumps(JUDGED))
    assert (run.state, run.failed, run.error) == ("done", 0, "")
    assert run.scores["faithfulness"]["judgement"]["score"] == 0.5
    assert run.scores["trace_relevance"]["judgement"]["score"] == pytest.approx(2 / 3)
    row = queries.read_run_row(run, 0).row
    marks = [(s["key"], s["relevant"], s["utilized"]) for document in row.judgement["documents"] for s in document]
    assert marks == [("0a", True, True), ("0b", False, False), ("1a", True, False)]
    assert [one["supported"] for one in row.judgement["response"]] == [True, False]
    assert row.scores["faithfulness judgement"] == 0.5
    assert (row.prompt_tokens, float(run.cost)) == (100, 0.00022)


def test_a_judge_that_fails_on_a_row_fails_no_row(judged):
    run = judged(json.dumps(JUDGED))
    assert (run.failed, run.scores["faithfulness"]["judgement"]["scored"]) == (0, 1)
    judgement = queries.read_run_row(run, 1).row.judgement
    assert "400" in judgement["error"]["message"]
    assert set(judgement["scores"].values()) == {None}


@pytest.fixture
def many(author, rows, settings, tmp_path):
    """A run of 30 rows whose judge is refused on each while it is in `server.script`."""
    settings.MODELS_PATH = tmp_path / "models.yml"
    listed = [{"inputs": {"documents": DOCUMENTS, "question": f"{QUESTION} {n}"}} for n in range(30)]
    text = "".join(json.dumps(row) + "\n" for row in listed)
    datasets.save_dataset(actor=author, name="support/many", text=text)
    with ModelServer({QUESTION: json.dumps(JUDGED)}, {0: "refused"}) as server:
        settings.MODELS_PATH.write_text(f"judge: {{base_url: '{server.url}', attempts: 1}}\n")
        yield (
            server,
            start_runs.start_run(
                actor=author,
                template="support/ask",
                dataset="support/many",
                judge="support/judge@1",
                judge_model="judge",
            ),
        )


def finish(run):
    while run_worker.advance_run(run.pk, seconds=0):
        pass
    return queries.load_run(run.pk)


def test_a_judge_that_answers_no_row_stops_the_run(many):
    server, started = many
    run = finish(started)
    assert (run.state, run.failed) == ("failed", 0)
    assert "the judge failed alike on 20 rows after one another: judge answered 400" in run.error
    assert sum(server.asked.values()) <= 2 * run_worker.EQUAL_FAILURES


def test_rows_that_the_judge_failed_on_are_judged_when_the_run_goes_on(many, author):
    server, started = many
    finish(started)
    server.script.clear()
    start_runs.rerun_failures(actor=author, number=started.pk)
    run = finish(started)
    assert (run.state, run.done, run.scores["faithfulness"]["judgement"]["scored"]) == ("done", 30, 30)
    with pytest.raises(Conflict, match="No row"):
        start_runs.rerun_failures(actor=author, number=started.pk)


def test_a_reply_that_is_not_a_judgement_counts_for_nothing(judged):
    run = judged("I can't say", json.dumps(JUDGED))
    assert run.scores["trace_adherence"]["judgement"] == {"score": 0.0, "scored": 1, "of": 2, "low": None, "high": None}
    assert queries.read_run_row(run, 0).row.judgement["reply"] == "I can't say"


def test_a_judge_is_told_where_things_are_in_a_row(judged):
    run = judged(json.dumps(JUDGED), json.dumps(JUDGED), judge_paths={"documents": "inputs.excerpts"})
    assert "inputs.excerpts" in queries.read_run_row(run, 0).row.judgement["error"]["message"]


@pytest.mark.parametrize(
    ("options", "field"),
    [
        ({"judge": "support/judge"}, "ref"),
        ({"judge": "support/judge@1"}, "judge_model"),
        ({"judge": "support/judge@1", "judge_model": "none"}, "model"),
        ({"judge": "support/judge@1", "judge_model": "echo", "judge_paths": {"x": "y"}}, "judge_paths"),
        ({"judge_model": "echo"}, "judge"),
    ],
)
def test_something_that_is_not_a_judge_is_refused_by_field(author, rows, options, field):
    with pytest.raises(Invalid) as caught:
        start_runs.start_run(actor=author, template="support/ask", dataset="support/questions", **options)
    assert field in caught.value.fields
