"""Output of a command: text or JSON on standard output, errors as one sentence, and the exit code."""

import errno
import json
import os
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Annotated, Any, NoReturn

import typer
from rich.console import Console
from rich.text import Text

from promptuary import renderer
from promptuary.errors import DigestMismatch, PromptuaryError, Refused
from promptuary.renderer.interop.imported import LossError

__all__ = [
    "FINDINGS",
    "USAGE",
    "Finding",
    "Json",
    "Key",
    "Url",
    "UsageError",
    "handle_errors",
    "print_line",
    "stop_output",
    "summarize_refusal",
    "write_json",
    "write_text",
]

FINDINGS = 1
USAGE = 2

Json = Annotated[bool, typer.Option("--json", help="Print the result as JSON on standard output, errors too.")]
Url = Annotated[
    str,
    typer.Option("--url", envvar="PROMPTUARY_URL", help="Address of the registry, such as https://prompts.example."),
]
Key = Annotated[str, typer.Option("--key", envvar="PROMPTUARY_KEY", help="API key for the registry.", show_envvar=True)]


class Finding(PromptuaryError):
    """The command found what it looks for: exit code 1."""


class UsageError(PromptuaryError):
    """The command can't run as given: exit code 2."""


@contextmanager
def handle_errors(as_json: bool) -> Iterator[None]:
    """Turn an error into a sentence (or a JSON object) and an exit code, never a traceback."""
    try:
        yield
    except (PromptuaryError, LossError, renderer.RenderError) as error:
        _refuse(str(error), _describe_error(error), as_json, _choose_exit_code(error))
    except (OSError, UnicodeDecodeError) as error:
        _refuse(str(error), {}, as_json, USAGE)


def print_line(line: str, style: str = "") -> None:
    """Print a line for a person to standard error, without interpreting markup."""
    Console(stderr=True, soft_wrap=True, highlight=False).print(Text(line, style=style))


def summarize_refusal(message: str, facts: Mapping[str, Any]) -> str:
    """Return the first line of a refusal: the title if the message only repeats a listed problem, else the message.

    facts: the registry's problem document, or anything else known about the refusal.
    """
    sentences = [str(problem.get("message", "")) for problem in facts.get("problems") or []]
    is_repeated = any(sentence and sentence in message for sentence in sentences)
    return str(facts.get("title") or message) if is_repeated else message


def write_json(value: object) -> None:
    """Write a JSON value to standard output."""
    write_text(json.dumps(value, ensure_ascii=False, indent=2) + "\n")


def write_text(text: str) -> None:
    """Write exactly these characters, as UTF-8 in any locale and without translating line endings."""
    try:
        sys.stdout.flush()
        sys.stdout.buffer.write(text.encode("utf-8", "surrogatepass"))
        sys.stdout.buffer.flush()
    except OSError as error:
        stop_output(error)


def stop_output(error: OSError) -> NoReturn:
    """End the program because standard output can't be written; without a sentence if its reader has gone."""
    with open(os.devnull, "wb") as nothing:  # for what is still buffered, which Python would try to write at its end
        os.dup2(nothing.fileno(), sys.stdout.fileno())
    if error.errno == errno.EPIPE:
        sys.exit(FINDINGS)
    print_line(f"standard output can't be written: {error.strerror or error}", "red")
    sys.exit(USAGE)


def _choose_exit_code(error: Exception) -> int:
    if isinstance(error, Refused):
        return USAGE if error.status == 401 else FINDINGS
    return FINDINGS if isinstance(error, Finding | DigestMismatch | renderer.RenderError) else USAGE


def _describe_error(error: Exception) -> dict[str, Any]:
    if isinstance(error, Refused):
        return error.problem
    if isinstance(error, renderer.RenderError):
        return {"problems": [error.to_problem().to_dict()]}
    return {}


def _refuse(message: str, facts: dict[str, Any], as_json: bool, code: int) -> None:
    if as_json:
        write_json({"error": {"detail": message, **facts}})
    else:
        print_line(summarize_refusal(message, facts), "red")
        for problem in facts.get("problems") or []:
            print_line(f"  line {problem.get('line')}: {problem.get('message')} {problem.get('code', '')}".rstrip())
            if address := problem.get("help_url"):
                print_line(f"    {address}")
    raise typer.Exit(code)
