"""`promptuary log` and `promptuary diff`: what became of a template."""

import difflib
from itertools import islice
from pathlib import Path
from typing import Annotated

import typer

from promptuary.commands.answers import FINDINGS, Json, Key, Url, answering, write_json, write_text
from promptuary.commands.connection import Connection
from promptuary.names import check_name, split
from promptuary.workspace import read_text

__all__ = ["diff", "log"]

Name = Annotated[str, typer.Argument(metavar="NAME")]
Count = Annotated[int, typer.Option("--count", "-n", min=1, help="How many versions at most.")]
Side = Annotated[str, typer.Argument(metavar="FILE|NAME[@REF]")]
ExitCode = Annotated[bool, typer.Option("--exit-code", help="Exit with 1 when there is a difference.")]


def log(name: Name, count: Count = 20, as_json: Json = False, url: Url = "", key: Key = "") -> None:
    """The versions of a template, newest first."""
    with answering(as_json), Connection(url, key) as connection:
        pages = connection.pages(f"templates/{check_name(name)}/-/versions")
        versions = list(islice(pages, count))
        if as_json:
            write_json({"versions": versions})
            return
        for version in versions:
            labels = f" ({', '.join(version['labels'])})" if version["labels"] else ""
            subject = version["message"].partition("\n")[0]
            write_text(
                f"{version['version']:>4}  {version['created_at'][:16]}  {version['author']}{labels}  {subject}\n"
            )


def diff(
    old: Side, new: Side, exit_code: ExitCode = False, as_json: Json = False, url: Url = "", key: Key = ""
) -> None:
    """The differences between two documents: files, or versions of the registry."""
    with answering(as_json):
        before, after = _document(old, url, key), _document(new, url, key)
        lines = list(difflib.unified_diff(_lines(before), _lines(after), old, new))
        if as_json:
            write_json({"old": old, "new": new, "equal": before == after, "diff": "".join(lines)})
        else:
            write_text("".join(lines))
    if exit_code and before != after:
        raise typer.Exit(FINDINGS)


def _document(side: str, url: str, key: str) -> str:
    path = Path(side)
    if path.is_file():
        return read_text(path)
    with Connection(url, key) as connection:
        return connection.client.get(*split(side, "latest")).document.text


def _lines(text: str) -> list[str]:
    lines = text.splitlines(keepends=True)
    if lines and not lines[-1].endswith("\n"):
        lines[-1] += "\n\\ No newline at end of file\n"
    return lines
