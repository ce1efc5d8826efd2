"""`promptuary export`: a document in the form of another system, or a dataset through it for fine-tuning."""

import json
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from promptuary import renderer
from promptuary.commands.api import Connection, vocabulary_source
from promptuary.commands.documents import Subject, is_on_disk, load_document
from promptuary.commands.output import (
    Finding,
    Json,
    Key,
    Url,
    UsageError,
    handle_errors,
    print_line,
    write_json,
    write_text,
)
from promptuary.evaluation import EvaluationError, datasets, training
from promptuary.names import split_target
from promptuary.renderer.files import save_file
from promptuary.renderer.interop.imported import LossError
from promptuary.renderer.interop.writing import write_as
from promptuary.workspace import DOCUMENT, Workspace

__all__ = ["export"]


class Form(StrEnum):
    """The form of a line for fine-tuning."""

    messages = "messages"
    text = "text"


class Target(StrEnum):
    """The system to export for."""

    haystack = "haystack"
    prompty = "prompty"
    langfuse = "langfuse"


To = Annotated[Target | None, typer.Option("--to", help="System to export for.")]
Training = Annotated[
    Path | None,
    typer.Option("--training", help="Dataset whose rows are written as lines for fine-tuning, instead of --to."),
]
AsForm = Annotated[
    Form,
    typer.Option(
        "--form",
        help="Form of a line for fine-tuning: chat messages, or one text with the markers of the model family.",
    ),
]
Label = Annotated[str, typer.Option("--label", help="Expectation to use as the answer, if the rows have several.")]
Out = Annotated[Path | None, typer.Option("--out", "-o", help="File to write to. Default: standard output.")]
Lossy = Annotated[
    bool, typer.Option("--lossy", help="Leave out what the other format can't express, instead of refusing.")
]


def export(  # noqa: PLR0913, PLR0917  # an argument an option of the command
    subject: Subject,
    to: To = None,
    rows: Training = None,
    form: AsForm = Form.messages,
    label: Label = "",
    out: Out = None,
    lossy: Lossy = False,
    as_json: Json = False,
    url: Url = "",
    key: Key = "",
) -> None:
    """Export a document for another system, or a dataset for fine-tuning.

    What the other format can't express is refused and named."""
    with handle_errors(as_json), vocabulary_source(url, key) as source:
        if (to is None) == (rows is None):
            raise UsageError("say either --to whose form, or --training with a dataset")
        template, name = _load_template(subject, url, key)
        template.vocabularies = source or template.vocabularies
        try:
            if to is not None:
                text, losses = write_as(to.value, template.document, name, template.fragments)
                _refuse_losses(to, losses, lossy)
            else:
                text, losses = _write_training_lines(template, rows or Path(), form, label), []
        except LossError as error:
            raise Finding(f"{subject} is not exported: {error}") from error
        if out is not None:
            save_file(out, text.encode())
        if as_json:
            write_json({"name": name, "lost": losses, **({"file": str(out)} if out else {"text": text})})
        elif out is None:
            write_text(text)


def _load_template(subject: str, url: str, key: str) -> tuple[renderer.Template, str]:
    """The template, and its name: of a document on disk, its path in the workspace without the extension."""
    if not is_on_disk(subject):
        with Connection(url, key) as connection:
            name, ref = split_target(subject)
            return connection.client.get(name, ref), name
    path = Path(subject)
    template, workspace = load_document(path), Workspace.around(path)
    relative_path = path.absolute().relative_to(workspace.folder) if workspace else Path(path.name)
    return template, relative_path.as_posix().removesuffix(DOCUMENT).removesuffix(".j2")


def _refuse_losses(to: Target, losses: list[str], lossy: bool) -> None:
    if losses and not lossy:
        raise LossError(f"{to} has no place for {'; '.join(losses)}. With --lossy it goes without")
    for loss in losses:
        print_line(f"left out: {loss}", "yellow")


def _write_training_lines(template: renderer.Template, rows: Path, form: Form, label: str) -> str:
    try:
        dataset = datasets.read(rows)
    except EvaluationError as error:
        raise UsageError(str(error)) from error
    lines = []
    examples = training.list_training_lines(template, dataset, form.value, label)
    for number, (_row, prompt, line) in enumerate(examples, start=1):
        lines.append(json.dumps(line, ensure_ascii=False) + "\n")
        for cut in prompt.cut:
            print_line(f"row {number}: cut, as it would be for the model: {cut.name} ({cut.tokens} tokens)", "yellow")
    return "".join(lines)
