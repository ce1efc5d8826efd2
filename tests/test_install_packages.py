"""The script that installs packages: which installer runs, and what of pip's configuration reaches uv."""

from __future__ import annotations

import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from tests.docs.pages import ROOT
from tests.support.scripts import load_script

install_packages = load_script("deploy/install_packages.py")
SCRIPT = ROOT / "deploy/install_packages.py"
PRINTED = """\
:env:.cert='/etc/certificates.crt'
:env:.default-timeout='180'
global.cert='/etc/other.crt'
global.extra-index-url='https://one.example/simple\\nhttps://two.example/simple'
global.index-url='https://packages.example/simple'
install.find-links='/wheels /more'
list.format='columns'
"""


def test_the_settings_of_the_environment_win() -> None:
    assert install_packages.read_settings(PRINTED) == {
        "cert": "/etc/certificates.crt",
        "default-timeout": "180",
        "extra-index-url": "https://one.example/simple https://two.example/simple",
        "index-url": "https://packages.example/simple",
        "find-links": "/wheels /more",
    }


def test_uv_gets_the_settings_of_pip(monkeypatch: pytest.MonkeyPatch) -> None:
    for variable, _ in install_packages.UV_VARIABLES.values():
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setenv("UV_DEFAULT_INDEX", "https://chosen.example/simple")
    environment = install_packages.build_uv_environment(install_packages.read_settings(PRINTED))
    assert environment["UV_DEFAULT_INDEX"] == "https://chosen.example/simple"  # what is set for uv stays
    assert environment["UV_INDEX"] == "https://one.example/simple https://two.example/simple"
    assert environment["UV_FIND_LINKS"] == "/wheels,/more"
    assert environment["SSL_CERT_FILE"] == "/etc/certificates.crt"
    assert "UV_INSECURE_HOST" not in environment


def make_wheel(folder: Path) -> None:
    """Write the wheel of a package with one module."""
    folder.mkdir()
    with zipfile.ZipFile(folder / "greeting-1.0-py3-none-any.whl", "w") as wheel:
        wheel.writestr("greeting.py", "WORD = 'hello'\n")
        wheel.writestr("greeting-1.0.dist-info/METADATA", "Metadata-Version: 2.1\nName: greeting\nVersion: 1.0\n")
        wheel.writestr("greeting-1.0.dist-info/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        wheel.writestr("greeting-1.0.dist-info/RECORD", "")


@pytest.mark.parametrize("works", [True, False], ids=["uv", "pip, as uv fails"])
def test_the_packages_are_installed_into_the_named_environment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, works: bool
) -> None:
    make_wheel(tmp_path / "wheels")
    monkeypatch.setenv("PIP_FIND_LINKS", str(tmp_path / "wheels"))
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("UV_OFFLINE", "1")
    if not works:
        monkeypatch.setenv("UV_FIND_LINKS", str(tmp_path / "missing"))
    python = tmp_path / "environment/bin/python"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(tmp_path / "environment")], check=True)
    command = [sys.executable, str(SCRIPT), "--python", str(python), "greeting==1.0"]
    finished = subprocess.run(command, capture_output=True, text=True, check=False)
    assert finished.returncode == 0, finished.stderr
    assert ("pip installs them" in finished.stderr) is not works
    printed = subprocess.run(
        [str(python), "-c", "import greeting; print(greeting.WORD)"], capture_output=True, text=True, check=True
    ).stdout
    assert printed == "hello\n"


def test_the_exit_code_tells_that_nothing_was_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("UV_OFFLINE", "1")
    finished = subprocess.run([sys.executable, str(SCRIPT), "no-such-package==1.0"], capture_output=True, check=False)
    assert finished.returncode != 0
