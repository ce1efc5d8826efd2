"""The command line application with all its commands."""

from typing import Annotated

import typer

from promptuary.commands import (
    diff,
    estimate,
    evaluate,
    exporting,
    history,
    importing,
    labels,
    lint,
    lock,
    mcp,
    promote,
    pull,
    push,
    releasing,
    render,
    review,
    rollouts,
    vendor,
)
from promptuary.version import VERSION

__all__ = ["app"]


def _print_version(is_asked: bool) -> None:
    if is_asked:
        typer.echo(f"promptuary {VERSION}")
        raise typer.Exit


Version = Annotated[
    bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version and exit.")
]

app = typer.Typer(
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


app.command("render")(render.render)
app.command("lint")(lint.lint)
app.command("pull")(pull.pull)
app.command("push")(push.push)
app.command("propose")(review.propose)
app.command("approve")(review.approve)
app.command("publish")(review.publish)
app.command("withdraw")(review.withdraw)
app.command("promote")(promote.promote)
app.add_typer(releasing.app, name="release")
app.add_typer(rollouts.app, name="rollout")
app.command("move")(labels.move)
app.command("rollback")(labels.rollback)
app.command("log")(history.log)
app.command("restore")(history.restore)
app.command("diff")(diff.diff)
app.command("estimate")(estimate.estimate)
app.command("test")(evaluate.evaluate)
app.command("lock")(lock.lock)
app.command("vendor")(vendor.vendor)
app.command("mcp")(mcp.mcp)
app.command("import")(importing.import_prompts)
app.command("export")(exporting.export)
