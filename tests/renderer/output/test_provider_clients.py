"""Each adapter's arguments work with the real client, the current and the previous one, on a local endpoint."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parents[3]
PREVIOUS = Path(sys.prefix) / "previous"
TOOL = "{type: function, function: {name: find, description: Finds, parameters: {type: object, properties: {}}}}"
DOCUMENT = f"""---
model: gpt-4o
settings: {{temperature: 0.2, top_p: 0.9, max_tokens: 50, stop: [END], reasoning_effort: low, maxOutputTokens: 9,
  foo: 1, response_format: {{type: json_schema, json_schema: {{name: a, schema: {{type: object}}}}}}}}
tools: [{TOOL}]
---
- name: rules
  role: system
  content: Be brief.
- name: question
  content: '{{{{ question }}}}'
"""
TEXT = "---\nformat: text\nmodel: gpt-4o\nsettings: {temperature: 0.2, topK: 3}\n---\n{{ question }}"


def ask(kind: str, previous: bool, document: str = DOCUMENT) -> dict[str, Any]:
    path = f"{PREVIOUS}{os.pathsep}{ROOT}" if previous else str(ROOT)
    done = subprocess.run(
        [sys.executable, "-m", "tests.support.fake_provider", kind],
        input=document,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": path},
    )
    assert done.returncode == 0, done.stderr
    report: dict[str, Any] = json.loads(done.stdout)
    return report


@pytest.mark.parametrize(("previous", "major"), [(False, "2"), (True, "1")])
def test_settings_that_anthropics_client_lacks_are_not_sent(previous, major):
    report = ask("anthropic", previous)
    assert report["version"].partition(".")[0] == major
    assert report["text"] == "Hello."
    assert report["sent"] == {
        "model": "gpt-4o",
        "max_tokens": 50,
        "stop_sequences": ["END"],
        "system": "Be brief.",
        "messages": [{"role": "user", "content": "Why?"}],
        "tools": [{"name": "find", "description": "Finds", "input_schema": {"type": "object", "properties": {}}}],
    }
    (ignored,) = report["ignored"]
    assert ignored.endswith(": foo, maxOutputTokens, reasoning_effort, response_format, temperature, top_p")


@pytest.mark.parametrize(("previous", "major"), [(False, "3"), (True, "2")])
def test_openais_client_takes_chat_completions(previous, major):
    report = ask("openai", previous)
    assert report["version"].partition(".")[0] == major
    assert report["text"] == "Hello."
    assert report["sent"]["temperature"] == 0.2
    assert report["sent"]["max_tokens"] == 50
    assert report["sent"]["metadata"]["rendered_digest"].startswith("sha256:")
    assert report["ignored"] == ["not sent, because OpenAI's chat completions doesn't take it: foo, maxOutputTokens"]


@pytest.mark.parametrize("previous", [False, True])
def test_openais_client_takes_responses_in_their_own_words(previous):
    report = ask("responses", previous)
    assert report["text"] == "Hello."
    assert {key: value for key, value in report["sent"].items() if key != "metadata"} == {
        "model": "gpt-4o",
        "input": [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Why?"}],
        "temperature": 0.2,
        "top_p": 0.9,
        "max_output_tokens": 50,
        "reasoning": {"effort": "low"},
        "text": {"format": {"type": "json_schema", "name": "a", "schema": {"type": "object"}}},
        "tools": [
            {
                "type": "function",
                "name": "find",
                "description": "Finds",
                "parameters": {"type": "object", "properties": {}},
            }
        ],
    }
    (ignored,) = report["ignored"]
    assert ignored.endswith(": foo, maxOutputTokens, stop")


@pytest.mark.parametrize("previous", [False, True])
def test_openais_client_takes_completions(previous):
    report = ask("completion", previous, TEXT)
    assert report["text"] == "Hello."
    assert report["sent"]["temperature"] == 0.2
    assert report["ignored"] == ["not sent, because OpenAI's completions doesn't take it: topK"]
