"""Processes that tests start in the background: none outlives a run that is killed."""

import subprocess
from collections.abc import Sequence
from typing import Any

from registry.core.parent_death import end_with_parent

__all__ = ["start_child"]


def start_child(command: Sequence[str], **options: Any) -> "subprocess.Popen[Any]":
    """`subprocess.Popen` with the same options, for a process that gets SIGTERM when this one ends, even by SIGKILL."""
    return subprocess.Popen(command, preexec_fn=end_with_parent, **options)  # noqa: PLW1509  # safe: it takes no lock
