"""The templates that an application brings along: a file that `promptuary vendor` writes, read without a network."""

import json
from collections.abc import Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import Any

from promptuary import bundles
from promptuary.bundles import Bundle
from promptuary.errors import BadAnswer, ConfigurationError

__all__ = ["Vendored", "write_vendored"]

FORM = 1  # of the file


class Vendored:
    """Such a file. A template's digest is recomputed when it is taken out of it."""

    def __init__(self, path: str | PathLike[str]) -> None:
        """Raises ConfigurationError for a file that is not there or of another form."""
        self.path = path
        try:
            value = json.loads(Path(path).read_text("utf-8"))
            form, entries = value["form"], value["templates"]
            self._entries = {(str(entry["name"]), ref): entry for entry in entries for ref in _refs(entry)}
        except OSError as error:
            raise ConfigurationError(f"the vendored templates cannot be read: {error}") from None
        except (ValueError, KeyError, TypeError, RecursionError):
            raise ConfigurationError(f"{path} is no file of vendored templates") from None
        if form != FORM:
            raise ConfigurationError(f"{path} is of form {form}; this package reads form {FORM}: vendor again")

    def find(self, name: str, ref: str) -> Bundle | None:
        """The template that the ref meant when the file was written. Raises DigestMismatch for altered content."""
        entry = self._entries.get((name, ref))
        if entry is None:
            return None
        try:
            return bundles.take(entry, name, ref, where=str(self.path))
        except BadAnswer as error:
            raise ConfigurationError(str(error)) from None


def write_vendored(path: str | PathLike[str], entries: Sequence[Mapping[str, Any]]) -> None:
    """Write the fields of fetches, each with the `ref` it was asked by, in one order."""
    told = sorted(entries, key=lambda entry: (entry["name"], entry["ref"]))
    text = json.dumps({"form": FORM, "templates": told}, ensure_ascii=False, indent=1, sort_keys=True)
    Path(path).write_text(text + "\n", "utf-8", newline="\n")


def _refs(entry: Mapping[str, Any]) -> tuple[str, str, str]:
    return str(entry["ref"]), str(entry["version"]), str(entry["digest"])
