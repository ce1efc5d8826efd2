"""A model server that streams, a connection to it, and the playground's steps as the author takes them."""

import asyncio
import contextlib

import pytest

from registry.connections import services as connection_services
from registry.playground import services, streams
from registry.playground.models import PlaygroundColumn
from tests.support.stream_server import StreamServer

DRAFT = """---
settings: {temperature: 0.2, max_tokens: 50}
inputs:
  question: {type: string}
---
- name: question
  role: user
  content: |
    Answer: {{ question }}
"""
INPUTS = {"question": "May I return boots?"}


@pytest.fixture
def server(settings):
    settings.OUTBOUND_HOSTS = ["127.0.0.1"]
    with StreamServer() as model_server:
        yield model_server


@pytest.fixture
def connect(admin, server):
    """Connect the namespace to the server; ten USD for a million tokens of each."""

    def make(**options):
        prices = {"prompt_price": "10", "completion_price": "10"}
        values = {"name": "small", "base_url": server.url, "model": "small-1", "key": "sk-test", **prices, **options}
        return connection_services.create_connection(actor=admin, namespace="support", **values)

    return make


@pytest.fixture
def start(author):
    """Start a run of the draft (or of other columns) as the author and return it."""

    def run(*columns, actor=None, inputs=None, name="support/reply", sample=""):
        columns = columns or ({"source": "draft", "document": DRAFT, "model": "small"},)
        values = INPUTS if inputs is None else inputs
        return services.start_playground_run(
            actor=actor or author, name=name, columns=columns, inputs=values, sample=sample
        )

    return run


async def collect(actor, column_id):
    async with contextlib.aclosing(streams.stream_column(actor, column_id)) as events:
        return [event async for event in events]


@pytest.fixture
def stream(author):
    """Stream a run's first column to its end; return its events."""

    def run(playground_run, actor=None, position=0):
        column = playground_run.columns.get(position=position)
        return asyncio.run(collect(actor or author, column.pk))

    return run


@pytest.fixture
def column_of():
    """A run's column as it is stored now."""
    return lambda run, position=0: PlaygroundColumn.objects.get(run=run, position=position)
