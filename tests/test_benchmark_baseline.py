"""Which ratios of the benchmarks fell behind the baseline."""

import importlib
import json
import math
import os
import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks import baseline
from benchmarks.baseline import Comparison, compare_ratios, read_ratios, record_ratio

FOLDER = Path(baseline.__file__).parent


def test_measured_ratios_are_recorded_under_their_program(tmp_path, monkeypatch):
    notes = tmp_path / "ratios.jsonl"
    monkeypatch.setenv("PROMPTUARY_RATIOS", str(notes))
    monkeypatch.setattr(sys, "argv", ["benchmarks/fetch.py", "--only", "warm"])
    record_ratio("by number / nginx's file", 0.63)
    record_ratio("by number / mlflow", math.inf)
    record_ratio("by label / by number", 1.1)
    assert read_ratios(notes) == {"fetch": {"by number / nginx's file": 0.63, "by label / by number": 1.1}}


def test_nothing_is_noted_by_a_program_that_runs_alone(tmp_path, monkeypatch):
    monkeypatch.delenv("PROMPTUARY_RATIOS", raising=False)
    monkeypatch.chdir(tmp_path)
    record_ratio("by number / nginx's file", 0.63)
    assert os.listdir(tmp_path) == []


def test_a_ratio_falls_below_four_fifths_of_the_baseline_or_by_not_being_measured():
    before = {"fetch": {"a": 1.0, "b": 1.0, "c": 1.0}, "render": {"left out": 1.0}}
    compared = compare_ratios(before, {"fetch": {"a": 0.81, "b": 0.79, "d": 3.0}}, ["fetch"])
    assert {each.name: each.has_fallen for each in compared} == {"a": False, "b": True, "c": True, "d": False}
    assert [str(each).split("  ")[-1] for each in compared] == ["-19 %", "FELL -21 %", "NOT MEASURED", "new"]


def test_a_higher_ratio_has_not_fallen():
    assert not Comparison("fetch", "a", before=1.0, now=5.0).has_fallen


def test_the_baseline_holds_ratios_of_programs_that_exist():
    data = json.loads(baseline.BASELINE.read_text(encoding="utf-8"))
    assert data["programs"]
    for program, entry in data["programs"].items():
        assert program in baseline.PROGRAMS
        assert entry["date"]
        assert entry["machine"]
        assert entry["ratios"]
        assert all(ratio > 0 for ratio in entry["ratios"].values())


@pytest.mark.parametrize(
    ("cpu", "threads", "missed"), [(5.0, 30, 0), (5.0, 120, 1), (9.0, 30, 1)], ids=["idle", "a thread each", "busy"]
)
def test_idle_streams_may_take_neither_threads_nor_time(monkeypatch, cpu, threads, missed):
    monkeypatch.delenv("PROMPTUARY_RATIOS", raising=False)
    monkeypatch.syspath_prepend(FOLDER)
    live, fetch = importlib.import_module("live"), importlib.import_module("fetch")
    gates = fetch.Gates()
    live.check_idle(gates, 100, live.Usage(cpu=0.3, memory=300, threads=23), live.Usage(cpu, 320, threads))
    assert len(gates.missed) == missed


def test_each_program_that_is_run_exists_and_records_a_ratio():
    for program in baseline.PROGRAMS:
        text = (FOLDER / f"{program}.py").read_text(encoding="utf-8")
        assert "record_ratio(" in text or "gates.check(" in text, program


def test_an_unknown_program_is_refused_with_the_known_ones():
    command = [sys.executable, str(FOLDER / "baseline.py"), "--only", "fetches"]
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    assert ended.returncode == 2
    assert "unknown: fetches; there are preview, render" in ended.stderr
