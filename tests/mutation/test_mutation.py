"""Reading the results of mutmut, and the copy of the tree that it runs in."""

import json
import tomllib

import pytest

from tests.mutation.__main__ import TARGETS, Score, read_score
from tests.mutation.copies import ROOT, Settings, format_settings, update_copy


def _write_codes(folder, codes):
    path = folder / "registry/changes/gate.py.meta"
    path.parent.mkdir(parents=True)
    path.write_text(json.dumps({"exit_code_by_key": codes}), encoding="utf-8")


def test_a_change_is_noticed_by_a_failing_test_or_by_a_run_without_end(tmp_path):
    _write_codes(tmp_path, {"f__mutmut_1": 1, "f__mutmut_2": 36, "f__mutmut_3": 0, "f__mutmut_4": 33})
    score = read_score(tmp_path)
    assert score == Score(4, ("f__mutmut_3", "f__mutmut_4"), timed_out=1)
    assert score.percent == 50.0


def test_of_a_sample_only_every_so_many_changes_count(tmp_path):
    _write_codes(tmp_path, {"f__mutmut_1": None, "f__mutmut_2": 1, "f__mutmut_3": 1, "f__mutmut_7": 0})
    assert read_score(tmp_path, every=5) == Score(2, ("f__mutmut_7",))


def test_a_run_that_was_ended_has_no_score(tmp_path):
    _write_codes(tmp_path, {"f__mutmut_1": 1, "f__mutmut_2": None})
    with pytest.raises(SystemExit, match="1 of 2 changes were not tried"):
        read_score(tmp_path)


def test_nothing_to_change_is_a_full_score(tmp_path):
    assert read_score(tmp_path).percent == 100.0


def test_the_files_and_tests_of_each_target_exist():
    for target in TARGETS:
        assert all(list(ROOT.glob(pattern)) for pattern in (*target.files, *target.tests)), target.name


def test_the_settings_are_toml():
    settings: Settings = {"only_mutate": ("a.py", 'b"c.py'), "do_not_mutate_patterns": [r"\bgettext\("], "debug": False}
    read = tomllib.loads(format_settings(settings))["tool"]["mutmut"]
    assert read == {name: list(value) if isinstance(value, tuple) else value for name, value in settings.items()}


def test_a_copy_holds_the_tree_with_the_settings_and_unchanged_files_keep_their_time(tmp_path):
    update_copy(tmp_path, {"only_mutate": ["a.py"]})
    assert (tmp_path / "manage.py").read_bytes() == (ROOT / "manage.py").read_bytes()
    assert (tmp_path / "promptuary/renderer").readlink() == (ROOT / "promptuary/renderer").readlink()
    settings = tomllib.loads((tmp_path / "pyproject.toml").read_text(encoding="utf-8"))
    assert settings["tool"]["mutmut"] == {"only_mutate": ["a.py"]}
    before = {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*.py")}
    (tmp_path / "manage.py").write_text("changed", encoding="utf-8")
    update_copy(tmp_path, {"only_mutate": ["a.py"]})
    after = {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*.py")}
    assert (tmp_path / "manage.py").read_bytes() == (ROOT / "manage.py").read_bytes()
    assert {path for path in before if before[path] != after[path]} <= {tmp_path / "manage.py"}
