"""Real forks and threads."""

import os
import threading
import time

import pytest

from promptuary import Promptuary
from tests.promptuary.conftest import DOCUMENT, NAME, OTHER, URL, until


def _in_child(act) -> int:
    """Run the function in a forked child; return its exit code, which is 0 if the result is true."""
    child = os.fork()
    if child == 0:
        code = 1
        try:
            code = 0 if act() else 2
        finally:
            os._exit(code)
    deadline = time.monotonic() + 20
    while time.monotonic() < deadline:
        pid, status = os.waitpid(child, os.WNOHANG)
        if pid:
            return os.waitstatus_to_exitcode(status)
        time.sleep(0.01)
    os.kill(child, 9)
    os.waitpid(child, 0)
    return -1


@pytest.fixture
def client(world):
    with Promptuary(URL, "key", ttl=0.05, live=True, transport=world.registry) as client:
        client.get(NAME)
        yield client


@pytest.mark.slow
def test_a_child_follows_labels_by_threads_of_its_own(world, client):
    def follows():
        world.registry.move(NAME, "production", 2)
        until(lambda: client.get(NAME).document.text == OTHER)
        return client._keeper.daemon._thread.is_alive()

    assert _in_child(follows) == 0
    assert client.get(NAME).document.text == DOCUMENT  # the child's registry was a copy


@pytest.mark.slow
def test_a_child_tells_what_it_rendered_and_not_what_its_parent_did(world, client):
    client.render(NAME, {"question": "Why?"})

    def counts():
        client.render(NAME, {"question": "Why?"})
        return [report["renders"] for report in client.usage.take()] == [1]

    assert _in_child(counts) == 0


@pytest.mark.slow
def test_a_fork_among_threads_that_fetch_leaves_no_lock_behind(world, client):
    stop = threading.Event()

    def work():
        while not stop.is_set():
            client.render(NAME, {"question": "Why?"})
            client._memory.drop(NAME, "1")
            client.get(NAME, 1)

    threads = [threading.Thread(target=work, daemon=True) for _ in range(4)]
    for thread in threads:
        thread.start()
    try:
        for _ in range(10):
            assert _in_child(lambda: client.get(NAME, 1) and client.render(NAME, {"question": "?"})) == 0
    finally:
        stop.set()
        for thread in threads:
            thread.join(60)


def test_a_burst_of_threads_asks_once(world):
    client = world.client()
    barrier = threading.Barrier(20)
    got = []

    def fetch():
        barrier.wait(60)
        got.append(client.get(NAME, 1))

    threads = [threading.Thread(target=fetch) for _ in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert len(got) == 20
    assert all(template.document.text == DOCUMENT for template in got)
    assert world.request_count <= 2
