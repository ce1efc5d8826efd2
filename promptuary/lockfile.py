"""`promptuary.lock`: the digest that each template of an application is pinned to."""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from os import PathLike
from pathlib import Path

from promptuary.errors import ConfigurationError
from promptuary.names import check_name, check_ref
from promptuary.renderer.names import is_pin

__all__ = ["DEFAULT", "Locked", "Pins", "read_lock", "write_lock"]

DEFAULT = "production"  # what a service gets unless it says otherwise


@dataclass(frozen=True)
class Locked:
    """The ref that was asked for, and what it meant when it was locked."""

    ref: str
    version: int
    digest: str


class Pins:
    """What the refs of an application mean by its lock file; without one every ref means itself.

    `frozen`: a label that the file does not pin is an error.
    """

    def __init__(self, locked: Mapping[str, Locked] | None = None, *, frozen: bool = False) -> None:
        if frozen and locked is None:
            raise ConfigurationError("frozen is for a lock file: give one as `lock`")
        self.locked = dict(locked or {})
        self.frozen = frozen
        self._digests: dict[tuple[str, str | None], str] = {}
        for name, entry in self.locked.items():
            self._digests[name, None] = self._digests[name, entry.ref] = entry.digest

    def resolve(self, name: str, ref: str | None) -> str:
        """The ref to ask for; None is the application's own choice. Raises ConfigurationError."""
        pinned = self._digests.get((name, ref))
        if pinned is not None:
            return pinned
        if self.frozen and not (ref is not None and is_pin(ref)):
            subject = f"{name}@{ref}" if ref else name
            raise ConfigurationError(
                f"{subject} is not in the lock file, and the client is frozen: promptuary lock {subject}"
            )
        return ref or DEFAULT

    def __bool__(self) -> bool:
        return self.frozen or bool(self._digests)


def read_lock(path: str | PathLike[str]) -> dict[str, Locked]:
    """Template name to its pin. Raises ConfigurationError for a file that is not there or of another form."""
    try:
        templates = json.loads(Path(path).read_text("utf-8"))["templates"]
        locked = {check_name(name): Locked(**entry) for name, entry in templates.items()}
        for entry in locked.values():
            check_ref(entry.ref)
            if not check_ref(entry.digest).startswith("sha256:"):
                raise ConfigurationError(f"{entry.digest!r} is no digest")
    except OSError as error:
        raise ConfigurationError(f"the lock file cannot be read: {error}") from None
    except (ValueError, KeyError, TypeError, AttributeError, ConfigurationError) as error:
        raise ConfigurationError(f"{path} is not a lock file: {error}") from None
    return locked


def write_lock(path: str | PathLike[str], locked: Mapping[str, Locked]) -> None:
    """Write the file in one order, so that its history shows only what changed."""
    templates = {name: asdict(entry) for name, entry in sorted(locked.items())}
    Path(path).write_text(json.dumps({"templates": templates}, indent=2) + "\n", "utf-8")
