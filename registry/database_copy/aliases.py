"""Django connections to the two databases of a copy, in addition to the server's own."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from django.db import connections

from registry.database_copy.errors import CopyRefused

__all__ = ["SOURCE", "TARGET", "connect_both"]

SOURCE, TARGET = "copied_from", "copied_to"
_ALONE = "PRAGMA locking_mode=EXCLUSIVE; PRAGMA foreign_keys=ON; PRAGMA synchronous=FULL; PRAGMA secure_delete=ON;"
_BUSY_SECONDS = 5
_IDENTITY = ("ENGINE", "NAME", "HOST", "PORT")


@contextmanager
def connect_both(source: Mapping[str, Any], target: Mapping[str, Any]) -> Iterator[None]:
    """Connect the aliases SOURCE and TARGET to these entries of DATABASES. Raises CopyRefused if both are the same
    database.

    On SQLite the connections lock the file exclusively while they are open.
    """
    if [source.get(name) or "" for name in _IDENTITY] == [target.get(name) or "" for name in _IDENTITY]:
        raise CopyRefused("The source and the target are the same database.")
    try:
        for alias, database in ((SOURCE, source), (TARGET, target)):
            connections.settings[alias] = _fill_entry(database)
        yield
    finally:
        for alias in (SOURCE, TARGET):
            if alias in connections.settings:
                connections[alias].close()
                del connections[alias]
                del connections.settings[alias]


def _fill_entry(database: Mapping[str, Any]) -> Any:
    entry = dict(database)
    if entry["ENGINE"].endswith("sqlite3"):
        if not Path(entry["NAME"]).exists():
            raise CopyRefused(f"There is no database {entry['NAME']}.")
        options = entry.get("OPTIONS", {})
        entry["OPTIONS"] = {**options, "init_command": _ALONE, "timeout": _BUSY_SECONDS}
    return connections.configure_settings({"default": entry})["default"]
