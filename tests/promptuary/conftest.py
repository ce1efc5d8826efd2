"""A registry without a network, and clients of it whose clock is set by the test."""

import time
from collections.abc import Callable
from typing import Any

import pytest

from promptuary import AsyncFakeTransport, AsyncPromptuary, FakeTransport, Fetched, Promptuary

NAME = "support/refunds/reply"
DOCUMENT = '- name: question\n  content: "{{ question }}"\n'
OTHER = DOCUMENT.replace("{{ question }}", "Q: {{ question }}")
URL = "https://registry.test"


class Clock:
    """Only moves when it is set."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


class World:
    """The registry, the clock, and the stale results that the client reported."""

    def __init__(self) -> None:
        self.registry = FakeTransport()
        self.clock = Clock()
        self.stale_results: list[Fetched] = []

    def client(self, **options: Any) -> Promptuary:
        """A client that works only during calls, without background work."""
        arguments = {
            "background": False,
            "reports": False,
            "clock": self.clock,
            "on_stale": self.stale_results.append,
            **options,
        }
        return Promptuary(URL, "key", transport=self.registry, **arguments)

    def async_client(self, **options: Any) -> AsyncPromptuary:
        arguments = {"background": False, "reports": False, "clock": self.clock, **options}
        return AsyncPromptuary(URL, "key", transport=AsyncFakeTransport(self.registry), **arguments)

    @property
    def request_count(self) -> int:
        return len(self.registry.requests)


@pytest.fixture
def world() -> World:
    """Version 1, which production serves, and version 2."""
    world = World()
    world.registry.put(NAME, DOCUMENT, "production")
    world.registry.put(NAME, OTHER)
    return world


def until(is_so: Callable[[], object], seconds: float = 10) -> None:
    """Wait for what another thread does."""
    deadline = time.monotonic() + seconds
    while not is_so():
        assert time.monotonic() < deadline, "it did not happen in time"
        time.sleep(0.005)
