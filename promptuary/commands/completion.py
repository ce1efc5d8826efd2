"""Shell completion of template names: from the folder, the lock file and, within a second, the registry."""

import os
from collections.abc import Iterator
from pathlib import Path

from promptuary.commands.api import Connection
from promptuary.errors import PromptuaryError
from promptuary.lockfile import read_lock
from promptuary.workspace import DOCUMENT, Workspace, find_documents

__all__ = ["complete_name"]

TIMEOUT = 1.0  # seconds: nobody waits longer after pressing Tab
LIMIT = 100


def complete_name(incomplete: str) -> list[str]:
    """Return the template names that start with the text."""
    names = {name for name in (*_list_local_names(), *_list_locked_names()) if name.startswith(incomplete)}
    return sorted(names | _fetch_names(incomplete))


def _list_local_names() -> Iterator[str]:
    workspace = Workspace.around(Path())
    if workspace is None:
        return
    try:
        yield from workspace.read_pulled()
        for path in find_documents([workspace.folder]):
            yield path.relative_to(workspace.folder).as_posix().removesuffix(DOCUMENT)
    except (PromptuaryError, OSError):
        return


def _list_locked_names() -> list[str]:
    try:
        return list(read_lock("promptuary.lock"))
    except PromptuaryError:
        return []


def _fetch_names(incomplete: str) -> set[str]:
    url, key = os.environ.get("PROMPTUARY_URL", ""), os.environ.get("PROMPTUARY_KEY", "")
    if not url or not key:
        return set()
    query = {"limit": str(LIMIT), **({"q": incomplete} if len(incomplete) > 2 else {})}
    try:
        with Connection(url, key, timeout=TIMEOUT) as connection:
            rows = connection.get("templates", **query)["results"]
            return {row["name"] for row in rows if row["name"].startswith(incomplete)}
    except (PromptuaryError, KeyError, TypeError):
        return set()
