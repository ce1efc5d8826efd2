"""The home and its contents are private: new files, files of earlier versions, and reports of what can't change."""

import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest
from django.core.exceptions import ImproperlyConfigured

from registry.core import private_files

ROOT = Path(__file__).parents[3]


@pytest.fixture(autouse=True)
def the_umask_stays():
    before = os.umask(0o022)
    yield
    os.umask(before)


def mode_of(path):
    return stat.S_IMODE(path.stat().st_mode)


def test_a_new_home_is_the_owners_only_and_so_is_what_is_made_afterwards(tmp_path, capfd):
    home = tmp_path / "deep" / "home"
    private_files.keep_private(home)
    (home / "file").write_text("x")
    (home / "folder").mkdir()
    assert {mode_of(path) for path in (home.parent, home, home / "folder")} == {0o700}
    assert mode_of(home / "file") == 0o600
    assert capfd.readouterr().err == ""


def test_a_home_that_was_open_is_closed_with_a_sentence(tmp_path, capfd):
    tmp_path.chmod(0o755)
    private_files.keep_private(tmp_path)
    assert mode_of(tmp_path) == 0o700
    assert "could look into" in capfd.readouterr().err


def test_readable_files_are_made_private_and_counted(tmp_path):
    home, outside = tmp_path / "home", tmp_path / "elsewhere.sqlite3"
    (home / "mirror.git").mkdir(parents=True)
    for path in (home / "promptuary.sqlite3", home / "mirror.git" / "HEAD", outside, tmp_path / "not-ours"):
        path.write_text("x")
    (home / "link").symlink_to(tmp_path / "not-ours")
    assert private_files.tighten_tree(home, [outside, tmp_path / "absent"]) == 4
    assert mode_of(home / "mirror.git") == 0o700
    assert {mode_of(path) for path in (home / "promptuary.sqlite3", home / "mirror.git" / "HEAD", outside)} == {0o600}
    assert mode_of(tmp_path / "not-ours") == 0o644
    assert private_files.tighten_tree(home, [outside]) == 0


def test_a_home_that_cant_be_made_is_refused_with_its_path_and_the_reason(tmp_path):
    (tmp_path / "file").write_text("x")
    with pytest.raises(ImproperlyConfigured, match=r"PROMPTUARY_HOME is .*/file, which is a file\. Name a folder\."):
        private_files.keep_private(tmp_path / "file")
    with pytest.raises(ImproperlyConfigured, match=r"/file/home, which can't be made: Not a directory\."):
        private_files.keep_private(tmp_path / "file" / "home")
    assert (tmp_path / "file").read_text() == "x"


def test_a_home_that_cant_be_written_to_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(os, "access", lambda path, mode: path != tmp_path)  # root may write everywhere
    with pytest.raises(ImproperlyConfigured, match="in which this user may not write"):
        private_files.keep_private(tmp_path)


def test_the_command_line_says_so_in_one_line(tmp_path):
    (tmp_path / "file").write_text("x")
    environment = {
        **os.environ,
        "PROMPTUARY_HOME": str(tmp_path / "file"),
        "DJANGO_SETTINGS_MODULE": "registry.settings",
    }
    command = [sys.executable, str(ROOT / "manage.py"), "serve"]
    ended = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=60, check=False)
    assert ended.returncode == 1
    assert ended.stderr.splitlines() == [
        f"Error in the configuration: PROMPTUARY_HOME is {tmp_path / 'file'}, which is a file. Name a folder."
    ]


def test_a_folder_that_all_users_share_is_refused_and_left_as_it_is(tmp_path):
    tmp_path.chmod(0o1777)
    with pytest.raises(ImproperlyConfigured, match="all users of this machine share"):
        private_files.keep_private(tmp_path)
    assert mode_of(tmp_path) == 0o777 or tmp_path.stat().st_mode & stat.S_ISVTX


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root can give a folder away")
def test_a_home_of_somebody_else_is_left_alone_and_told(tmp_path, capfd, settings):
    tmp_path.chmod(0o755)
    os.chown(tmp_path, 65534, 65534)
    private_files.keep_private(tmp_path)
    said = capfd.readouterr().err
    assert mode_of(tmp_path) == 0o755
    assert "belongs to user 65534" in said
    assert "chmod 700" in said
    settings.PROMPTUARY_HOME = tmp_path
    assert [message.id for message in private_files.check_home()] == ["registry.W001"]
    os.chown(tmp_path, os.geteuid(), os.getegid())


@pytest.mark.parametrize("module", ["registry.settings", "registry.celery", "registry.wsgi"])
def test_every_process_that_reads_the_settings_writes_for_its_owner_only(tmp_path, module):
    script = f"import {module}, os\nfrom django.conf import settings\nsettings.PORT\nprint(oct(os.umask(0)))"
    done = subprocess.run(
        [sys.executable, "-c", f"import os\nos.umask(0o022)\n{script}"],
        cwd=ROOT,
        env={**os.environ, "PROMPTUARY_HOME": str(tmp_path / "home"), "DJANGO_SETTINGS_MODULE": "registry.settings"},
        capture_output=True,
        text=True,
        check=True,
        timeout=120,
    )
    assert done.stdout.strip() == "0o77"
    assert mode_of(tmp_path / "home") == 0o700
