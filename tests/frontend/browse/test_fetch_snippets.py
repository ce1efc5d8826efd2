"""Every line that the template page offers to copy runs unchanged."""

import html
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from django.contrib.staticfiles.handlers import StaticFilesHandler
from django.test import Client
from django.test.testcases import LiveServerThread

import promptuary
from registry.namespaces import keys
from tests.frontend.conftest import DOCUMENT, REPLY, set_desk, set_reply


@pytest.fixture
def address(transactional_db):
    """The address of a server over this test's database."""
    thread = LiveServerThread("127.0.0.1", StaticFilesHandler)
    thread.daemon = True
    thread.start()
    assert thread.is_ready.wait(60)
    assert thread.error is None
    yield f"http://127.0.0.1:{thread.port}"
    thread.terminate()


@pytest.fixture
def line(address, settings, monkeypatch, tmp_path):
    """The line that the page shows for a language and a way to ask, in an environment as its note says."""
    settings.BASE_URL = address
    desk = set_reply(set_desk())
    issued = keys.issue_key(actor=desk.actor("admin"), namespace="support", name="chat", scope="read")
    monkeypatch.setenv("PROMPTUARY_URL", address)
    monkeypatch.setenv("PROMPTUARY_KEY", issued.secret)
    monkeypatch.setenv("no_proxy", "*")
    monkeypatch.setenv("PYTHONPATH", str(settings.BASE_DIR))
    monkeypatch.chdir(tmp_path)
    reader = Client()
    reader.force_login(desk.people["reader"])

    def read(language: str, way: str) -> str:
        page = reader.get(f"/t/{REPLY}?as={language}&pin={way}").content.decode()
        match = re.search(r'<code id="fetch-line"[^>]*>(.*?)</code>', page, re.DOTALL)
        assert match
        return html.unescape(match[1])

    return read


def run(command: list[str]) -> str:
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, env=os.environ, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize("way", ["label", "version", "digest"])
def test_the_lines_for_a_shell_and_for_python_give_what_production_serves(line, way):
    fetched = json.loads(run(["bash", "-c", line("curl", way)]))
    assert (fetched["name"], fetched["version"]) == (REPLY, 1)

    words = line("cli", way).split()
    assert words[0] == "promptuary"
    run([sys.executable, "-m", *words])
    assert Path(f"{REPLY}.yml.j2").read_text(encoding="utf-8") == DOCUMENT

    data = {"question": "Can I return boots?"}
    with promptuary.Promptuary() as client:
        prompt = eval(line("python", way), {"Promptuary": lambda: client, "data": data})
    assert "Can I return boots?" in prompt.messages[-1]["content"]
