"""Judging: scores and evidence from a judge's replies, and unreadable replies."""

import json
from pathlib import Path

import pytest

from promptuary import renderer
from promptuary.evaluation import (
    EvaluationError,
    EvaluationResult,
    FunctionRunnable,
    Judge,
    Reply,
    TemplateRunnable,
    judge,
    metrics_for,
    run,
    score,
)
from promptuary.evaluation.judge import read_judgement

STARTER = Path(__file__).parents[2] / "registry/starter/demo/judge-answer-support.yml.j2"
DOCUMENTS = ["The bridge opened in 1932. It has two lanes.", "Cyclists use the footpath."]
REPLY = {
    "relevance_explanation": "The opening year stands in document 0.",
    "all_relevant_sentence_keys": ["0a", "1a"],
    "overall_supported_explanation": "The second claim is not carried.",
    "overall_supported": False,
    "sentence_support_information": [
        {"response_sentence_key": "a", "explanation": "0a says so", "supporting_sentence_keys": ["0a"],
            "fully_supported": True},
        {"response_sentence_key": "b", "explanation": "nowhere", "supporting_sentence_keys": [],
            "fully_supported": False},
    ],
    "all_utilized_sentence_keys": ["0a"],
}  # fmt: skip


class Said:
    """A model that says what it is told to."""

    name = "said"

    def __init__(self, *replies):
        self.replies = list(replies)

    def complete(self, prompt, settings):
        return Reply(self.replies.pop(0))


def answered(count=1):
    rows = [{"documents": DOCUMENTS, "question": "When did it open?"}] * count
    answer = "It opened in 1932. Lorries are banned."
    return run(FunctionRunnable("answer", lambda documents, question: {"answer": answer}), rows)


def by_template(*replies):
    return Judge(TemplateRunnable(renderer.load(STARTER.read_text()), Said(*replies), name="judge"))


def first(judged):
    return next(judged.rows())["actual"]["judgement"]


def test_the_starter_judge_scores_a_run():
    scores = answered().calculate_metrics(by_template(json.dumps(REPLY)))
    assert {name: outcome["score"] for name, outcome in scores.items()} == {
        "trace_relevance": pytest.approx(2 / 3),
        "trace_utilization": pytest.approx(1 / 3),
        "trace_completeness": 0.5,
        "trace_adherence": 0.0,
        "faithfulness": 0.5,
        "context_relevance": 1.0,
    }


def test_each_sentence_is_marked_with_what_the_judge_said_of_it():
    judgement = first(judge(answered(), by_template(json.dumps(REPLY))))
    marks = [
        (s["key"], s["relevant"], s["utilized"], s["supports"]) for document in judgement["documents"] for s in document
    ]
    assert marks == [("0a", True, True, ["a"]), ("0b", False, False, []), ("1a", True, False, [])]
    assert [(s["text"], s["supported"], s["explanation"]) for s in judgement["response"]] == [
        ("It opened in 1932.", True, "0a says so"),
        ("Lorries are banned.", False, "nowhere"),
    ]


@pytest.mark.parametrize("reply", ["I can't do that.", "[]", '"yes"', ""])
def test_a_reply_that_is_not_a_judgement_is_reported_and_scores_nothing(reply):
    judgement = first(judge(answered(), by_template(reply)))
    assert judgement["error"]["message"]
    assert set(judgement["scores"].values()) == {None}
    assert judgement["reply"] == reply


def test_a_missing_list_leaves_its_scores_out_and_the_others_in():
    partial = {key: value for key, value in REPLY.items() if key != "all_utilized_sentence_keys"}
    judgement = first(judge(answered(), by_template(json.dumps(partial))))
    assert judgement["scores"]["trace_relevance"] == pytest.approx(2 / 3)
    assert judgement["scores"]["trace_completeness"] is None
    assert "all_utilized_sentence_keys" in judgement["reasons"]["trace_completeness"]


def test_a_row_that_could_not_be_judged_is_not_counted_as_zero():
    scores = answered(3).calculate_metrics(by_template(json.dumps(REPLY), "no", json.dumps(REPLY)))
    assert scores["faithfulness"] == {"score": 0.5, "individual_scores": [0.5, None, 0.5], "scored": 2, "of": 3}


