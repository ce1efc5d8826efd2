"""The restore drill: only a clone of the mirror is left, and the registry is restored into an empty database.

On PostgreSQL the registry that was lost ran there, and comes back on SQLite: the same journal, the same commits.
"""

import subprocess

import pytest

from tests.support import instances
from tests.support.examples import run_size

TEMPLATES, VERSIONS = run_size(50, torture=200), 5
DRIVER = ("-m", "tests.support.restore_drill_driver")


def list_heads(place):
    listed = subprocess.run(["git", "for-each-ref"], cwd=place.home / "mirror.git", capture_output=True, check=True)
    return listed.stdout


@pytest.mark.timeout(900)  # a minute on a quiet machine
def test_a_registry_comes_back_from_a_clone(tmp_path):
    lost, fresh = (
        instances.make_instance(tmp_path / "lost"),
        instances.make_instance(tmp_path / "fresh", engine="sqlite"),
    )
    try:
        lost.run(*DRIVER, "build", str(TEMPLATES), str(VERSIONS))
        lost.manage("mirror", "verify")
        before = lost.run(*DRIVER, "photograph").stdout
        clone = tmp_path / "clone"
        subprocess.run(["git", "clone", "-q", lost.home / "mirror.git", clone], check=True)
        output = fresh.manage("restore", f"--from-git={clone}").stdout
        assert "equal to" in output
        assert fresh.run(*DRIVER, "photograph").stdout == before
        assert list_heads(fresh) == list_heads(lost)
        fresh.manage("mirror", "rebuild")
        assert list_heads(fresh) == list_heads(lost)
        assert fresh.manage("restore", f"--from-git={clone}", check=False).returncode == 1
    finally:
        for place in (lost, fresh):
            instances.remove_instance(place)
