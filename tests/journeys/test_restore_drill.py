"""The drill: all is lost but a clone of the mirror, and the registry comes back on an empty database."""

import os
import subprocess

from tests.journeys import places

TEMPLATES, VERSIONS = (200, 5) if os.environ.get("PROMPTUARY_TORTURE") else (12, 5)
DRIVER = ("-m", "tests.journeys.drill_driver")


def heads(repository):
    return subprocess.run(["git", "for-each-ref"], cwd=repository, capture_output=True, check=True).stdout


def test_a_registry_comes_back_from_a_clone(tmp_path):
    lost, fresh = places.make(tmp_path / "lost"), places.make(tmp_path / "fresh")
    try:
        lost.run(*DRIVER, "build", str(TEMPLATES), str(VERSIONS))
        lost.manage("mirror", "verify")
        before = lost.run(*DRIVER, "photograph").stdout
        clone = tmp_path / "clone"
        subprocess.run(["git", "clone", "-q", lost.home / "mirror.git", clone], check=True)
        said = fresh.manage("restore", f"--from-git={clone}").stdout
        assert "equal to" in said
        assert fresh.run(*DRIVER, "photograph").stdout == before
        assert heads(fresh.home / "mirror.git") == heads(lost.home / "mirror.git")
        assert fresh.manage("restore", f"--from-git={clone}", check=False).returncode == 1
    finally:
        for place in (lost, fresh):
            places.remove(place)
