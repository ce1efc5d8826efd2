"""Builds a release: the client's packages and the server's archive, each tried in an empty environment, then signed.

Run it as `make release KEY=~/.ssh/id_ed25519`, on a commit with the tag of its version (`v0.1.0`). It uploads nothing:
its last lines list what to upload and how. `--trial` goes without the tag, the dated section of CHANGELOG.md and a
signature, for a look at what would come out.
"""

import argparse
import datetime
import hashlib
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
OUTPUT = Path("build/release")  # in the repository
SUMS = "SHA256SUMS"
SIGNING_NAMESPACE = "promptuary-release"  # of `ssh-keygen -Y sign`: a signature for another purpose is not taken for it
DOCUMENT = "---\ninputs:\n  name: {type: string}\n---\n- name: greeting\n  content: 'Hello {{ name }}'\n"
RENDER = """
from pathlib import Path
from promptuary import renderer
print(renderer.load(Path("a.yml.j2").read_text()).render({"name": "you"}).messages)
"""
METRICS = "from promptuary.evaluation import metrics; print('metrics')"


class ReleaseError(Exception):
    """The release stops; the message says why and what to do."""


@dataclass(frozen=True)
class Trial:
    """One installation to try: the extra, the command after the environment's program folder, and what it prints."""

    extra: str
    command: tuple[str, ...]
    expected: str


def run_command(*command: str | Path, cwd: Path) -> str:
    """The command's output, of both streams. Raises ReleaseError with it if the command failed."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "PROMPTUARY"))}
    process = subprocess.run(  # noqa: S603  # commands of this file, with paths that the operator chose
        [str(word) for word in command], cwd=cwd, env=environment, capture_output=True, text=True, check=False
    )
    if process.returncode:
        raise ReleaseError(f"{' '.join(str(word) for word in command)} failed:\n{process.stdout}{process.stderr}")
    return process.stdout + process.stderr


def read_version(repository: Path) -> str:
    """The version that the code says it is."""
    text = (repository / "promptuary/version.py").read_text(encoding="utf-8")
    match = re.search(r'^VERSION = "([^"]+)"$', text, re.MULTILINE)
    if match is None:
        raise ReleaseError('promptuary/version.py has no line VERSION = "...".')
    return match[1]


def read_notes(repository: Path, version: str) -> str:
    """The lines of CHANGELOG.md for the version. Raises ReleaseError if it has no section with a date."""
    text = (repository / "CHANGELOG.md").read_text(encoding="utf-8")
    heading = re.search(rf"^## \[?{re.escape(version)}\]? - (\S+)\n", text, re.MULTILINE)
    if heading is None:
        raise ReleaseError(f"CHANGELOG.md has no section `## [{version}] - <date>`: name the unreleased one so.")
    try:
        datetime.date.fromisoformat(heading[1])
    except ValueError as error:
        raise ReleaseError(f"CHANGELOG.md: {heading[1]} isn't a date such as 2026-01-31.") from error
    return re.split(r"^## ", text[heading.end() :], maxsplit=1, flags=re.MULTILINE)[0].strip()


def check_tag(repository: Path, version: str) -> None:
    """Raises ReleaseError unless all is committed and the commit has the tag of the version."""
    if run_command("git", "status", "--porcelain", cwd=repository).strip():
        raise ReleaseError("There are changes that are not committed.")
    tags = run_command("git", "tag", "--points-at", "HEAD", cwd=repository).split()
    if f"v{version}" not in tags:
        raise ReleaseError(f"The commit has no tag v{version}: set it with `git tag -s v{version}`, or try --trial.")


def build_packages(programs: Path, source: Path, output: Path) -> tuple[Path, Path]:
    """Build wheel and source distribution from a clean checkout, and check their metadata."""
    run_command(programs / "python", "-m", "build", "--quiet", "--outdir", output, ".", cwd=source)
    (wheel,), (sdist,) = output.glob("promptuary-*.whl"), output.glob("promptuary-*.tar.gz")
    run_command(programs / "twine", "check", "--strict", wheel, sdist, cwd=output)
    return wheel, sdist


def pack_server(repository: Path, source: Path, version: str, output: Path) -> Path:
    """The server as an archive: what Git tracks, the built frontend, so that its operators need no npm, and the
    compiled catalogues of texts."""
    bundle = repository / "frontend/static/frontend/dist"
    if not bundle.is_dir():
        raise ReleaseError("The frontend is not built: run `make frontend` first.")
    shutil.copytree(bundle, source / "frontend/static/frontend/dist", symlinks=False)
    for catalogue in repository.glob("frontend/locale/*/LC_MESSAGES/*.mo"):
        shutil.copy(catalogue, source / catalogue.relative_to(repository))
    archive = output / f"promptuary-server-{version}.tar.gz"
    with tarfile.open(archive, "w:gz") as packed:
        packed.add(source, arcname=f"promptuary-server-{version}", filter=_leave_git_out)
    return archive


def try_client(package: Path, trial: Trial, folder: Path) -> None:
    """Install the package with an extra into an empty environment, and run the trial's command there."""
    folder.mkdir()
    (folder / "a.yml.j2").write_text(DOCUMENT, encoding="utf-8")
    programs = make_environment(folder)
    requirement = f"{package}[{trial.extra}]" if trial.extra else str(package)
    run_command(programs / "pip", "install", "-q", "--disable-pip-version-check", requirement, cwd=folder)
    printed = run_command(programs / trial.command[0], *trial.command[1:], cwd=folder)
    if trial.expected not in printed:
        raise ReleaseError(f"{requirement}: {' '.join(trial.command)} printed no {trial.expected!r}:\n{printed}")


