"""The calls on the API's reference page work as documented: they are run as written."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest
from django.test import Client

from tests.api.conftest import DOCUMENT, REPLY

PAGE = Path(__file__).parents[2] / "docs/reference/api.md"


@pytest.mark.skipif(shutil.which("curl") is None, reason="needs curl")
def test_the_calls_on_the_reference_page_run_as_written(server, cast, tmp_path):
    cast.save(DOCUMENT)
    cast.publish(1)
    client = Client()
    client.force_login(cast.people["reviewer"])
    cookies = {"promptuary-csrf": "c" * 32, "promptuary-session": client.cookies["promptuary-session"].value}
    lines = [f"localhost\tFALSE\t/\tFALSE\t0\t{name}\t{value}" for name, value in cookies.items()]
    (tmp_path / "cookies").write_text("# Netscape HTTP Cookie File\n" + "\n".join(lines) + "\n")
    blocks = re.findall(r"^```sh\n(.*?)^```", PAGE.read_text(), re.MULTILINE | re.DOTALL)
    assert len(blocks) == 18
    environment = {
        "PATH": "/usr/bin:/bin",
        "PROMPTUARY_URL": server.replace("127.0.0.1", "localhost"),
        "PROMPTUARY_KEY": cast.key(scope="write"),
        "REVIEWER_COOKIES": str(tmp_path / "cookies"),
        "NO_PROXY": "*",
    }
    done = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", "\n".join(blocks)],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    assert REPLY in done.stdout
    assert "Hello Ann" in done.stdout
