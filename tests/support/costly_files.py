"""The test files that take the most processor time per test; `make test` leaves them to `make test-all`.

`tests/costly_files.txt` names them. `make costly-files` loads this module as a pytest plugin, which measures all files
and writes the list.
"""

import os
from collections import defaultdict
from pathlib import Path

import pytest

__all__ = ["read_costly_files"]

ROOT = Path(__file__).resolve().parent.parent.parent
LIST = ROOT / "tests" / "costly_files.txt"
# Seconds of processor time. A costly file takes at least this much per test, and this much for all its tests.
MIN_PER_TEST, MIN_PER_FILE = 0.1, 0.5
# Costly but in `make test` anyway: these fail first when a change adds a page, an address or a text.
ALWAYS = {
    "tests/api/test_permissions.py",
    "tests/api/test_schema.py",
    "tests/docs/test_generated_pages.py",
    "tests/frontend/test_permissions.py",
    "tests/test_module_names.py",
    "tests/test_names.py",
}
_SECONDS = "processor seconds"
_began: dict[str, float] = {}
_seconds: dict[str, list[float]] = defaultdict(list)


def read_costly_files() -> set[str]:
    """The files of the list, as paths from the root of the repository."""
    return set(LIST.read_text().splitlines())


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """Note the processor time before the test."""
    _began[item.nodeid] = _read_processor_seconds()


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_teardown(item: pytest.Item) -> object:
    """Add the test's processor time to its last report."""
    try:
        return (yield)
    finally:
        item.user_properties.append((_SECONDS, _read_processor_seconds() - _began.pop(item.nodeid)))


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """Collect the times reported by all processes."""
    if report.when == "teardown":
        _seconds[report.nodeid.split("::")[0]] += [
            float(str(value)) for name, value in report.user_properties if name == _SECONDS
        ]


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    """Write the list, in the process that collects the reports of all others."""
    if hasattr(config, "workerinput"):
        return
    costly = {
        path
        for path, seconds in _seconds.items()
        if sum(seconds) >= max(MIN_PER_FILE, MIN_PER_TEST * len(seconds)) and path not in ALWAYS
    }
    LIST.write_text("".join(f"{path}\n" for path in sorted(costly)))
    took = sum(sum(seconds) for path, seconds in _seconds.items() if path in costly)
    total = sum(sum(seconds) for seconds in _seconds.values())
    terminalreporter.write_line(
        f"{len(costly)} of {len(_seconds)} files take {took:.0f} of {total:.0f} s of processor time: {LIST}"
    )


def _read_processor_seconds() -> float:
    """Processor seconds of this process and of its ended children."""
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system