def try_server(archive: Path, folder: Path) -> None:
    """Unpack the server, install its pinned packages into an empty environment, make a database and check it."""
    folder.mkdir()
    with tarfile.open(archive) as packed:
        packed.extractall(folder, filter="data")
    (place,) = folder.iterdir()
    programs = make_environment(folder)
    install = [programs / "pip", "install", "-q", "--disable-pip-version-check"]
    run_command(*install, "-r", "requirements.txt", "-c", "constraints.txt", cwd=place)
    home = f"PROMPTUARY_HOME={folder / 'home'}"
    run_command("env", home, programs / "python", "manage.py", "migrate", "-v0", cwd=place)
    run_command("env", home, programs / "python", "manage.py", "check", "--fail-level", "WARNING", cwd=place)


def make_environment(folder: Path) -> Path:
    """The folder of programs of a new virtual environment."""
    run_command(sys.executable, "-m", "venv", folder / "venv", cwd=folder)
    return folder / "venv/bin"


def write_sums(output: Path) -> Path:
    """Write the SHA-256 of each file, in the form that `sha256sum --check` reads."""
    names = sorted(path.name for path in output.iterdir() if path.name != SUMS)
    lines = [f"{hashlib.sha256((output / name).read_bytes()).hexdigest()}  {name}\n" for name in names]
    (output / SUMS).write_text("".join(lines), encoding="ascii")
    return output / SUMS


def sign_sums(sums: Path, key: Path) -> Path:
    """Sign the sums with an SSH key, and verify the signature."""
    signature = sums.with_name(f"{SUMS}.sig")
    signature.unlink(missing_ok=True)
    run_command("ssh-keygen", "-Y", "sign", "-f", key, "-n", SIGNING_NAMESPACE, sums, cwd=sums.parent)
    verify = f"ssh-keygen -Y check-novalidate -n {SIGNING_NAMESPACE} -s {SUMS}.sig < {SUMS}"
    run_command("sh", "-c", verify, cwd=sums.parent)
    return signature


