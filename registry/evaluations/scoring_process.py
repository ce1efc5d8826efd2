"""Metrics of a run: checking their names, and scoring its rows in this process or in a limited child process.

Rows can contain regular expressions and schemas, and some metrics are quadratic in the text's length, so saved data
could keep a worker busy forever. `python -m registry.evaluations.scoring_process` reads one request from stdin and
answers with JSON; it needs neither Django nor the database.
"""

# no texts here: faults are stored

import json
import resource
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from promptuary.evaluation import EvaluationError, EvaluationResult, compare_scores, gates
from promptuary.evaluation.metrics import catalogue
from promptuary.evaluation.scoring import Score
from registry.core.errors import Invalid

__all__ = ["SECONDS", "check_metrics", "judge_result", "score_result"]

SECONDS = 300
_MEMORY = 4 * 1024**3  # bytes of address space
_UNBOUNDED = ("regex", "json_schema")
_SHORT = 512 * 1024  # bytes of a result file, below which texts are short enough for all other metrics


def score_result(path: Path, metrics: Sequence[str]) -> dict[str, Any]:
    """Score a result file: {"metrics": {metric: {target: score with low and high}}, "rows": {"metric target": [score of
    each row]}, "faults": [sentence]}. What can't be computed is reported as a fault, without a score.
    """
    return _run({"do": "score", "path": str(path), "metrics": list(metrics)}, path, metrics)


def judge_result(path: Path, gate_texts: Sequence[str], baseline: Path | None) -> dict[str, Any]:
    """Judge a result file by gates: {"verdicts": [as `gates.Verdict.to_dict`, without the rows], "faults":
    [sentence]}.
    """
    request = {
        "do": "judge",
        "path": str(path),
        "gates": list(gate_texts),
        "baseline": str(baseline) if baseline else None,
    }
    return _run(request, path, gate_texts)


def check_metrics(names: Sequence[str]) -> list[str]:
    """The names without duplicates. Raises Invalid with the known metrics for an unknown one."""
    try:
        return [catalogue.find_metric(name).metric.value for name in dict.fromkeys(names)]
    except EvaluationError as error:
        raise Invalid(fields={"metrics": f"{error}."}) from error


def _run(request: Mapping[str, Any], path: Path, secret_names: Sequence[str]) -> dict[str, Any]:
    if path.stat().st_size <= _SHORT and not any(name.startswith(_UNBOUNDED) for name in secret_names):
        return _answer(request)
    command = [sys.executable, "-m", "registry.evaluations.scoring_process"]
    try:
        process = subprocess.run(  # noqa: S603  # our own module
            command, input=json.dumps(request).encode(), capture_output=True, timeout=SECONDS, check=False
        )
    except subprocess.TimeoutExpired:
        return {"faults": [f"Scoring took longer than {SECONDS} s and was ended."]}
    if process.returncode != 0:
        return {"faults": ["Scoring ended early: it needed more memory than it may take, or failed."]}
    answer: dict[str, Any] = json.loads(process.stdout)
    return answer


def _answer(request: Mapping[str, Any]) -> dict[str, Any]:
    result = EvaluationResult.load(request["path"])
    return _score(result, request["metrics"]) if request["do"] == "score" else _judge(result, request)


def _score(result: EvaluationResult, metrics: Sequence[str]) -> dict[str, Any]:
    report: dict[str, Any] = {"metrics": {}, "rows": {}, "faults": []}
    for metric in metrics:
        try:
            targets = result.calculate_metrics(metric)
        except EvaluationError as error:
            report["faults"].append(f"{metric}: {error}.")
            continue
        report["metrics"][metric] = {target: _summarize_score(score) for target, score in targets.items()}
        report["rows"] |= {f"{metric} {target}": score["individual_scores"] for target, score in targets.items()}
    return report


def _summarize_score(score: Score) -> dict[str, Any]:
    """The score with the bootstrap interval of the rows' mean, if the score is that mean."""
    summary = {"score": score["score"], "scored": score["scored"], "of": score["of"], "low": None, "high": None}
    scores = [value for value in score["individual_scores"] if value is not None]
    if score["score"] is not None and scores and abs(sum(scores) / len(scores) - score["score"]) < 1e-9:
        nothing: Score = {
            **score,
            "individual_scores": [None if v is None else 0.0 for v in score["individual_scores"]],
        }
        interval = compare_scores(nothing, score)
        summary |= {"low": interval.low, "high": interval.high}
    return summary


def _judge(result: EvaluationResult, request: Mapping[str, Any]) -> dict[str, Any]:
    baseline = EvaluationResult.load(request["baseline"]) if request["baseline"] else None
    report: dict[str, Any] = {"verdicts": [], "faults": []}
    for text in request["gates"]:
        try:
            verdicts = gates.judge(result, [gates.parse_gate(text)], baseline)
        except EvaluationError as error:
            report["faults"].append(f"{text}: {error}.")
            continue
        for verdict in verdicts:
            facts = verdict.to_dict()
            if facts["comparison"]:
                facts["comparison"].pop("rows")
            report["verdicts"].append(facts)
    return report


if __name__ == "__main__":
    resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))
    print(json.dumps(_answer(json.load(sys.stdin))))  # noqa: T201  # this is the answer
