"""The torture runner: how it divides its time, what it counts and keeps, and how it reports a failure."""

import pytest

from tests.torture import __main__ as torture
from tests.torture.report import format_report
from tests.torture.rounds import ROOT, Round, read_rounds, run_round
from tests.torture.targets import TARGETS, Target

SOUND = """
import os
def test_it(record_property):
    record_property("kills", 3)
    assert os.environ["PROMPTUARY_SEED"] == "42" and os.environ["PROMPTUARY_TORTURE"]
"""
BROKEN = """
def test_it(record_property):
    record_property("kills", 2)
    assert 1 + 1 == 3
"""

# What a test for the other database engine looks like to a round.
SKIPPED = """
import pytest
@pytest.mark.skip(reason="runs on postgres only")
def test_it():
    pass
"""


def make_round(target, *, amount=1, seconds=10.0, passed=True):
    return Round(target, ["tests"], 1, "c0ffee", amount, seconds, passed)


def run_targets(targets, seconds, durations):
    """The names of the targets in the order in which a schedule chooses them, one at a time."""
    schedule, left, order = torture.Schedule(targets, []), seconds, []
    while target := schedule.choose_target(left):
        order.append(target.name)
        left -= durations[target.name]
        schedule.add_round(make_round(target.name, seconds=durations[target.name]))
    return order


def test_time_is_divided_by_weight():
    targets = [Target("a", ("x",), "rounds", 1_000, 3), Target("b", ("y",), "rounds", 1_000, 1)]
    order = run_targets(targets, 400, {"a": 5, "b": 10})
    assert (order.count("a") * 5, order.count("b") * 10) == (300, 100)


def test_no_round_begins_that_would_end_too_late():
    targets = [Target("long", ("x",), "rounds", 1_000), Target("short", ("y",), "rounds", 1_000)]
    order = run_targets(targets, 100, {"long": 40, "short": 10})
    assert order.count("long") * 40 + order.count("short") * 10 == 100


def test_a_target_that_is_done_leaves_its_time_to_the_others():
    targets = [Target("a", ("x",), "rounds", 2), Target("b", ("y",), "rounds", 1_000)]
    order = run_targets(targets, 100, {"a": 10, "b": 10})
    assert (order.count("a"), order.count("b")) == (2, 8)


def test_rounds_of_the_run_before_count():
    target = Target("a", ("x",), "kills", 10)
    assert torture.Schedule([target], [make_round("a", amount=10)]).choose_target(100) is None
    assert torture.Schedule([target], [make_round("a", amount=9)]).choose_target(100) == target


def test_a_target_that_runs_is_not_chosen_twice():
    schedule = torture.Schedule([Target("a", ("x",), "rounds", 10)], [])
    schedule.running.add("a")
    assert schedule.choose_target(100) is None


def test_tests_in_turn_follow_each_other():
    target = Target("a", ("x", "y"), "rounds", 4, in_turn=True)
    assert [target.list_tests(number) for number in range(3)] == [("x",), ("y",), ("x",)]


@pytest.mark.parametrize(("source", "amount", "passed"), [(SOUND, 3, True), (BROKEN, 2, False)])
def test_a_round_counts_what_its_tests_record(tmp_path, source, amount, passed):
    module = tmp_path / "test_module.py"
    module.write_text(source)
    done = run_round(Target("kills of it", (), "kills", 10), [str(module)], 42, tmp_path, "c0ffee")
    assert (done.amount, done.passed, done.seed) == (amount, passed, 42)
    kept = tmp_path / "failed-kills-of-it-42.txt"
    assert kept.exists() is not passed
    if not passed:
        assert "assert (1 + 1) == 3" in kept.read_text()


def test_a_round_whose_tests_are_all_skipped_fails(tmp_path):
    module = tmp_path / "test_module.py"
    module.write_text(SKIPPED)
    done = run_round(Target("several machines", (), "rounds", 3), [str(module)], 42, tmp_path, "c0ffee")
    assert not done.passed
    assert "Every test was skipped." in (tmp_path / "failed-several-machines-42.txt").read_text()


def test_rounds_are_read_back_without_a_line_that_was_cut_short(tmp_path):
    path = tmp_path / "rounds.jsonl"
    assert read_rounds(path) == []
    done = [make_round("a"), make_round("b", passed=False)]
    for each in done:
        each.write_to(path)
    with path.open("a") as file:
        file.write('{"target": "c"')
    assert read_rounds(path) == done


def test_the_report_says_what_was_done_and_what_failed():
    targets = [Target("kills", ("x",), "kills", 500, on_postgres=True), Target("soak", ("y",), "rounds", 10)]
    rounds = [make_round("kills", amount=20, seconds=60), make_round("kills", amount=5, seconds=60, passed=False)]
    report = format_report(targets, rounds)
    assert "| kills | PostgreSQL | 2 | 25 kills | 5% of 500 | 2.0 | 1 |" in report
    assert "| soak | SQLite | 0 | 0 rounds | 0% of 10 | 0.0 | 0 |" in report
    assert "- kills, seed 1, commit `c0ffee`" in report
    assert "No round failed." in format_report(targets, rounds[:1])


def test_every_test_of_a_target_exists():
    named = {test.partition("::")[0] for target in TARGETS for test in target.tests}
    assert [path for path in named if not (ROOT / path).exists()] == []
    assert len({target.name for target in TARGETS}) == len(TARGETS)


@pytest.mark.slow
def test_a_run_ends_in_time_and_goes_on_where_it_was(tmp_path, capsys):
    for name, source in (("sound", SOUND), ("broken", BROKEN)):
        (tmp_path / f"test_{name}.py").write_text(source)
    targets = [Target(name, (str(tmp_path / f"test_{name}.py"),), "kills", 4) for name in ("sound", "broken")]
    torture.run_rounds(targets, [], tmp_path, seconds=0.1, jobs=2, seed=42)
    first = read_rounds(tmp_path / "rounds.jsonl")
    assert {(done.target, done.seed, done.passed) for done in first} == {("sound", 42, True), ("broken", 1042, False)}
    printed = capsys.readouterr().out
    assert "3 of 4 kills" in printed
    assert "assert (1 + 1) == 3" in printed
    assert (
        f"Again: PROMPTUARY_TORTURE=1 PROMPTUARY_SEED=1042 python -m pytest --hypothesis-seed=1042 {tmp_path}"
        in printed
    )
    torture.run_rounds(targets, first, tmp_path, seconds=600, jobs=2, seed=42)
    assert [sum(done.amount for done in first if done.target == target.name) for target in targets] == [6, 4]
    assert read_rounds(tmp_path / "rounds.jsonl") == first
