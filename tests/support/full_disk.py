"""A disk without room for temporary files."""

import errno
import tempfile
from typing import Any, NoReturn

import pytest

__all__ = ["fill_temporary_folder"]


def fill_temporary_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let every attempt to make a temporary folder fail until the test is over."""

    def fail(*_arguments: Any, **_options: Any) -> NoReturn:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(tempfile, "mkdtemp", fail)
