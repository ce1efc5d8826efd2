"""Langfuse's own JavaScript client, unchanged, against this registry:
`tests/js/langfuse.mjs` asks, this looks at what it got."""

import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.api.conftest import REPLY
from tests.api.langfuse_documents import CHAT, LOOP, TEXT

FOLDER = Path(__file__).parents[1] / "js"
NODE, NPM = shutil.which("node"), shutil.which("npm")

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not (NODE and NPM), reason="Node.js 20+ with npm is not here: its client runs in it"),
]


@pytest.fixture(scope="module")
def client() -> Path:
    """The script, with the client installed as the lock file says."""
    if not (FOLDER / "node_modules/@langfuse/client").is_dir():
        command = [str(NPM), "ci", "--silent", "--no-audit", "--no-fund"]
        subprocess.run(command, cwd=FOLDER, check=True, timeout=240)
    return FOLDER / "langfuse.mjs"


@pytest.fixture
def result(client, server, cast) -> dict[str, Any]:
    """What the client got."""
    cast.save(CHAT)
    cast.publish(1)
    cast.save(TEXT, name="support/say")
    cast.move("staging", 1, name="support/say")
    cast.save(LOOP, name="support/loop")
    command = [str(NODE), str(client), server, cast.key(scope="write")]
    environment = {name: value for name, value in os.environ.items() if not name.startswith("LANGFUSE")}
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False, env=environment)
    assert done.returncode == 0, done.stderr
    data: dict[str, Any] = json.loads(done.stdout.strip().splitlines()[-1])
    return data


def test_the_client_fetches_caches_compiles_lists_and_is_refused_with_the_reason(result):
    assert result["chat"] == {
        "version": 1,
        "config": {"temperature": 0.2},
        "labels": ["production", "latest"],
        "tags": ["support"],
        "messages": [
            {"role": "system", "content": 'Help a. Answer in JSON like {"a": 1}.'},
            {"role": "user", "content": "{{7*7}} <b>?"},
        ],
    }
    assert (result["cached"], result["same"]) == (0, True)
    assert result["text"] == "Say hello & <good> bye twice.\n"
    assert result["staging"] == {"version": 1, "text": "Say hi twice.\n"}
    assert result["list"] == {"names": ["support/loop", REPLY], "total": 3}
    assert (result["missing"]["status"], "with label 'production'" in result["missing"]["text"]) == (404, True)
    assert (result["loop"]["status"], "more than plain names: {% for word in words %}" in result["loop"]["text"]) == (
        422,
        True,
    )
    assert result["fallback"] == "Say x."