def list_uploads(output: Path, version: str) -> str:
    """What to upload, with sizes, and the commands for it."""
    files = sorted(output.iterdir())
    sizes = "\n".join(f"  {path.stat().st_size / 1000:8,.0f} kB  {path.name}" for path in files)
    packages = " ".join(str(OUTPUT / path.name) for path in files if re.match(r"promptuary-\d", path.name))
    return (
        f"Built and tried, in {OUTPUT}:\n{sizes}\n\nTo publish them:\n"
        f"  git push origin v{version}\n"
        f"  twine upload {packages}\n"
        f"  gh release create v{version} --notes-file {OUTPUT / 'NOTES.md'} {OUTPUT}/*\n"
    )


def make_release(repository: Path, *, key: Path | None, is_trial: bool, trials: Sequence[str]) -> str:
    """Build, try and sign; gives what to do next. trials: which installations to try, by the names in `plan_trials`.

    Raises ReleaseError if something is missing or an installation does not work; what was built stays for a look.
    """
    version = read_version(repository)
    if not is_trial:
        check_tag(repository, version)
        if key is None:
            raise ReleaseError("Say which SSH key signs: --key ~/.ssh/id_ed25519.")
    notes = "A trial, not released." if is_trial else read_notes(repository, version)
    output = repository / OUTPUT
    shutil.rmtree(output, ignore_errors=True)
    output.mkdir(parents=True)
    with tempfile.TemporaryDirectory(prefix="promptuary-release-") as name:
        folder = Path(name)
        source = folder / "source"
        run_command("git", "clone", "--quiet", "--depth", "1", f"file://{repository}", source, cwd=folder)
        programs = make_environment(folder)
        requirements = repository / "requirements-release.txt"
        run_command(programs / "pip", "install", "-q", "--disable-pip-version-check", "-r", requirements, cwd=folder)
        _print_progress("Building wheel and source distribution")
        wheel, sdist = build_packages(programs, source, output)
        shutil.rmtree(source)
        run_command("git", "clone", "--quiet", "--depth", "1", f"file://{repository}", source, cwd=folder)
        _print_progress("Packing the server")
        server = pack_server(repository, source, version, output)
        for title, trial in plan_trials(version).items():
            if title in trials:
                _print_progress(f"Trying {title}")
                try_client(sdist if title == "sdist" else wheel, trial, folder / f"try-{title}")
        if "server" in trials:
            _print_progress("Trying server")
            try_server(server, folder / "try-server")
    (output / "NOTES.md").write_text(notes + "\n", encoding="utf-8")
    sums = write_sums(output)
    if key is not None:
        sign_sums(sums, key)
    return list_uploads(output, version)


def plan_trials(version: str) -> dict[str, Trial]:
    """The installations of the client to try, by name."""
    render = ("python", "-c", RENDER)
    return {
        "client": Trial("", render, "Hello you"),
        "sdist": Trial("", render, "Hello you"),
        "cli": Trial("cli", ("promptuary", "--version"), f"promptuary {version}"),
        "mcp": Trial("mcp", ("promptuary", "mcp", "--help"), "mcp"),
        "evaluation": Trial("evaluation", ("python", "-c", METRICS), "metrics"),
    }


def main(arguments: Sequence[str] | None = None) -> int:
    """Make a release, or say why not."""
    names = [*plan_trials(""), "server"]
    parser = argparse.ArgumentParser(description="Build, try and sign a release.")
    parser.add_argument("--key", type=Path, help="the SSH key that signs the sums")
    parser.add_argument("--trial", action="store_true", help="without tag, dated changelog and signature")
    parser.add_argument("--only", nargs="*", choices=names, default=names, help="which installations to try")
    options = parser.parse_args(arguments)
    try:
        report = make_release(ROOT, key=options.key, is_trial=options.trial, trials=options.only)
        print(report)  # noqa: T201  # a command's answer
    except ReleaseError as error:
        print(error, file=sys.stderr)  # noqa: T201  # as above
        return 1
    return 0


def _print_progress(sentence: str) -> None:
    print(f"{sentence} ...", flush=True)  # noqa: T201  # progress of a command


def _leave_git_out(member: tarfile.TarInfo) -> tarfile.TarInfo | None:
    return None if member.name.split("/")[1:2] == [".git"] else member


if __name__ == "__main__":
    sys.exit(main())
