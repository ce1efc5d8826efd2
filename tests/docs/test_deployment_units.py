"""The systemd units for several machines: systemd accepts them, and they start existing commands."""

import configparser
import shlex
import shutil
import subprocess
import sys

import pytest

from registry.management.commands import serve
from tests.docs.pages import ROOT

FOLDER = ROOT / "deploy/systemd"
UNITS = sorted(FOLDER.glob("*.service"))


def read_service(path):
    parser = configparser.RawConfigParser(strict=False)  # EnvironmentFile may stand there twice
    parser.optionxform = str  # type: ignore[assignment,method-assign]  # systemd's keys have capitals
    parser.read_string(path.read_text())
    return parser["Service"]


def test_each_role_of_the_server_has_its_unit():
    assert [unit.name for unit in UNITS] == [f"promptuary-{role}.service" for role in ("migrate", "web", "worker")]


@pytest.mark.parametrize("unit", UNITS, ids=lambda unit: unit.stem)
def test_a_unit_starts_the_server_in_the_role_of_its_name(unit):
    _python, program, command, *arguments = shlex.split(read_service(unit)["ExecStart"])
    assert (ROOT / program).exists()
    assert command == "serve"
    parsed = serve.Command().create_parser("manage.py", "serve").parse_args(arguments)
    assert f"promptuary-{parsed.only}" == unit.stem


@pytest.mark.parametrize("unit", UNITS, ids=lambda unit: unit.stem)
def test_a_unit_is_confined(unit):
    service = read_service(unit)
    assert service["NoNewPrivileges"] == service["PrivateTmp"] == service["ProtectHome"] == "true"
    assert service["ProtectSystem"] == "strict"
    assert service["CapabilityBoundingSet"] == ""


def test_only_the_unit_that_migrates_reads_the_owner_s_password():
    assert [unit.stem for unit in UNITS if "promptuary-owner.env" in unit.read_text()] == ["promptuary-migrate"]


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="systemd is not installed")
def test_systemd_finds_nothing_wrong_with_the_units(tmp_path):
    for unit in UNITS:
        program = shlex.split(read_service(unit)["ExecStart"])[0]
        text = unit.read_text().replace(program, sys.executable).replace("User=promptuary", "User=daemon")
        (tmp_path / unit.name).write_text(text)
    command = ["systemd-analyze", "verify", "--man=no", *(str(tmp_path / unit.name) for unit in UNITS)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    assert (done.returncode, done.stderr) == (0, "")
