"""Fuzzes one target: `python -m tests.fuzzing.driver TARGET --folder FOLDER [--seed N] [--seconds N] [--inputs N]`.

Prints libFuzzer's report, whose last lines say how many inputs were tried. An input that fails is kept in the folder as
`crash-…`, `timeout-…` or `oom-…`, and ends the run with a code that is not 0. To try such a file again:
`python -m tests.fuzzing.driver TARGET --again FILE`.
"""

import argparse
import importlib
import sys
from collections.abc import Callable
from pathlib import Path

import atheris
from django.conf import settings

from tests.fuzzing import corpus
from tests.fuzzing.targets import INSTRUMENTED

__all__ = ["fuzz"]

MAX_BYTES = 2_048  # of one input, if the target doesn't set its own
MAX_SECONDS = 20  # for one input, on a busy machine
MAX_MEMORY = 2_048  # MiB


def fuzz(
    try_input: Callable[[bytes], None],
    folder: Path,
    seed: int,
    seconds: int,
    inputs: int,
    most_bytes: int = MAX_BYTES,
) -> None:
    """Try inputs until the time is over or one fails, and end the process."""
    corpus.write_corpus(folder / "corpus")
    corpus.write_words(folder / "words")
    options = {
        "seed": seed % 2**32 or 1,  # with 0, libFuzzer draws a seed itself
        "max_total_time": seconds,
        "runs": inputs,
        "max_len": most_bytes,
        "timeout": MAX_SECONDS,
        "rss_limit_mb": MAX_MEMORY,
        "dict": folder / "words",
        "artifact_prefix": f"{folder}/",
        "print_final_stats": 1,
    }
    arguments = [f"-{name}={value}" for name, value in options.items()]
    atheris.Setup([sys.argv[0], *arguments, str(folder / "corpus")], try_input)
    atheris.Fuzz()


def main() -> None:
    """Fuzz, or try one file again."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzzing.driver", description=__doc__)
    parser.add_argument("target", choices=INSTRUMENTED)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--seconds", type=int, default=0, help="0: as long as it takes")
    parser.add_argument("--inputs", type=int, default=-1, help="-1: as many as fit")
    parser.add_argument("--folder", type=Path, help="for what is found")
    parser.add_argument("--again", type=Path, help="a file to try once")
    asked = parser.parse_args()
    settings.configure(USE_I18N=False)  # sentences of refusals are looked up in Django's catalogues
    with atheris.instrument_imports(include=INSTRUMENTED[asked.target]):
        target = importlib.import_module(f"tests.fuzzing.targets.{asked.target}")
    if asked.again:
        target.try_input(asked.again.read_bytes())
    elif asked.folder:
        most_bytes = getattr(target, "MAX_BYTES", MAX_BYTES)
        fuzz(target.try_input, asked.folder, asked.seed, asked.seconds, asked.inputs, most_bytes)
    else:
        parser.error("--folder or --again is missing")


if __name__ == "__main__":
    main()
