"""The `promptuary` command, also `python -m promptuary`."""

import sys

try:
    from promptuary.commands.app import app
    from promptuary.commands.output import stop_output
except ModuleNotFoundError as error:
    if error.name not in ("typer", "rich"):
        raise
    sys.exit("The promptuary command needs typer and rich: pip install 'promptuary[cli]'")

__all__ = ["main"]


def main() -> None:
    """Run the command line. Exit codes: 0 ok, 1 findings, 2 usage or connection."""
    try:
        try:
            app(prog_name="promptuary")
        finally:
            sys.stdout.flush()
    except OSError as error:
        stop_output(error)


if __name__ == "__main__":
    main()
