"""Judge calls for the rows of a run: a judging template asks a model about the documents and the answer of each row.

It says which sentences of the documents mattered, which were used, and which support the answer.
A judge that fails fails no row: its judgement says what went wrong, and the scores are null.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from promptuary.evaluation import EvaluationError, Judge, Row, compare_scores
from promptuary.evaluation import score as score_rows
from promptuary.evaluation.judge import read_judgement
from promptuary.evaluation.metrics.judgements import NAMES
from promptuary.evaluation.models import Model
from promptuary.evaluation.scoring import Score
from promptuary.renderer.document.parser import parse_document
from registry.core.errors import Conflict
from registry.evaluations import model_calls, model_endpoints
from registry.evaluations.model_calls import AskedRow, Judged
from registry.evaluations.model_endpoints import Endpoint
from registry.evaluations.models import Run, RunRow

__all__ = ["PATHS", "OpenJudge", "ask_judge", "open_judge", "score_judgements"]

PATHS = {"documents": "inputs.documents", "question": "inputs.question", "response": "actual.answer"}
TARGET = "judgement"


@dataclass(frozen=True)
class OpenJudge:
    """A run's judge, ready to be asked."""

    bundle: Mapping[str, Any]
    endpoint: Endpoint
    model: Model
    places: Judge
    inputs: tuple[str, ...] | None


class _Nothing:
    """What a `Judge` runs where only its places are wanted."""

    name, digest = "judge", ""

    def run(self, inputs: dict[str, Any]) -> dict[str, Any]:
        """The inputs, so that they are found where the judge finds them."""
        return {"reply": inputs}


def open_judge(run: Run) -> OpenJudge | None:
    """The run's judge, or None; Conflict where its model is not what it was."""
    if run.judge is None:
        return None
    endpoint = model_endpoints.find_endpoint(run.judge_model, run.template.namespace.name)
    if endpoint.digest != run.judge_model_digest:
        raise Conflict(f"The judge's model {run.judge_model} is not what it was: start another run.")
    bundle = run.judge.unpacked()
    declared = parse_document(bundle["document"]).inputs
    places = Judge(_Nothing(), **{**PATHS, **run.judge_paths})
    return OpenJudge(bundle, endpoint, endpoint.open(), places, None if declared is None else tuple(declared))


def ask_judge(run: Run, judging: OpenJudge, batch: Sequence[AskedRow]) -> None:
    """Have every row judged that came to an answer."""
    asked: list[tuple[AskedRow, AskedRow, dict[str, Any]]] = []
    for one in batch:
        if one.problem:
            continue
        row = {"inputs": one.row.inputs, "expected": one.row.expected, "actual": one.actual()}
        try:
            documents, question, response = judging.places.find(row)
        except EvaluationError:
            one.judged = Judged(judging.places.judge_row(row), [], None)
            continue
        given = {"documents": documents, "question": question, "response": response}
        taken = {name: value for name, value in given.items() if judging.inputs is None or name in judging.inputs}
        asked.append((one, AskedRow(one.index, Row(taken)), given))
    model_calls.ask_model(run, judging.bundle, judging.endpoint, judging.model, [put for _, put, _ in asked])
    for one, put, said in asked:
        one.judged = _judged(judging, put, said)


def _judged(judging: OpenJudge, put: AskedRow, given: Mapping[str, Any]) -> Judged:
    reply = put.replies[0].text if put.replies else None
    found = read_judgement(reply if reply is not None else "", given["documents"], given["response"])
    if reply is None and put.problem:
        found["error"] = {"kind": put.problem["kind"], "message": put.problem["message"]}
        found["reasons"] = dict.fromkeys(NAMES, put.problem["message"])
        found["reply"] = None
    return Judged(dict(found), put.replies, model_calls.cost_of_replies(judging.endpoint, put.replies))


def score_judgements(run: Run, found: dict[str, Any]) -> None:
    """Add the judge's metrics to what `scorer.score` found, under the target `judgement`."""
    rows: list[Any] = [None] * run.total
    for row in RunRow.objects.filter(run=run).exclude(judgement_text=""):
        rows[row.index] = row.judgement
    for name in NAMES:
        whole = score_rows(name, [None] * run.total, rows)
        found.setdefault("metrics", {})[name] = {TARGET: _summary(whole)}
        found.setdefault("rows", {})[f"{name} {TARGET}"] = whole["individual_scores"]


def _summary(one: Score) -> dict[str, Any]:
    nothing: Score = {**one, "individual_scores": [None if v is None else 0.0 for v in one["individual_scores"]]}
    interval = compare_scores(nothing, one)
    told = {"score": one["score"], "scored": one["scored"], "of": one["of"]}
    return {**told, "low": interval.low, "high": interval.high}
