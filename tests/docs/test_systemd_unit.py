"""The systemd unit on the page for one machine: systemd accepts it, and it starts existing commands."""

import configparser
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from registry.management.commands import serve
from tests.docs.pages import ROOT
from tests.support.markdown_blocks import read_blocks

PAGE = ROOT / "docs/how-to/deploy-one-vm.md"
FILES = {Path(block.title).name: block.text for block in read_blocks(PAGE) if block.title}
UNIT = FILES["promptuary.service"]
SETTINGS = (ROOT / "docs/reference/settings.md").read_text(encoding="utf-8")


def read_service() -> configparser.SectionProxy:
    parser = configparser.RawConfigParser()
    parser.optionxform = str  # type: ignore[assignment,method-assign]  # systemd's keys have capitals
    parser.read_string(UNIT)
    return parser["Service"]


def test_the_unit_starts_the_server_with_arguments_that_it_takes():
    _python, program, command, *arguments = shlex.split(read_service()["ExecStart"])
    assert (ROOT / program).exists()
    assert command == "serve"
    assert serve.Command().create_parser("manage.py", "serve").parse_args(arguments).only is None


def test_the_data_lie_where_the_unit_may_write():
    home = re.search(r"^PROMPTUARY_HOME=(.+)$", FILES["promptuary.env"], re.MULTILINE)
    assert home
    assert Path(home[1]).is_relative_to(read_service()["ReadWritePaths"])


@pytest.mark.parametrize("name", re.findall(r"^(\w+)=", FILES["promptuary.env"], re.MULTILINE))
def test_a_setting_of_its_environment_is_one_that_promptuary_reads(name):
    assert f"`{name}`" in SETTINGS


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="systemd is not installed")
def test_systemd_finds_nothing_wrong_with_the_unit(tmp_path):
    program = shlex.split(read_service()["ExecStart"])[0]
    unit = tmp_path / "promptuary.service"
    unit.write_text(UNIT.replace(program, sys.executable).replace("User=promptuary", "User=daemon"))
    done = subprocess.run(
        ["systemd-analyze", "verify", "--man=no", str(unit)], capture_output=True, text=True, check=False, timeout=60
    )
    assert (done.returncode, done.stderr) == (0, "")
