"""A registry without a network, and clients of it whose clock the test moves."""

from dataclasses import replace
from typing import Any

import pytest

from promptuary import AsyncFakeTransport, AsyncPromptuary, FakeTransport, Fetched, Promptuary

NAME = "support/refunds/reply"
DOCUMENT = '- name: question\n  content: "{{ question }}"\n'
OTHER = DOCUMENT.replace("{{ question }}", "Q: {{ question }}")
URL = "http://registry.test"


class Clock:
    """Stands still until it is moved."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


class World:
    """The registry, the clock, and what the client told about staleness."""

    def __init__(self) -> None:
        self.registry = FakeTransport()
        self.clock = Clock()
        self.told: list[Fetched] = []

    def client(self, **options: Any) -> Promptuary:
        client = Promptuary(URL, "key", transport=self.registry, on_stale=self.told.append, **options)
        client._shelf = replace(client._shelf, clock=self.clock)
        return client

    def async_client(self, **options: Any) -> AsyncPromptuary:
        client = AsyncPromptuary(URL, "key", transport=AsyncFakeTransport(self.registry), **options)
        client._shelf = replace(client._shelf, clock=self.clock)
        return client

    @property
    def asked(self) -> int:
        return len(self.registry.requests)


@pytest.fixture
def world() -> World:
    """Version 1, which production stands on, and version 2."""
    world = World()
    world.registry.put(NAME, DOCUMENT, "production")
    world.registry.put(NAME, OTHER)
    return world
