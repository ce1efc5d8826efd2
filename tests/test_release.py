"""The release script: its refusals, and its results."""

import hashlib
import subprocess
from pathlib import Path

import pytest

from promptuary.version import VERSION
from tests.support.scripts import load_script

ROOT = Path(__file__).resolve().parents[1]
release = load_script("deploy/release.py")


def git(*words: str, cwd: Path) -> None:
    identity = ("-c", "user.name=admin", "-c", "user.email=admin@promptuary.example")
    subprocess.run(["git", *identity, *words], cwd=cwd, check=True, capture_output=True)


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A repository with one commit: only the files that the refusals read."""
    place = tmp_path / "repository"
    (place / "promptuary").mkdir(parents=True)
    (place / "promptuary/version.py").write_text('VERSION = "1.2.3"\n')
    (place / "CHANGELOG.md").write_text("# Changelog\n\n## [Unreleased]\n\n- One.\n")
    git("init", "-q", ".", cwd=place)
    git("add", ".", cwd=place)
    git("commit", "-qm", "All", cwd=place)
    return place


def test_a_commit_without_the_tag_of_its_version_is_refused(repository):
    git("tag", "v1.2.2", cwd=repository)
    with pytest.raises(release.ReleaseError, match=r"no tag v1\.2\.3"):
        release.make_release(repository, key=None, is_trial=False, trials=[])


def test_uncommitted_files_are_refused(repository):
    (repository / "new.txt").write_text("new")
    with pytest.raises(release.ReleaseError, match="not committed"):
        release.check_tag(repository, "1.2.3")


def test_a_release_needs_a_key(repository):
    git("tag", "v1.2.3", cwd=repository)
    with pytest.raises(release.ReleaseError, match="which SSH key"):
        release.make_release(repository, key=None, is_trial=False, trials=[])


def test_the_notes_are_the_dated_section_of_the_version(repository):
    changelog = repository / "CHANGELOG.md"
    with pytest.raises(release.ReleaseError, match="no section"):
        release.read_notes(repository, "1.2.3")
    changelog.write_text("# Changelog\n\n## [1.2.3] - soon\n\n- One.\n")
    with pytest.raises(release.ReleaseError, match="isn't a date"):
        release.read_notes(repository, "1.2.3")
    changelog.write_text("# Changelog\n\n## [1.2.3] - 2026-01-31\n\n- One.\n\n## [1.2.2] - 2026-01-01\n\n- Two.\n")
    assert release.read_notes(repository, "1.2.3") == "- One."


def test_a_version_that_cannot_be_read_is_refused(repository):
    (repository / "promptuary/version.py").write_text("VERSION = make()\n")
    with pytest.raises(release.ReleaseError, match="VERSION"):
        release.read_version(repository)


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_a_tagged_commit_is_built_tried_and_signed(tmp_path):
    place, key = tmp_path / "repository", tmp_path / "key"
    git("clone", "-q", "--depth", "1", f"file://{ROOT}", str(place), cwd=tmp_path)
    changelog = place / "CHANGELOG.md"
    changelog.write_text(changelog.read_text().replace("## [Unreleased]", f"## [{VERSION}] - 2026-01-31", 1))
    git("commit", "-qam", "Release", cwd=place)
    git("tag", f"v{VERSION}", cwd=place)
    bundle = place / "frontend/static/frontend/dist"
    bundle.mkdir(parents=True)
    (bundle / "editor.js").write_text("// built\n")
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", key], check=True, cwd=tmp_path)
    output_text = release.make_release(place, key=key, is_trial=False, trials=["sdist"])
    folder = place / "build/release"
    packages = [f"promptuary-{VERSION}-py3-none-any.whl", f"promptuary-{VERSION}.tar.gz"]
    files = {path.name for path in folder.iterdir()}
    assert files == {*packages, f"promptuary-server-{VERSION}.tar.gz", "NOTES.md", "SHA256SUMS", "SHA256SUMS.sig"}
    assert all(name in output_text for name in files)
    sums = dict(line.split("  ")[::-1] for line in (folder / "SHA256SUMS").read_text().splitlines())
    assert sums[packages[0]] == hashlib.sha256((folder / packages[0]).read_bytes()).hexdigest()
    listed = subprocess.run(
        ["tar", "tzf", folder / f"promptuary-server-{VERSION}.tar.gz"], capture_output=True, text=True, check=True
    ).stdout.splitlines()
    top = f"promptuary-server-{VERSION}"
    assert {f"{top}/manage.py", f"{top}/frontend/static/frontend/dist/editor.js", f"{top}/LICENSE"} <= set(listed)
    assert not [name for name in listed if name.startswith(f"{top}/.git/")]
