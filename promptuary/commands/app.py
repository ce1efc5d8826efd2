"""The command line application with all its commands."""

from collections.abc import Iterator, Mapping
from functools import cache
from importlib import import_module
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from promptuary.version import VERSION

__all__ = ["app"]

# The module and the function of each command, or its own group of commands.
_COMMANDS = {
    "render": ("render", "render"),
    "lint": ("lint", "lint"),
    "pull": ("pull", "pull"),
    "push": ("push", "push"),
    "propose": ("review", "propose"),
    "approve": ("review", "approve"),
    "publish": ("review", "publish"),
    "withdraw": ("review", "withdraw"),
    "promote": ("promote", "promote"),
    "release": ("releasing", "app"),
    "rollout": ("rollouts", "app"),
    "move": ("labels", "move"),
    "rollback": ("labels", "rollback"),
    "log": ("history", "log"),
    "restore": ("history", "restore"),
    "diff": ("diff", "diff"),
    "estimate": ("estimate", "estimate"),
    "test": ("evaluate", "evaluate"),
    "lock": ("lock", "lock"),
    "vendor": ("vendor", "vendor"),
    "mcp": ("mcp", "mcp"),
    "import": ("importing", "import_prompts"),
    "export": ("exporting", "export"),
}


@cache
def _load_command(name: str) -> Any:
    module, attribute = _COMMANDS[name]
    found = getattr(import_module(f"promptuary.commands.{module}"), attribute)
    if isinstance(found, typer.Typer):
        command: Any = typer.main.get_group(found)
    else:
        application = typer.Typer(add_completion=False, pretty_exceptions_enable=False)
        application.command(name)(found)
        command = typer.main.get_command(application)
    command.name = name
    return command


class _Commands(Mapping[str, Any]):
    """The commands by name. Only the one that runs is imported: importing all of them takes half a second more."""

    def __getitem__(self, name: str) -> Any:
        if name not in _COMMANDS:
            raise KeyError(name)
        return _load_command(name)

    def __iter__(self) -> Iterator[str]:
        return iter(_COMMANDS)

    def __len__(self) -> int:
        return len(_COMMANDS)


class _Group(TyperGroup):
    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self.commands = _Commands()  # type: ignore[assignment]  # it is only read


def _print_version(is_asked: bool) -> None:
    if is_asked:
        typer.echo(f"promptuary {VERSION}")
        raise typer.Exit


Version = Annotated[
    bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version and exit.")
]

app = typer.Typer(
    cls=_Group,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    help=(
        "Work with the prompt templates of a Promptuary registry. "
        "Exit codes: 0 success, 1 something was found or refused, 2 it could not be tried (wrong usage, no connection)."
    ),
)


@app.callback()
def read_options(version: Version = False) -> None:
    """Options of the program itself."""
