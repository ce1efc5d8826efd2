"""The `promptuary` command, also `python -m promptuary`."""

import gc
import sys

# A command loads modules, and most end right afterwards. With Python's 700, looking for garbage takes a tenth of that.
gc.set_threshold(50_000, 20, 20)

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
