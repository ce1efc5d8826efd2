"""Records which of the project's own files run while something happens, and the functions that are called in each."""

import inspect
import os
import sys
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

__all__ = ["Calls", "describe_calls", "record_calls"]

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = ("evaluation", "frontend", "promptuary", "registry", "renderer")

# Calls by file (relative to the repository) and then by the qualified name of the function.
Calls = dict[str, dict[str, int]]


@contextmanager
def record_calls() -> Iterator[Calls]:
    """Record calls in this thread and in threads that start meanwhile; the mapping is filled when the block ends.

    Module and class bodies are left out: they run at import. A generator counts again each time it goes on. Other
    processes (the renderer's helper, Git) are not seen.
    """
    counts: Counter[CodeType] = Counter()
    is_recording = True
    calls: Calls = {}

    def count_call(frame: FrameType, event: str, _argument: Any) -> None:
        if event == "call" and is_recording:
            counts[frame.f_code] += 1

    threading.setprofile(count_call)
    sys.setprofile(count_call)
    try:
        yield calls
    finally:
        sys.setprofile(None)
        threading.setprofile(None)
        is_recording = False  # a thread that started meanwhile keeps its profile function
    _fill(calls, counts)


def describe_calls(calls: Calls) -> str:
    """One line a file with its length, then its functions with the number of calls; most called first."""
    lines = []
    for file, functions in sorted(calls.items()):
        length = len((ROOT / file).read_text().splitlines())
        lines.append(f"{file}  ({length} lines; {len(functions)} functions, {sum(functions.values())} calls)")
        most_called_first = sorted(functions.items(), key=lambda item: (-item[1], item[0]))
        lines.extend(f"    {count:5} {name}" for name, count in most_called_first)
    return "\n".join(lines)


def _fill(calls: Calls, counts: Counter[CodeType]) -> None:
    for code, count in counts.items():
        file = _own_file(code)
        if file is not None:
            functions = calls.setdefault(file, {})
            functions[code.co_qualname] = functions.get(code.co_qualname, 0) + count


def _own_file(code: CodeType) -> str | None:
    """The file's path in the repository; None for other files and for the bodies of modules and classes."""
    if not code.co_flags & inspect.CO_OPTIMIZED:
        return None
    path = Path(os.path.realpath(code.co_filename))
    if path.suffix != ".py" or not path.is_relative_to(ROOT):
        return None
    file = path.relative_to(ROOT)
    return file.as_posix() if file.parts[0] in PACKAGES else None
