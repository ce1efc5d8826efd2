"""The options of `promptuary test` for having a judge read each row's answer."""

from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import typer

from promptuary import evaluation
from promptuary.commands.output import UsageError, print_line

__all__ = [
    "JudgeDocument",
    "JudgeModel",
    "JudgePlaces",
    "judge_rows",
    "list_unjudged_rows",
    "print_unjudged_rows",
    "read_places",
]

JudgeDocument = Annotated[
    Path | None,
    typer.Option(
        "--judge",
        help="Document (*.yml.j2) that judges each answer, such as judge-answer-support of the starter library.",
    ),
]
JudgeModel = Annotated[
    str, typer.Option("--judge-model", help="Model that the judge uses, written like --model. Default: the same model.")
]
JudgePlaces = Annotated[
    list[str] | None,
    typer.Option(
        "--judge-path",
        help="Place in a row of an input of the judge, such as documents=inputs.excerpts. Can be repeated.",
    ),
]
_NAMES = ("documents", "question", "response")


def judge_rows(
    result: evaluation.EvaluationResult, runnable: evaluation.Runnable, places: list[str], workers: int
) -> evaluation.EvaluationResult:
    """Add each row's judgement to its answer. Raises UsageError for a path that can't be read."""
    judge = replace(evaluation.Judge(runnable), **read_places(places))
    return evaluation.add_judgements(result, judge, workers=workers)


def read_places(places: list[str]) -> dict[str, Any]:
    """Parse the paths in a row, by judge input. Raises UsageError for a path that can't be read."""
    paths = {}
    for place in places:
        name, sign, path = place.partition("=")
        if name not in _NAMES or not sign or not path:
            raise UsageError(f"--judge-path {place}: write one of {', '.join(_NAMES)}, then = and a path in the row")
        paths[name] = path
    return paths


def list_unjudged_rows(result: evaluation.EvaluationResult) -> list[tuple[int, dict[str, str]]]:
    """List the rows without a usable judgement, by number, with the reason."""
    judged = ((number, (row["actual"] or {}).get("judgement")) for number, row in enumerate(result.rows()))
    return [(number, judgement["error"]) for number, judgement in judged if judgement and judgement["error"]]


def print_unjudged_rows(rows: list[tuple[int, dict[str, str]]]) -> None:
    """Print why rows were not judged: each reason once, with the number of rows."""
    for reason, count in Counter(error["message"] for _, error in rows).items():
        print_line(f"{count} {'row was' if count == 1 else 'rows were'} not judged: {reason}", "red")
    if any(error["kind"] != "OutputError" for _, error in rows):
        print_line("--judge-path says where in a row the judge finds its documents, question and response.")
