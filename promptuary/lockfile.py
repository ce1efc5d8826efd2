"""`promptuary.lock`: the digest that each template of an application is pinned to."""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from os import PathLike
from pathlib import Path

from promptuary.errors import ConfigurationError
from promptuary.names import check_name, check_ref
from promptuary.renderer.files import save_file
from promptuary.renderer.names import is_pin

__all__ = ["DEFAULT", "Locked", "Pins", "read_lock", "write_lock"]

DEFAULT = "production"  # what a service gets by default


@dataclass(frozen=True)
class Locked:
    """The ref that was requested, and what it resolved to when it was locked."""

    ref: str
    version: int
    digest: str


class Pins:
    """The refs that a lock file resolves; without one, every ref stays as it is.

    `frozen`: a label that the file doesn't pin is an error.
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
        """The ref to fetch; None means the application's default. Raises ConfigurationError."""
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
    """Return the pin of each template name. Raises ConfigurationError for a missing or malformed file."""
    try:
        templates = json.loads(Path(path).read_text("utf-8"))["templates"]
        locked = {check_name(name): Locked(**entry) for name, entry in templates.items()}
        for entry in locked.values():
            check_ref(entry.ref)
            if not check_ref(entry.digest).startswith("sha256:"):
                raise ConfigurationError(f"{entry.digest!r} isn't a digest")
    except OSError as error:
        raise ConfigurationError(f"the lock file cannot be read: {error}") from None
    except (ValueError, KeyError, TypeError, AttributeError, ConfigurationError) as error:
        raise ConfigurationError(f"{path} is not a lock file: {error}") from None
    return locked


def write_lock(path: str | PathLike[str], locked: Mapping[str, Locked]) -> None:
    """Write the file in a fixed order, so that its history shows only what changed."""
    templates = {name: asdict(entry) for name, entry in sorted(locked.items())}
    save_file(Path(path), (json.dumps({"templates": templates}, indent=2) + "\n").encode("utf-8"))
