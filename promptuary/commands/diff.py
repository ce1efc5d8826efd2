"""`promptuary diff`: what changed between two documents, in their sources and in what they render to."""

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any

import typer

from promptuary import renderer
from promptuary.commands.api import Connection, vocabulary_source
from promptuary.commands.completion import complete_name
from promptuary.commands.output import (
    FINDINGS,
    Json,
    Key,
    Url,
    UsageError,
    handle_errors,
    print_line,
    write_json,
    write_text,
)
from promptuary.commands.render import read_data
from promptuary.names import split_target
from promptuary.renderer.syntax import sequence_diff
from promptuary.renderer.tokens.vocabularies import VocabularySource
from promptuary.workspace import Workspace, read_document_text, read_samples

__all__ = ["compare_texts", "diff"]

Side = Annotated[
    str,
    typer.Argument(
        metavar="FILE|NAME[@REF]",
        help="A document (*.yml.j2) on disk, or a template of the registry. The old one comes first.",
        autocompletion=complete_name,
    ),
]
ExitCode = Annotated[bool, typer.Option("--exit-code", help="Exit with code 1 if there is a difference.")]
Rendered = Annotated[bool, typer.Option("--rendered", "-r", help="Compare the rendered samples too.")]
Data = Annotated[
    str,
    typer.Option(
        "--data",
        "-d",
        help="Input values to use instead of the samples: JSON object, file, or - for standard input.",
    ),
]


@dataclass(frozen=True)
class Document:
    """One side of the comparison. `samples` are those in the file next to it."""

    name: str
    text: str
    fragments: dict[str, str]
    samples: dict[str, Any] = field(default_factory=dict)


def diff(
    old: Side,
    new: Side,
    rendered: Rendered = False,
    data: Data = "",
    exit_code: ExitCode = False,
    as_json: Json = False,
    url: Url = "",
    key: Key = "",
) -> None:
    """Compare two documents: files on disk or versions of the registry."""
    with handle_errors(as_json), vocabulary_source(url, key) as vocabularies:
        wants_samples = rendered and not data
        before, after = (_read_side(side, url, key, wants_samples) for side in (old, new))
        source = compare_texts(before.text, after.text, old, new)
        result: dict[str, Any] = {"old": old, "new": new, "equal": before.text == after.text, "diff": source}
        if rendered or data:
            samples = {"data": read_data(data)} if data else {**before.samples, **after.samples}
            if not samples:
                raise UsageError("neither side has samples to render with: give --data")
            result["rendered"] = [
                _compare_rendered(name, before, after, samples[name], vocabularies) for name in samples
            ]
        if as_json:
            write_json(result)
        else:
            _print_result(result)
    differs = not result["equal"] or any(not sample["equal"] for sample in result.get("rendered", []))
    if exit_code and differs:
        raise typer.Exit(FINDINGS)


def _read_side(side: str, url: str, key: str, wants_samples: bool) -> Document:
    """The document that the argument names, with its samples if they are wanted."""
    path = Path(side)
    if path.is_file():
        workspace = Workspace.around(path)
        fragments = workspace.read_fragments() if workspace else {}
        return Document(side, read_document_text(path), fragments, read_samples(path) if wants_samples else {})
    name, ref = split_target(side, "latest")
    with Connection(url, key) as connection:
        template = connection.client.get(name, ref)
        samples = connection.get(f"templates/{name}/-/samples")["samples"] if wants_samples else {}
    return Document(side, template.document.text, template.fragments, samples)


def _compare_rendered(
    sample: str, before: Document, after: Document, values: Any, source: VocabularySource | None
) -> dict[str, Any]:
    old_text, old_tokens = _render(before, values, source)
    new_text, new_tokens = _render(after, values, source)
    return {
        "sample": sample,
        "equal": old_text == new_text,
        "diff": compare_texts(old_text, new_text, f"{before.name} ({sample})", f"{after.name} ({sample})"),
        "tokens": [old_tokens, new_tokens],
    }


def _render(document: Document, values: Any, source: VocabularySource | None) -> tuple[str, int | None]:
    """Return the messages as text with a line for each role, and the tokens; the error's sentence if it doesn't render.

    The tokens are None if the prompt fits but can't be counted.
    """
    try:
        template = renderer.load(document.text, fragments=document.fragments, vocabularies=source)
        prompt = template.render(values)
    except renderer.RenderError as error:
        return f"! {error}\n", None
    text = "".join(f"[{message['role']}]\n{_read_content(message.get('content'))}\n" for message in prompt.messages)
    try:
        return text, prompt.token_count
    except renderer.MissingVocabularyError:
        return text, None


def _read_content(content: Any) -> str:
    return content if isinstance(content, str) else json.dumps(content, ensure_ascii=False)


def compare_texts(before: str, after: str, old: str, new: str) -> str:
    """Return the unified diff of two texts under these names; empty if they are equal."""
    return "".join(sequence_diff.write_unified(_split_lines(before), _split_lines(after), old, new))


def _split_lines(text: str) -> list[str]:
    lines = text.splitlines(keepends=True)
    if lines and not lines[-1].endswith("\n"):
        lines[-1] += "\n\\ No newline at end of file\n"
    return lines


def _print_result(result: dict[str, Any]) -> None:
    write_text(result["diff"])
    for sample in result.get("rendered", []):
        verdict = "renders alike" if sample["equal"] else "renders otherwise"
        print_line(f"{sample['sample']}: {verdict}, {_describe_tokens(*sample['tokens'])}")
        write_text(sample["diff"])


def _describe_tokens(before: int | None, after: int | None) -> str:
    """Both token counts; `?` for one that isn't known."""
    if before is None and after is None:
        return "tokens not counted"
    if before == after:
        return f"{before} tokens"
    return f"{'?' if before is None else before} → {'?' if after is None else after} tokens"
