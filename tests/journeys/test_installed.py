"""The installed packages: the wheel in an empty environment, with each extra, and the hooks under pre-commit."""

import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from promptuary.version import VERSION

pytestmark = pytest.mark.sqlite  # has no database

ROOT = Path(__file__).resolve().parents[2]
DOCUMENT = "---\ninputs:\n  name: {type: string}\n---\n- name: greeting\n  content: 'Hello {{ name }}'\n"
BROKEN = "---\ninputs:\n  name: {type: string}\n---\n- name: greeting\n  content: 'Hello {{ nam }}'\n"
RENDER = (
    "import promptuary; from promptuary import evaluation, renderer; "
    "print(promptuary.__version__, renderer.load(open('a.yml.j2').read()).render({'name': 'Ada'}).messages)"
)
SERVICE = """
import evaluation
import renderer
from promptuary import renderer as renderer_of_ours
from promptuary import BoundedRenderer

TEXT = open("a.yml.j2").read()

if __name__ == "__main__":
    bounded = BoundedRenderer()
    here = renderer_of_ours.load(TEXT).render({"name": "Ada"}).messages[0]["content"]
    child = bounded.render(TEXT, {"name": "Ada"})["messages"][0]["content"]
    bounded.close()
    print(f"{renderer.OWNER}, {evaluation.OWNER}: {here}, {child}")
"""
TYPED = """
from promptuary import Promptuary
from promptuary.renderer import Template, load

client = Promptuary("http://127.0.0.1:9", key="key")
template: Template = load("- name: greeting\\n  content: Hello\\n")
reveal_type(client)
reveal_type(template)
"""


def run(*command: str | Path, cwd: Path, status: int = 0, given: str = "") -> str:
    """Run a command, and return its output of both streams. Fails if its exit code isn't the expected one."""
    environ = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "PROMPTUARY"))}
    done = subprocess.run(
        [str(word) for word in command],
        cwd=cwd,
        env=environ,
        input=given,
        capture_output=True,
        text=True,
        check=False,
        timeout=280,
    )
    assert done.returncode == status, done.stdout + done.stderr
    return done.stdout + done.stderr


@pytest.fixture(scope="module")
def wheel(tmp_path_factory) -> Path:
    """The wheel, built from the files that Git tracks."""
    folder = tmp_path_factory.mktemp("wheel")
    source = folder / "source"
    run("git", "clone", "--quiet", "--depth", "1", f"file://{ROOT}", source, cwd=folder)
    for name in run("git", "diff", "--name-only", "--diff-filter=d", "HEAD", cwd=ROOT).split():  # not committed yet
        shutil.copyfile(ROOT / name, source / name, follow_symlinks=False)
    run(sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "-w", folder, source, cwd=folder)
    (found,) = folder.glob("*.whl")
    assert found.name.startswith(f"promptuary-{VERSION}-")
    return Path(found)


def make_environment(folder: Path, *wanted: str | Path) -> Path:
    """The folder of programs of an empty environment in which pip has installed this."""
    # Without pip, which takes 3 s to install: that of the tests installs there too.
    run(sys.executable, "-m", "venv", "--without-pip", folder / "venv", cwd=folder)
    programs = folder / "venv" / "bin"
    pip: list[str | Path] = [
        sys.executable,
        "-m",
        "pip",
        "--python",
        programs / "python",
        "--disable-pip-version-check",
    ]
    run(*pip, "install", "-q", "--no-compile", *wanted, cwd=folder)
    return programs


def install(wheel: Path, folder: Path, extra: str) -> Path:
    """The folder of programs of an empty environment with the wheel and one extra."""
    programs = make_environment(folder, f"{wheel}[{extra}]" if extra else wheel)
    (folder / "a.yml.j2").write_text(DOCUMENT)
    return programs


def test_the_wheel_holds_one_package_with_its_data(wheel):
    listed = run("git", "ls-files", "promptuary", "renderer", "evaluation", cwd=ROOT).split()
    nested = [name if name.startswith("promptuary/") else f"promptuary/{name}" for name in listed]
    expected = {name for name in nested if (ROOT / name).is_file()}
    with zipfile.ZipFile(wheel) as archive:
        names = {name for name in archive.namelist() if ".dist-info/" not in name}
    assert names == expected
    assert {"promptuary/py.typed", "promptuary/renderer/profiles/claude.yml"} <= names


