"""How far the starter library is loaded: a file of the home that is there until all of it is.

The page server starts before the library is whole, and its pages show this; a start finds by it that an earlier load
did not end.
"""

import json
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path

from django.conf import settings

__all__ = ["LoadProgress", "end_load", "read_progress", "write_progress"]


@dataclass(frozen=True)
class LoadProgress:
    """Steps done of `total`, and the name of what is being made."""

    done: int
    total: int
    doing: str = ""


def read_progress() -> LoadProgress | None:
    """How far the load is; None if none is needed."""
    try:
        return LoadProgress(**json.loads(_locate_file().read_text(encoding="utf-8")))
    except FileNotFoundError:
        return None


def write_progress(progress: LoadProgress) -> None:
    """Record how far it is; a reader sees the file before or after."""
    fresh = _locate_file().with_suffix(".new")
    fresh.write_text(json.dumps(asdict(progress)), encoding="utf-8")
    fresh.replace(_locate_file())


def end_load() -> None:
    """Record that the library is loaded."""
    with suppress(FileNotFoundError):
        _locate_file().unlink()


def _locate_file() -> Path:
    return Path(settings.PROMPTUARY_HOME) / "demo-progress.json"
