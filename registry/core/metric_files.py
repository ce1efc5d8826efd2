"""Files of Prometheus metrics that can't end a process on a full disk.

prometheus_client maps sparse files into memory. If the disk has no room for a page when it is first written, the kernel
ends the process with SIGBUS. So the room is reserved before; a process that finds none counts in its memory from then
on, and `/metrics` lacks what it counts.
"""

# no texts here: operators read them

import errno
import mmap
import os
from pathlib import Path

from prometheus_client import mmap_dict, values

__all__ = ["ReservedFile", "use_reserved_files"]

_SIZE = 65_536  # bytes of a new file, as in prometheus_client
_LONGEST_PADDING = 32  # bytes of an entry besides its key
_FULL = (errno.ENOSPC, errno.EDQUOT)


class ReservedFile(mmap_dict.MmapedDict):
    """A process's values of one type of metric, in a file or, on a full disk, in memory."""

    def __init__(self, filename: str, read_mode: bool = False) -> None:
        if read_mode or _reserve_file(Path(filename)):
            super().__init__(filename, read_mode)  # type: ignore[no-untyped-call]
            return
        self._fname, self._positions, self._used, self._capacity = filename, {}, 8, _SIZE
        self._keep_in_memory(bytes(_SIZE))

    def _init_value(self, key: str) -> None:
        if self._used + len(key.encode()) + _LONGEST_PADDING > self._capacity:
            try:
                os.posix_fallocate(self._f.fileno(), 0, 2 * self._capacity)
            except OSError as error:
                if error.errno in _FULL:
                    self._f.close()
                    self._keep_in_memory(bytes(self._m))
        super()._init_value(key)  # type: ignore[no-untyped-call]

    def _keep_in_memory(self, content: bytes) -> None:
        self._f = os.fdopen(os.memfd_create("metrics"), "r+b")
        self._f.write(content)
        self._f.flush()
        self._m = mmap.mmap(self._f.fileno(), len(content))


def use_reserved_files() -> None:
    """Let prometheus_client use such files; before any metric is made. Without effect where the system has none."""
    if hasattr(os, "posix_fallocate") and hasattr(os, "memfd_create"):
        vars(values)["MmapedDict"] = ReservedFile


def _reserve_file(path: Path) -> bool:
    """Make the file with its room, if it doesn't exist. Return False, without a file, if the disk is full."""
    try:
        with path.open("ab") as file:
            if file.tell() == 0:
                os.posix_fallocate(file.fileno(), 0, _SIZE)
    except OSError as error:
        if error.errno not in _FULL:
            return True  # prometheus_client reports what is wrong
        path.unlink(missing_ok=True)
        return False
    return True