@pytest.mark.timeout(600)
def test_the_client_alone_renders_and_the_command_says_what_it_lacks(wheel, tmp_path):
    programs = install(wheel, tmp_path, "")
    assert "Hello Ada" in run(programs / "python", "-c", RENDER, cwd=tmp_path)
    assert "pip install 'promptuary[cli]'" in run(programs / "promptuary", "--help", cwd=tmp_path, status=1)
    for name in ("renderer", "evaluation"):
        assert f"No module named '{name}'" in run(programs / "python", "-c", f"import {name}", cwd=tmp_path, status=1)
    for name in ("renderer", "evaluation"):  # a service's own packages, of the same names
        (tmp_path / name).mkdir()
        (tmp_path / name / "__init__.py").write_text("OWNER = 'the service'\n")
    (tmp_path / "service.py").write_text(SERVICE)
    assert run(programs / "python", "service.py", cwd=tmp_path) == "the service, the service: Hello Ada, Hello Ada\n"


@pytest.mark.timeout(600)
def test_an_editable_install_is_seen_by_type_checkers_and_claims_one_name(tmp_path):
    source = tmp_path / "source"
    run("git", "clone", "--quiet", "--depth", "1", f"file://{ROOT}", source, cwd=tmp_path)
    python = make_environment(tmp_path, "--no-deps", "-e", source) / "python"
    for name in ("renderer", "evaluation", "registry", "tests"):
        assert f"No module named '{name}'" in run(python, "-c", f"import {name}", cwd=tmp_path, status=1)
    (tmp_path / "service.py").write_text(TYPED)
    check: list[str | Path] = [
        sys.executable,
        "-m",
        "mypy",
        "--strict",
        "--follow-imports",
        "silent",
        "--python-executable",
        python,
    ]
    answers = run(*check, "service.py", cwd=tmp_path)
    assert 'Revealed type is "promptuary.client.Promptuary"' in answers
    assert 'Revealed type is "promptuary.renderer.template.Template"' in answers


@pytest.mark.timeout(600)
def test_the_command_line_works_with_its_extra_alone(wheel, tmp_path):
    programs = install(wheel, tmp_path, "cli")
    assert run(programs / "promptuary", "--version", cwd=tmp_path) == f"promptuary {VERSION}\n"
    assert "lint" in run(programs / "promptuary", "-h", cwd=tmp_path)
    run(programs / "promptuary", "lint", "a.yml.j2", cwd=tmp_path)
    (tmp_path / "broken.yml.j2").write_text(BROKEN)
    assert "PT" in run(programs / "promptuary", "lint", "broken.yml.j2", cwd=tmp_path, status=1)
    (tmp_path / "data.json").write_text('{"name": "Ada"}')
    assert "Hello Ada" in run(programs / "promptuary", "render", "a.yml.j2", "--data", "data.json", cwd=tmp_path)
    missing = run(programs / "promptuary", "mcp", "--url", "http://127.0.0.1:9", cwd=tmp_path, status=2)
    assert "pip install 'promptuary[mcp]'" in missing


@pytest.mark.timeout(600)
def test_the_mcp_server_works_with_its_extra_alone(wheel, tmp_path):
    programs = install(wheel, tmp_path, "mcp")
    hello = (
        '{"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"protocolVersion": "2025-06-18", '
        '"capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}}\n'
    )
    result = run(programs / "promptuary", "mcp", "--url", "http://127.0.0.1:9", cwd=tmp_path, given=hello)
    assert f'"version":"{VERSION}"' in result.replace(" ", "")


@pytest.mark.timeout(600)
@pytest.mark.parametrize("hook", ["promptuary-lint", "promptuary-vendor"])
def test_a_hook_works_under_pre_commit(hook, tmp_path):
    repository = tmp_path / "repository"
    run("git", "init", "-q", repository, cwd=tmp_path)
    (repository / "a.yml.j2").write_text(DOCUMENT)
    run("git", "add", ".", cwd=repository)
    pre_commit = [sys.executable, "-m", "pre_commit", "try-repo", str(ROOT), hook, "--all-files", "--verbose"]
    home = ["env", f"PRE_COMMIT_HOME={tmp_path / 'cache'}"]
    assert "ModuleNotFoundError" not in run(*home, *pre_commit, cwd=repository)
    if hook == "promptuary-lint":
        (repository / "a.yml.j2").write_text(BROKEN)
        run("git", "add", ".", cwd=repository)
        assert "PT" in run(*home, *pre_commit, cwd=repository, status=1)
