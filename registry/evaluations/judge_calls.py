"""Judge calls for the rows of a run: a judge template has a model assess each row's documents and answer.

The judge says which sentences of the documents were relevant, which were used, and which support the answer. A failed
judge call doesn't fail the row: the judgement says what went wrong, and the scores are null.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from promptuary.evaluation import EvaluationError, Judge, Row, compare_scores
from promptuary.evaluation import score as score_rows
from promptuary.evaluation.judge import read_judgement
from promptuary.evaluation.metrics.judgements import NAMES
from promptuary.evaluation.models import Model
from promptuary.evaluation.scoring import Score
from promptuary.renderer.document.parser import parse_document
from registry.connections import queries as connection_queries
from registry.connections.endpoint import Endpoint
from registry.core.errors import Conflict
from registry.evaluations import model_calls
from registry.evaluations.models import Run, RunRow
from registry.evaluations.row_calls import Judged, RowCall, compute_row_cost

__all__ = ["PATHS", "OpenJudge", "ask_judge", "find_places", "open_judge", "pick_inputs", "score_judgements"]

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
    """A stub for a `Judge` of which only the paths are needed."""

    name, digest = "judge", ""

    def run(self, inputs: dict[str, Any]) -> dict[str, Any]:
        """Return the inputs unchanged, so that the judge's paths can be resolved in them."""
        return {"reply": inputs}


def open_judge(run: Run) -> OpenJudge | None:
    """The run's judge, or None. Raises Conflict if its model changed."""
    if run.judge is None:
        return None
    endpoint = connection_queries.find_endpoint(run.judge_model, run.template.namespace.name)
    if endpoint.digest != run.judge_model_digest:
        raise Conflict(f"The judge's model {run.judge_model} is not what it was: start another run.")  # no text: stored
    bundle = run.judge.unpacked()
    inputs = parse_document(bundle["document"]).inputs
    return OpenJudge(
        bundle, endpoint, endpoint.open(), find_places(run.judge_paths), None if inputs is None else tuple(inputs)
    )


def find_places(paths: Mapping[str, str]) -> Judge:
    """A judge that only finds in a row what it reads. paths: overrides of the default paths."""
    documents, question, response = ({**PATHS, **paths}[name] for name in PATHS)
    return Judge(_Nothing(), documents, question, response)


def pick_inputs(values: tuple[list[str], str, str], declared: Iterable[str] | None) -> dict[str, Any]:
    """Pick from documents, question and response what the judge's template declares; all if it declares no inputs."""
    inputs = dict(zip(PATHS, values, strict=True))
    return {name: value for name, value in inputs.items() if declared is None or name in declared}


def ask_judge(run: Run, judging: OpenJudge, batch: Sequence[RowCall]) -> None:
    """Judge every row that has an answer."""
    questions: list[tuple[RowCall, RowCall, dict[str, Any]]] = []
    for call in batch:
        if call.problem:
            continue
        row = {"inputs": call.row.inputs, "expected": call.row.expected, "actual": call.actual()}
        try:
            judged_values = judging.places.find(row)
        except EvaluationError:
            call.judged = Judged(judging.places.judge_row(row), [], None)
            continue
        values = dict(zip(PATHS, judged_values, strict=True))
        questions.append((call, RowCall(call.index, Row(pick_inputs(judged_values, judging.inputs))), values))
    model_calls.ask_model(
        run, judging.bundle, judging.endpoint, judging.model, [judge_row for _, judge_row, _ in questions]
    )
    for call, judge_row, values in questions:
        call.judged = _build_judged(judging, judge_row, values)


def _build_judged(judging: OpenJudge, judge_row: RowCall, values: Mapping[str, Any]) -> Judged:
    reply = judge_row.replies[0].text if judge_row.replies else None
    judgement = read_judgement(reply if reply is not None else "", values["documents"], values["response"])
    if reply is None and judge_row.problem:
        judgement["error"] = {"kind": judge_row.problem["kind"], "message": judge_row.problem["message"]}
        judgement["reasons"] = dict.fromkeys(NAMES, judge_row.problem["message"])
        judgement["reply"] = None
    return Judged(dict(judgement), judge_row.billed, compute_row_cost(judging.endpoint, judge_row))


def score_judgements(run: Run, report: dict[str, Any]) -> None:
    """Add the judge's metrics to the report of `scoring_process.score_result`, under the target `judgement`."""
    rows: list[Any] = [None] * run.total
    for row in RunRow.objects.filter(run=run).exclude(judgement_text=""):
        rows[row.index] = row.judgement
    for name in NAMES:
        aggregate = score_rows(name, [None] * run.total, rows)
        report.setdefault("metrics", {})[name] = {TARGET: _summarize_score(aggregate)}
        report.setdefault("rows", {})[f"{name} {TARGET}"] = aggregate["individual_scores"]


def _summarize_score(score: Score) -> dict[str, Any]:
    nothing: Score = {**score, "individual_scores": [None if v is None else 0.0 for v in score["individual_scores"]]}
    interval = compare_scores(nothing, score)
    summary = {"score": score["score"], "scored": score["scored"], "of": score["of"]}
    return {**summary, "low": interval.low, "high": interval.high}
