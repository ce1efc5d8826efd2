"""The options of `promptuary test` that have a judge read each row's answer."""

from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import typer

from promptuary import evaluation
from promptuary.commands.output import UsageError

__all__ = ["JudgeDocument", "JudgeModel", "JudgePlaces", "judge_rows"]

JudgeDocument = Annotated[
    Path | None,
    typer.Option("--judge", help="The document that judges each row, such as the starter's judge-answer-support."),
]
JudgeModel = Annotated[
    str, typer.Option("--judge-model", help="The judge's model, in the form of --model. Default: the same model.")
]
JudgePlaces = Annotated[
    list[str] | None,
    typer.Option("--judge-path", help="Where in a row the judge finds an input, such as documents=inputs.excerpts."),
]
_NAMES = ("documents", "question", "response")


def judge_rows(
    result: evaluation.EvaluationResult, runnable: evaluation.Runnable, places: list[str], workers: int
) -> evaluation.EvaluationResult:
    """The result with each row's judgement beside its answer. UsageError for a place that can't be read."""
    judge = replace(evaluation.Judge(runnable), **_read_places(places))
    return evaluation.add_judgements(result, judge, workers=workers)


def _read_places(places: list[str]) -> dict[str, Any]:
    paths = {}
    for place in places:
        name, sign, path = place.partition("=")
        if name not in _NAMES or not sign or not path:
            raise UsageError(f"--judge-path {place}: write one of {', '.join(_NAMES)}, then = and a path in the row")
        paths[name] = path
    return paths
