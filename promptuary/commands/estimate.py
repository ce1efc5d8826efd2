"""`promptuary estimate`: what an evaluation run in the registry is expected to cost, before it is started."""

from typing import Annotated, Any

import typer

from promptuary.commands.api import Connection
from promptuary.commands.completion import complete_name
from promptuary.commands.output import Json, Key, Url, answering, say, write_json, write_text
from promptuary.names import split_target

__all__ = ["estimate"]

Target = Annotated[
    str,
    typer.Argument(
        metavar="NAME[@REF]", help="The version to run; the latest without @REF.", autocompletion=complete_name
    ),
]
Rows = Annotated[str, typer.Option("--dataset", help="A dataset of the registry; else the template's samples.")]
RowsVersion = Annotated[
    int | None, typer.Option("--dataset-version", min=1, help="This version of it; else the latest.")
]
Model = Annotated[str, typer.Option("--model", help="A model of the template's namespace.")]


def estimate(
    target: Target,
    dataset: Rows = "",
    dataset_version: RowsVersion = None,
    model: Model = "echo",
    as_json: Json = False,
    url: Url = "",
    key: Key = "",
) -> None:
    """Tell what a run in the registry is expected to cost; no model is asked, and nothing is stored."""
    with answering(as_json), Connection(url, key) as connection:
        name, ref = split_target(target, "latest")
        body = {"template": name, "ref": ref, "dataset": dataset or None, "model": model}
        answer = connection.call("POST", "runs/estimate", {**body, "dataset_version": dataset_version})
        if as_json:
            write_json(answer)
        else:
            _tell(answer)


def _tell(answer: Any) -> None:
    cost = f"{answer['cost']} {answer['currency']}" if answer["cost"] is not None else "no cost, it has no price"
    length = "as long as before" if answer["is_from_replies"] else "at most"
    write_text(
        f"{answer['rows']:,} rows, {answer['prompt_tokens']:,} tokens in prompts,"
        f" {answer['completion_tokens']:,} in replies ({length}): {cost}\n"
    )
    if answer["misfits"]:
        say(f"{answer['misfits']} of {answer['sampled']} sampled rows can't be rendered", "yellow")
