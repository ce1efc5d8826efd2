"""The targets of torture: the tests of each, and how much of it makes a complete run."""

from dataclasses import dataclass
from pathlib import Path

from registry.core.failpoints import POINTS

__all__ = ["TARGETS", "Target"]

ROOT = Path(__file__).parents[2]


@dataclass(frozen=True)
class Target:
    """Tests that are run in rounds.

    tests: arguments of pytest. unit: what a round counts, by the name that the tests record it under
    (`record_property`); `rounds` counts rounds. goal: how many make a whole run. weight: its share of the time.
    on_postgres: run on a PostgreSQL of the round's own, else on SQLite. in_turn: each round runs the next of the tests.
    """

    name: str
    tests: tuple[str, ...]
    unit: str
    goal: int
    weight: float = 1
    on_postgres: bool = False
    in_turn: bool = False

    def list_tests(self, number: int) -> tuple[str, ...]:
        """What round `number`, counted from 0, runs."""
        return (self.tests[number % len(self.tests)],) if self.in_turn else self.tests


def _list_journeys() -> list[Target]:
    modules = {
        "failing statements, disks and Git": "test_failing_calls",
        "failing broker": "test_failing_broker",
        "kills within acts": "test_kill_acts",
        "kills of the scheduler": "test_kill_scheduled",
        "clock that goes back": "test_clock_back",
        "outages": "test_outages",
        "takeover of the mirror's writer": "test_writer_failover",
        "several machines": "test_several_machines",
        "restore drill": "test_restore_drill",
    }
    on_postgres = {"kills within acts", "kills of the scheduler", "several machines"}
    return [
        Target(name, (f"tests/journeys/{module}.py",), "rounds", 3, weight=0.5, on_postgres=name in on_postgres)
        for name, module in modules.items()
    ]


def _list_properties() -> tuple[str, ...]:
    """The modules with property tests, each of which has 1,000 examples in torture."""
    modules = sorted((ROOT / "tests").rglob("test_*.py"))
    return tuple(str(path.relative_to(ROOT)) for path in modules if "\n@given(" in path.read_text())


TARGETS = (
    Target("state machine", ("tests/registry/states/test_state_machine.py",), "lives", 5_000, 4, on_postgres=True),
    Target("calls of the API", ("tests/api/test_every_operation.py",), "calls", 1_000 * 129, 2),
    Target("same prompt everywhere", ("tests/api/test_same_prompt_everywhere.py",), "documents", 20_000, 2),
    *(
        Target(
            f"fuzzing of {name}", (f"tests/fuzzing/test_fuzzing.py::test_no_input_fails[{name}]",), "inputs", 2_000_000
        )
        for name in ("document", "jinja", "shaped", "diff", "json")
    ),
    Target(
        "kills at failpoints",
        ("tests/journeys/test_kill_failpoints.py",),
        "kills",
        50 * len(POINTS),
        2,
        on_postgres=True,
    ),
    Target("kills of processes", ("tests/journeys/test_kill_processes.py",), "kills", 500, 2, on_postgres=True),
    Target("soak", ("tests/journeys/test_soak.py",), "rounds", 10),
    Target(
        "concurrent writers",
        ("tests/registry/changes/test_concurrency.py", "tests/registry/templates/test_linearizability.py"),
        "rounds",
        10,
        on_postgres=True,
    ),
    *_list_journeys(),
    Target("properties", _list_properties(), "rounds", len(_list_properties()), 2, in_turn=True),
)
