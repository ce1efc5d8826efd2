"""Records which of the project's own files run during a block, and the functions that are called in each."""

import inspect
import os
import sys
import threading
from collections import Counter
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

__all__ = ["ROOT", "Calls", "Recorder", "describe_calls"]

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = ("evaluation", "frontend", "promptuary", "registry", "renderer")

# Calls by file (relative to the repository) and then by the qualified name of the function.
Calls = dict[str, dict[str, int]]


class Recorder:
    """Records calls in this thread, and in threads that start meanwhile, while its block runs.

    Module and class bodies are left out: they run at import. A generator counts again each time it resumes. Other
    processes (the renderer's helper, Git) aren't recorded.
    """

    def __init__(self) -> None:
        self._counts: Counter[CodeType] = Counter()
        self._is_recording = False

    def __enter__(self) -> "Recorder":
        self._is_recording = True
        threading.setprofile(self._count_call)
        sys.setprofile(self._count_call)
        return self

    def __exit__(self, *_error: object) -> None:
        sys.setprofile(None)
        threading.setprofile(None)
        self._is_recording = False  # threads that started meanwhile keep their profile function

    def calls(self) -> Calls:
        """The calls so far; the block may still be running."""
        calls: Calls = {}
        for code, count in list(self._counts.items()):
            file = _own_file(code)
            if file is not None:
                functions = calls.setdefault(file, {})
                functions[code.co_qualname] = functions.get(code.co_qualname, 0) + count
        return calls

    def _count_call(self, frame: FrameType, event: str, _argument: Any) -> None:
        if event == "call" and self._is_recording:
            self._counts[frame.f_code] += 1


def describe_calls(calls: Calls) -> str:
    """A line for each file with its length, then its functions with their numbers of calls, most called first."""
    lines = []
    for file, functions in sorted(calls.items()):
        length = len((ROOT / file).read_text().splitlines())
        lines.append(f"{file}  ({length} lines; {len(functions)} functions, {sum(functions.values())} calls)")
        most_called_first = sorted(functions.items(), key=lambda item: (-item[1], item[0]))
        lines.extend(f"    {count:5} {name}" for name, count in most_called_first)
    return "\n".join(lines)


def _own_file(code: CodeType) -> str | None:
    """The file's path in the repository; None for other files and for the bodies of modules and classes."""
    if not code.co_flags & inspect.CO_OPTIMIZED:
        return None
    path = Path(os.path.realpath(code.co_filename))
    if path.suffix != ".py" or not path.is_relative_to(ROOT):
        return None
    file = path.relative_to(ROOT)
    return file.as_posix() if file.parts[0] in PACKAGES else None
