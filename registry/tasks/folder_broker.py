"""A Celery broker in a folder, for one machine with nothing to install.

Kombu's own folder transport writes a message under its final name, so that a worker can take a half-written one and
crash, and moves taken messages through the machine's shared temp folder. Here a message appears atomically, is taken by
a rename that only one worker wins, and never leaves the instance's folder.
"""

import json
import os
import time
import uuid
from pathlib import Path
from queue import Empty
from typing import Any

from kombu.transport import filesystem

from promptuary.renderer.files import write_atomically

__all__ = ["Transport"]


class Channel(filesystem.Channel):
    """Messages as files `<time>_<id>.<queue>.msg`, oldest first."""

    @property
    def _folder(self) -> Path:
        return Path(str(self.data_folder_in))

    def _put(self, queue: str, payload: Any, **_kwargs: Any) -> None:  # type: ignore[override]  # as kombu's own does
        name = f"{time.time_ns():020d}_{uuid.uuid4().hex}.{queue}.msg"
        write_atomically(self._folder / name, json.dumps(payload).encode("utf-8"))

    def _get(self, queue: str, timeout: float | None = None) -> Any:
        for name in self._list_waiting(queue):
            taken_path = self._folder / f".{name}.{os.getpid()}.taken"
            try:
                (self._folder / name).rename(taken_path)
            except FileNotFoundError:
                continue  # another worker took it
            text = taken_path.read_text(encoding="utf-8")
            taken_path.unlink()
            try:
                return json.loads(text)
            except ValueError:
                continue  # truncated by a power loss; the job's row or the journal still records the work
        raise Empty

    def _purge(self, queue: str) -> int:
        names = self._list_waiting(queue)
        for name in names:
            (self._folder / name).unlink(missing_ok=True)
        return len(names)

    def _size(self, queue: str) -> int:
        return len(self._list_waiting(queue))

    def _list_waiting(self, queue: str) -> list[str]:
        end = f".{queue}.msg"
        return sorted(name for name in os.listdir(self._folder) if name.endswith(end) and not name.startswith("."))


class Transport(filesystem.Transport):
    """`broker_transport` of an instance whose broker is a folder."""

    Channel = Channel