def test_a_judge_that_fails_is_reported_with_its_row():
    def fall_over(documents, question, response):
        raise TimeoutError("no answer in time")

    judgement = first(judge(answered(), Judge(FunctionRunnable("judge", fall_over))))
    assert judgement["error"] == {"kind": "TimeoutError", "message": "no answer in time"}
    assert [s["text"] for s in judgement["response"]] == ["It opened in 1932.", "Lorries are banned."]


def test_a_row_without_an_answer_is_reported():
    blank = run(
        FunctionRunnable("broken", lambda documents, question: 1 / 0), [{"documents": DOCUMENTS, "question": "?"}]
    )
    assert "actual.answer" in first(judge(blank, by_template()))["error"]["message"]


def test_the_judge_reads_where_it_is_told_to():
    asked = []

    def record(response, question):
        asked.append((question, response))
        return {"reply": "{}"}

    runnable = FunctionRunnable("judge", record)
    rows = run(
        FunctionRunnable("a", lambda passages, topic: {"text": "Yes."}), [{"passages": ["One."], "topic": "tea"}]
    )
    judge(rows, Judge(runnable, documents="inputs.passages", question="inputs.topic", response="actual.text"))
    assert asked == [("tea", "Yes.")]


def test_judged_rows_are_kept_in_a_file_and_scored_again_without_the_judge(tmp_path):
    judge(answered(), by_template(json.dumps(REPLY))).save(tmp_path / "judged.jsonl")
    loaded = EvaluationResult.load(tmp_path / "judged.jsonl")
    assert loaded.calculate_metrics("trace_completeness")["judgement"]["score"] == 0.5
    assert loaded.runnable["definition"]["judge"]["kind"] == "template"


def test_raw_replies_are_scored_against_their_documents():
    outcome = score("trace_relevance", [DOCUMENTS] * 3, [REPLY, json.dumps(REPLY), "no"])
    assert outcome["individual_scores"] == [pytest.approx(2 / 3), pytest.approx(2 / 3), None]
    by_length = score("trace_utilization", [DOCUMENTS], [REPLY], unit="character")["score"]
    assert by_length == pytest.approx(26 / (26 + 17 + 26))
    with pytest.raises(EvaluationError, match=r"row 1.*documents"):
        score("trace_relevance", [None], [REPLY])


@pytest.mark.parametrize(
    ("metric", "reply", "value"),
    [
        ("faithfulness", {"statements": ["a", "b"], "statement_scores": [1, 0]}, 0.5),
        ("faithfulness", '```json\n{"statements": [], "statement_scores": []}\n```', 0.0),
        ("faithfulness", {"statement_scores": "all"}, None),
        ("context_relevance", {"relevant_statements": ["x"]}, 1.0),
        ("context_relevance", {"relevant_statements": []}, 0.0),
        ("context_relevance", {"relevant_statements": None}, None),
    ],
)
def test_replies_by_statements_are_read_as_haystacks(metric, reply, value):
    assert score(metric, [None], [reply])["individual_scores"] == [value]


def test_judgements_are_an_output_type():
    assert {str(metric) for metric in metrics_for("judgement")} >= {"faithfulness", "trace_adherence"}


def test_a_verdict_on_a_missing_sentence_is_left_out_and_reported():
    judgement = read_judgement(json.dumps(REPLY), DOCUMENTS, "It opened in 1932.")
    assert (judgement["scores"]["faithfulness"], judgement["scores"]["trace_adherence"]) == (1.0, 1.0)
    assert judgement["repairs"] == ["left out the verdict on b, which is not a sentence of the response"]


def test_a_sentence_without_a_verdict_is_reported():
    judgement = read_judgement(json.dumps(REPLY), DOCUMENTS, "It opened in 1932. Lorries are banned. So are cranes.")
    assert "no verdict on c" in judgement["reasons"]["trace_adherence"]
    assert judgement["response"][2]["supported"] is None


def test_keys_of_another_kind_are_all_taken():
    other = json.dumps(REPLY).replace('"response_sentence_key": "a"', '"response_sentence_key": "1"')
    other = other.replace('"response_sentence_key": "b"', '"response_sentence_key": "2"')
    assert read_judgement(other, DOCUMENTS, "It opened in 1932. Lorries are banned.")["scores"]["faithfulness"] == 0.5
