"""`promptuary estimate`: what an evaluation run in the registry is expected to cost, before it is started."""

from typing import Annotated, Any

import typer

from promptuary.commands.api import Connection
from promptuary.commands.completion import complete_name
from promptuary.commands.judging import JudgePlaces, read_places
from promptuary.commands.output import Json, Key, Url, handle_errors, print_line, write_json, write_text
from promptuary.names import split_target

__all__ = ["estimate"]

Target = Annotated[
    str,
    typer.Argument(
        metavar="NAME[@REF]", help="Version to run. Without @REF: the latest.", autocompletion=complete_name
    ),
]
Rows = Annotated[str, typer.Option("--dataset", help="Dataset of the namespace. Default: the template's samples.")]
RowsVersion = Annotated[
    int | None, typer.Option("--dataset-version", min=1, help="Version of the dataset. Default: the latest.")
]
Model = Annotated[str, typer.Option("--model", help="Model connection of the template's namespace.")]
Judge = Annotated[
    str, typer.Option("--judge", help="Template that judges each answer, such as quality/judge@production.")
]
JudgeModel = Annotated[str, typer.Option("--judge-model", help="Model connection that the judge uses.")]


def estimate(  # noqa: PLR0913, PLR0917  # an argument an option of the command
    target: Target,
    dataset: Rows = "",
    dataset_version: RowsVersion = None,
    model: Model = "echo",
    judge: Judge = "",
    judge_model: JudgeModel = "",
    judge_path: JudgePlaces = None,
    as_json: Json = False,
    url: Url = "",
    key: Key = "",
) -> None:
    """Estimate the cost of an evaluation in the registry. No model is called, and nothing is stored."""
    with handle_errors(as_json), Connection(url, key) as connection:
        name, ref = split_target(target, "latest")
        body = {"template": name, "ref": ref, "dataset": dataset or None, "model": model}
        judging = {
            "judge": judge or None,
            "judge_model": judge_model or None,
            "judge_paths": read_places(judge_path or []),
        }
        answer = connection.call("POST", "runs/estimate", {**body, **judging, "dataset_version": dataset_version})
        if as_json:
            write_json(answer)
        else:
            _print_estimate(answer)


def _describe_judge(answer: Any) -> str:
    """Describe the tokens of the judge's calls; empty without a judge."""
    if not answer["judge_prompt_tokens"]:
        return ""
    return (
        f"; {answer['judge_prompt_tokens']:,} tokens in prompts of the judge,"
        f" {answer['judge_completion_tokens']:,} in its replies"
    )


def _print_estimate(answer: Any) -> None:
    cost = f"{answer['cost']} {answer['currency']}" if answer["cost"] is not None else "no cost, it has no price"
    length = "as long as before" if answer["is_from_replies"] else "at most"
    write_text(
        f"{answer['rows']:,} rows, {answer['prompt_tokens']:,} tokens in prompts,"
        f" {answer['completion_tokens']:,} in replies ({length}){_describe_judge(answer)}: {cost}\n"
    )
    if answer["misfits"]:
        print_line(f"{answer['misfits']} of {answer['sampled']} sampled rows can't be rendered", "yellow")
