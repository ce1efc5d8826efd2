"""The package, the command and the MCP server report the same installed release."""

import re
import subprocess
import sys

import pytest

import promptuary
from promptuary import renderer
from promptuary.version import VERSION

DOCUMENT = "---\nmodel: gpt-4o\n---\n- name: question\n  content: 'Secret is {{ question }}'\n"


def command(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-m", "promptuary", *arguments], capture_output=True, text=True, check=False)


def test_the_package_says_its_version():
    assert promptuary.__version__ == VERSION
    assert re.fullmatch(r"\d+\.\d+\.\d+", VERSION)


def test_the_command_says_its_version():
    assert command("--version").stdout == f"promptuary {VERSION}\n"


@pytest.mark.parametrize("arguments", [["-h"], ["lint", "-h"], ["render", "--help"]])
def test_help_has_a_short_form_everywhere(arguments):
    shown = command(*arguments)
    assert shown.returncode == 0
    assert "Usage" in shown.stdout


def test_a_template_and_a_prompt_say_what_they_are_and_nothing_of_the_text():
    template = renderer.load(DOCUMENT)
    assert re.fullmatch(r"<Template without a name, format parts, sha256:[0-9a-f]{12}>", repr(template))
    prompt = template.render({"question": "4111 1111"})
    assert repr(prompt) == "<Prompt for gpt-4o: 1 part>"
