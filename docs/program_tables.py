"""Tables of the reference pages that are read from programs that run: commands, API operations, template functions."""

import argparse
import json
import os
import sys
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import django
import typer
from django.apps import apps
from django.core.management import load_command_class

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))  # a script has its own folder on the path, not the repository's

from promptuary.commands.app import app  # noqa: E402
from promptuary.renderer.functions import FUNCTIONS  # noqa: E402
from promptuary.renderer.jinja import GLOBALS  # noqa: E402
from promptuary.renderer.jinja.operators import FILTERS  # noqa: E402

__all__ = ["list_commands", "list_filters", "list_functions", "list_operations", "list_server_commands"]

METHODS = ("get", "post", "put", "patch", "delete")
OPTION_HEAD = "| argument or option | meaning |\n| --- | --- |\n"


def list_commands() -> str:
    """A heading and a table of arguments and options for each command of `promptuary`."""
    sections = []
    for name, command in _list_commands(typer.main.get_command(app)):
        parameters = [parameter for parameter in command.params if not parameter.hidden]
        arguments = [_format_usage(parameter) for parameter in parameters if parameter.param_type_name == "argument"]
        rows = [_write_row(_format_spelling(parameter), _describe_parameter(parameter)) for parameter in parameters]
        sections.append(_write_section(" ".join([f"promptuary {name}", *arguments]), command.help, rows))
    return "\n\n".join(sections)


def _list_commands(group: Any, before: str = "") -> Iterator[tuple[str, Any]]:
    """The commands of a group with their names, those of groups in it in their place."""
    for name, command in group.commands.items():
        if hasattr(command, "commands"):
            yield from _list_commands(command, f"{before}{name} ")
        else:
            yield f"{before}{name}", command


def _format_spelling(parameter: Any) -> str:
    if parameter.param_type_name == "argument":
        return f"`{_format_placeholder(parameter)}`"
    flags = "`, `".join([*parameter.opts, *parameter.secondary_opts])
    return f"`{flags}`" if parameter.is_flag else f"`{flags} …`"


def _format_usage(parameter: Any) -> str:
    more = "..." if parameter.nargs == -1 else ""
    name = f"{_format_placeholder(parameter)}{more}"
    return name if parameter.required else f"[{name}]"


def _format_placeholder(parameter: Any) -> str:
    return str(parameter.metavar or parameter.name.upper()).removesuffix("...")


def _describe_parameter(parameter: Any) -> str:
    notes = ["Required."] if parameter.required and parameter.param_type_name == "option" else []
    if parameter.default not in (None, "", False, 0, ()) and not callable(parameter.default):
        notes.append(f"Default: `{parameter.default}`.")
    if parameter.envvar:
        notes.append(f"Environment variable: `{parameter.envvar}`.")
    return " ".join([parameter.help or "", *notes]).strip()


def list_server_commands() -> str:
    """A heading and a table of arguments and options for each command of Promptuary's own that `manage.py` has."""
    _set_up_django()
    sections = []
    for path in sorted((ROOT / "registry/management/commands").glob("[!_]*.py")):
        command = load_command_class("registry", path.stem)
        parser = argparse.ArgumentParser(add_help=False)
        command.add_arguments(parser)
        positional = [action.metavar or action.dest for action in parser._get_positional_actions()]
        rows = [_write_row(spelling, meaning) for spelling, meaning in _list_actions(parser)]
        sections.append(_write_section(" ".join([f"manage.py {path.stem}", *map(str, positional)]), command.help, rows))
    return "\n\n".join(sections)


def _list_actions(parser: argparse.ArgumentParser, before: str = "") -> Iterator[tuple[str, str]]:
    """Spelling and meaning of each argument, those of verbs below the verb; `before` is the verb."""
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for verb in action._choices_actions:
                yield f"`{before}{verb.dest}`", _format_sentence(verb.help or "")
                yield from _list_actions(action.choices[verb.dest], f"{before}{verb.dest} ")
            continue
        if isinstance(action, argparse._HelpAction):
            continue
        name = ", ".join(action.option_strings) or str(action.metavar or action.dest)
        takes_value = bool(action.option_strings) and action.nargs != 0
        choices = f" One of {', '.join(map(str, action.choices))}." if action.choices else ""
        yield (
            f"`{before}{name} …`" if takes_value else f"`{before}{name}`",
            f"{_format_sentence(action.help or '')}{choices}".strip(),
        )


def _set_up_django() -> None:
    """Load the server's settings and models over an empty home, if a test has not done so."""
    if not apps.ready:
        os.environ.setdefault("DJANGO_SETTINGS_MODULE", "registry.settings")
        with tempfile.TemporaryDirectory() as home:
            os.environ["PROMPTUARY_HOME"] = home
            django.setup()


def list_operations() -> str:
    """A table of the API's operations for each tag, from its OpenAPI description."""
    paths = json.loads((ROOT / "docs/openapi/v1.json").read_text(encoding="utf-8"))["paths"]
    groups: dict[str, list[str]] = {}
    for path, operations in paths.items():
        for method in METHODS:
            if operation := operations.get(method):
                meaning = operation["description"].partition("\n\n")[0].replace("\n", " ")
                row = _write_row(f"`{method.upper()} {path}`", meaning, f"`{operation['operationId']}`")
                groups.setdefault(operation["tags"][0], []).append(row)
    head = "| operation | what it does | its name in OpenAPI |\n| --- | --- | --- |\n"
    return "\n\n".join(f"## {tag.capitalize()}\n\n{head}" + "\n".join(rows) for tag, rows in sorted(groups.items()))


def list_functions() -> str:
    """A table of the functions that a template may call."""
    rows = [_write_row(f"`{function.signature}`", function.summary) for function in FUNCTIONS.values()]
    return "| function | gives |\n| --- | --- |\n" + "\n".join(rows)


def list_filters() -> str:
    """The names of Jinja's functions and filters that a template may use."""
    return f"Functions: {_join_names(GLOBALS)}.\n\nFilters: {_join_names(FILTERS)}."


def _join_names(names: Iterable[str]) -> str:
    return ", ".join(f"`{name}`" for name in sorted(names))


def _write_section(title: str, text: str | None, rows: list[str]) -> str:
    table = OPTION_HEAD + "\n".join(rows) if rows else "It takes no arguments."
    return f"### `{title}`\n\n{_format_sentence(text or '')}\n\n{table}"


def _format_sentence(text: str) -> str:
    text = " ".join(text.split())
    end = "." if text and not text.endswith(".") else ""
    begin = text[:1] if "://" in text.partition(" ")[0] else text[:1].upper()
    return f"{begin}{text[1:]}{end}"


def _write_row(*cells: str) -> str:
    return "| " + " | ".join(" ".join(cell.split()).replace("|", "\\|") for cell in cells) + " |"
