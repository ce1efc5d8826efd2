"""The MCP server over a live registry, called by the official client: in process, over HTTP, over standard input."""

import os
import subprocess
import sys

import anyio
import pytest
from mcp import Client, MCPError, StdioServerParameters
from mcp.types import PromptReference

from promptuary.commands.api import Connection
from promptuary.commands.prompt_server import PromptServer
from tests.support.child_process import start_child

REPLY = "support/refunds/reply"
DOCUMENT = """---
description: Answer a question
inputs:
  question: {type: string, description: what was asked}
  tone: {type: string, enum: [formal, friendly, warm], default: warm}
  places: {type: array, items: {type: string}}
---
- name: rules
  role: system
  content: Be {{ tone }}.
{% for place in places %}
- name: place
  role: assistant
  content: "{{ place }}"
{% endfor %}
- name: question
  content: "{{ question }}"
"""


@pytest.fixture
def connection(server, cast):
    cast.save(DOCUMENT)
    cast.publish(1)
    cast.save(name="support/unpublished")
    connection = Connection(server, cast.key())
    yield connection
    connection.close()


@pytest.fixture
def call(connection):
    """Run one story against the server in process."""

    def run(story):
        async def play():
            async with Client(PromptServer(connection).server) as client:
                return await story(client)

        return anyio.run(play)

    return run


def test_prompts_on_production_are_listed_with_their_arguments(call):
    result = call(lambda client: client.list_prompts())
    assert [prompt.name for prompt in result.prompts] == [REPLY]
    arguments = {a.name: (a.required, a.description) for a in result.prompts[0].arguments}
    assert arguments == {
        "question": (True, "what was asked"),
        "tone": (False, "text"),
        "places": (True, "(JSON, array)"),
    }


def test_a_prompt_comes_rendered_with_typed_arguments(call):
    arguments = {"question": "{{ 7*7 }}?", "places": '["a", "b"]'}
    result = call(lambda client: client.get_prompt(REPLY, arguments))
    said = [(message.role, message.content.text) for message in result.messages]
    assert said == [("user", "Be warm."), ("assistant", "a"), ("assistant", "b"), ("user", "{{ 7*7 }}?")]


@pytest.mark.parametrize(
    ("name", "arguments", "expected_text"),
    [
        (REPLY, {"question": "x", "places": "a, b"}, "places is array"),
        (REPLY, {"places": "[]"}, "question"),
        ("support/nothing", {}, "support/nothing"),
        ("support/unpublished", {}, "support/unpublished"),
    ],
)
def test_a_failed_rendering_is_reported(call, name, arguments, expected_text):
    async def story(client):
        with pytest.raises(MCPError, match=expected_text):
            await client.get_prompt(name, arguments)

    call(story)


def test_an_argument_with_listed_values_is_completed(call):
    reference = PromptReference(type="ref/prompt", name=REPLY)
    result = call(lambda client: client.complete(reference, {"name": "tone", "value": "f"}))
    assert result.completion.values == ["formal", "friendly"]


def test_the_command_answers_on_standard_input(connection, server, cast):
    environment = {**os.environ, "PROMPTUARY_URL": server, "PROMPTUARY_KEY": cast.key()}
    command = StdioServerParameters(command=sys.executable, args=["-m", "promptuary", "mcp"], env=environment)

    async def play():
        async with Client(command) as client:
            return await client.list_prompts()

    assert [prompt.name for prompt in anyio.run(play).prompts] == [REPLY]


def test_the_command_answers_over_http(connection, server, cast, free_port):
    environment = {**os.environ, "PROMPTUARY_URL": server, "PROMPTUARY_KEY": cast.key()}
    command = [sys.executable, "-m", "promptuary", "mcp", "--http", str(free_port)]
    process = start_child(command, env=environment, stderr=subprocess.PIPE)

    async def play():
        for _ in range(300):
            try:
                stream = await anyio.connect_tcp("127.0.0.1", free_port)
                await stream.aclose()
                break
            except OSError:
                await anyio.sleep(0.2)
        async with Client(f"http://127.0.0.1:{free_port}/mcp") as client:
            return await client.list_prompts()

    try:
        assert [prompt.name for prompt in anyio.run(play).prompts] == [REPLY]
    finally:
        process.terminate()
        process.communicate(timeout=60)


@pytest.fixture
def free_port():
    import socket  # noqa: PLC0415  # only this fixture asks the machine for a port

    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]
