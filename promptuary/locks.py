"""`promptuary.lock`: which digest each template of an application is pinned to."""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from os import PathLike
from pathlib import Path

from promptuary.errors import ConfigurationError
from promptuary.names import check_name, check_ref

__all__ = ["Locked", "read_lock", "write_lock"]


@dataclass(frozen=True)
class Locked:
    """The ref that was asked for, and what it meant when it was locked."""

    ref: str
    version: int
    digest: str


def read_lock(path: str | PathLike[str]) -> dict[str, Locked]:
    """Template name to its pin. Raises ConfigurationError for a file of another form."""
    try:
        templates = json.loads(Path(path).read_text("utf-8"))["templates"]
        locked = {check_name(name): Locked(**entry) for name, entry in templates.items()}
        for entry in locked.values():
            check_ref(entry.ref)
            if not check_ref(entry.digest).startswith("sha256:"):
                raise ConfigurationError(f"{entry.digest!r} is no digest")
    except (ValueError, KeyError, TypeError, AttributeError, ConfigurationError) as error:
        raise ConfigurationError(f"{path} is not a lock file: {error}") from None
    return locked


def write_lock(path: str | PathLike[str], locked: Mapping[str, Locked]) -> None:
    """Write the file in one order, so that its history shows only what changed."""
    templates = {name: asdict(entry) for name, entry in sorted(locked.items())}
    Path(path).write_text(json.dumps({"templates": templates}, indent=2) + "\n", "utf-8")
