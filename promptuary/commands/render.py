"""`promptuary render`: a document on disk, or a template of the registry, with data."""

import json
import os
import sys
from contextlib import ExitStack
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from promptuary import renderer
from promptuary.commands.api import Connection, vocabulary_source
from promptuary.commands.documents import Subject, is_on_disk, load_document
from promptuary.commands.output import Json, Key, Url, UsageError, handle_errors, print_line, write_json, write_text
from promptuary.names import split_target
from promptuary.workspace import read_document_text, read_samples

__all__ = ["read_data", "render"]


class Target(StrEnum):
    """The form of the output."""

    messages = "messages"
    text = "text"
    tokens = "tokens"


Data = Annotated[
    str,
    typer.Option("--data", "-d", help="Input values: JSON object, file that contains one, or - for standard input."),
]
Sample = Annotated[
    str,
    typer.Option(
        "--sample", "-s", help="Name of the sample to take the input values from. Only for a document on disk."
    ),
]
As = Annotated[
    Target, typer.Option("--target", "-t", help="Output: chat messages, the model's prompt text, or its tokens.")
]
Limit = Annotated[
    int | None,
    typer.Option("--token-limit", help="Maximum number of tokens, instead of the document's limit; -1 for no limit."),
]

Tokenizer = Annotated[
    str,
    typer.Option(
        "--tokenizer",
        help="Tokenizer to count with, instead of the document's: a name, a tokenizer.json file, or estimate.",
    ),
]


def render(  # noqa: PLR0913, PLR0917  # an argument an option of the command
    subject: Subject,
    data: Data = "",
    sample: Sample = "",
    target: As = Target.messages,
    token_limit: Limit = None,
    tokenizer: Tokenizer = "",
    as_json: Json = False,
    url: Url = "",
    key: Key = "",
) -> None:
    """Render a document on disk (offline) or a template of the registry."""
    with handle_errors(as_json), ExitStack() as open_until_written:
        values = read_data(data)
        path = Path(subject)
        if is_on_disk(subject):
            template = load_document(path, open_until_written.enter_context(vocabulary_source(url, key)))
            values = _read_sample(path, sample) if sample else values
        else:
            if sample:
                raise UsageError("--sample is for a document on disk; pull the template first")
            connection = open_until_written.enter_context(Connection(url, key))
            template = connection.client.get(*split_target(subject))
        _write_prompt(template.render(values, token_limit=token_limit, tokenizer=tokenizer or None), target, as_json)


def _read_sample(path: Path, sample: str) -> dict[str, Any]:
    samples = read_samples(path)
    if sample not in samples:
        raise UsageError(f"there is no sample {sample!r}; there are: {', '.join(samples) or 'none'}")
    values: dict[str, Any] = samples[sample]
    return values


def read_data(argument: str) -> dict[str, Any]:
    """The input values of `--data`: a JSON object, a file that contains one, or `-` for standard input.

    Empty without an argument. Raises UsageError for anything but a JSON object in UTF-8, OSError for a missing file.
    """
    if not argument:
        return {}
    try:
        values = json.loads(_read_data_text(argument))
    except UnicodeDecodeError as error:
        raise UsageError(f"the data is not UTF-8 text: byte {error.start + 1}") from None
    except ValueError as error:
        raise UsageError(f"the data is not JSON: {error}") from None
    if not isinstance(values, dict):
        raise UsageError("the data is a JSON object: input names to values")
    return values


def _read_data_text(argument: str) -> str:
    if argument == "-":
        return sys.stdin.buffer.read().decode("utf-8")
    if argument.lstrip().startswith("{"):
        return os.fsencode(argument).decode("utf-8")  # UTF-8 in any locale
    return read_document_text(Path(argument))


def _write_prompt(prompt: renderer.Prompt, target: Target, as_json: bool) -> None:
    if as_json:
        write_json(prompt.to_dict(target=target.value))
    elif target is Target.text:
        write_text(prompt.text)
    elif target is Target.tokens:
        write_text(" ".join(str(token) for token in prompt.tokens) + "\n")
    else:
        for message in prompt.messages:
            content = message.get("content")
            content_text = content if isinstance(content, str) else json.dumps(content, ensure_ascii=False)
            write_text(f"[{message['role']}]\n{content_text}\n")
    if not as_json:
        _tell_tokens(prompt)


def _tell_tokens(prompt: renderer.Prompt) -> None:
    """Print what was cut or ignored, and the number of tokens, to standard error."""
    for cut in prompt.cut:
        print_line(f"cut: {cut.name} ({cut.tokens} tokens): {cut.reason}", "yellow")
    if prompt.ignored:
        print_line(f"ignored inputs: {', '.join(sorted(prompt.ignored))}", "yellow")
    try:
        count = prompt.token_count
    except renderer.MissingVocabularyError as error:
        print_line(f"It fits its limit, but its tokens are not counted. {error.message}", "yellow")
        return
    exact = "" if prompt.tokenizer.get("exact") else " (estimated)"
    print_line(f"{count} token{'s' if count != 1 else ''}{exact}")
