"""Safe reading of zip archives: nothing is written to disk, no path leaves the archive, and zip bombs are refused."""

import io
import stat
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import PurePosixPath

from promptuary.renderer.interop.imported import LossError
from promptuary.renderer.interop.source_file import MAX_BYTES

__all__ = ["MAX_FILES", "MAX_TOTAL_BYTES", "is_zip", "read_zip"]

MAX_FILES = 1_000
"""The most files in one archive."""
MAX_TOTAL_BYTES = 20_000_000
"""The most bytes of all files of one archive, unpacked."""


def is_zip(content: bytes) -> bool:
    """Whether the bytes start like a zip archive."""
    return content[:4] in (b"PK\x03\x04", b"PK\x05\x06")


def read_zip(content: bytes) -> Iterator[tuple[str, bytes]]:
    """Return the path and bytes of each file except hidden ones. Raises LossError if it is broken or too large."""
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            yield from _read_files(archive)
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, OSError) as error:
        raise LossError(f"the archive cannot be read: {error}") from None


def _read_files(archive: zipfile.ZipFile) -> Iterator[tuple[str, bytes]]:
    files = [info for info in archive.infolist() if not info.is_dir()]
    if len(files) > MAX_FILES:
        raise LossError(f"the archive has {len(files):,} files; {MAX_FILES:,} are read at most")
    total = 0
    for info in files:
        path = PurePosixPath(info.filename.replace("\\", "/"))
        if path.is_absolute() or ".." in path.parts or ":" in path.parts[0]:
            raise LossError(f"the archive has a path that leaves it: {info.filename}")
        if any(part.startswith((".", "__MACOSX")) for part in path.parts) or stat.S_ISLNK(info.external_attr >> 16):
            continue
        if info.flag_bits & 1:
            raise LossError(f"{info.filename} is encrypted")
        with archive.open(info) as file:
            unpacked = file.read(MAX_BYTES + 1)  # the size stated in the archive may be wrong
        total += len(unpacked)
        if len(unpacked) > MAX_BYTES:
            raise LossError(f"{info.filename} has more than {MAX_BYTES:,} bytes")
        if total > MAX_TOTAL_BYTES:
            raise LossError(f"the archive has more than {MAX_TOTAL_BYTES:,} bytes unpacked")
        yield str(path), unpacked
