"""Live clients follow a label move immediately."""

import time

import pytest

from promptuary import ConfigurationError, FakeTransport, NotFound, Promptuary
from tests.promptuary.conftest import DOCUMENT, NAME, OTHER, URL, until


@pytest.fixture
def client(world):
    with Promptuary(URL, "key", live=True, transport=world.registry) as client:
        yield client


def _listening(client):
    until(lambda: any(listener.cursor is not None for listener in client._listeners.values()))


def test_a_moved_label_is_followed_long_before_its_time_is_over(world, client):
    assert client.get(NAME).document.text == DOCUMENT
    _listening(client)
    world.registry.move(NAME, "production", 2)
    until(lambda: client.get(NAME).document.text == OTHER)


def test_a_move_before_the_first_question_is_not_missed(world, client):
    client.get(NAME)
    world.registry.move(NAME, "production", 2)
    _listening(client)
    until(lambda: client.get(NAME).document.text == OTHER)


def test_a_listener_comes_back_when_the_registry_does(world, client):
    client.get(NAME)
    _listening(client)
    world.registry.down = True
    until(lambda: client._listeners["support"]._failures)
    world.registry.move(NAME, "production", 2)
    world.registry.down = False
    client._listeners["support"].daemon.wake()
    until(lambda: client.get(NAME).document.text == OTHER)


def test_a_label_that_was_removed_is_not_served_on(world, client):
    client.get(NAME)
    _listening(client)
    world.registry.move(NAME, "production", 2)
    del world.registry._labels[NAME, "production"]
    until(lambda: not client._memory.labels())
    with pytest.raises(NotFound):
        client.get(NAME)


def test_only_a_client_with_a_background_can_be_live(world):
    with pytest.raises(ConfigurationError, match="background"):
        world.client(live=True)


class Behind(FakeTransport):
    """A registry of two processes: the one that is asked for templates hears of moves later than the one that tells
    them."""

    def __init__(self):
        super().__init__()
        self.heard = {}

    def _find(self, name, ref):
        label = self._labels.get((name, ref))
        if label is not None and self.heard.get((name, ref), time.monotonic()) - time.monotonic() > 0:
            return self._versions[name][0]
        return super()._find(name, ref)


def test_an_answer_from_a_process_that_has_not_heard_of_the_move_is_not_the_last_word():
    registry = Behind()
    registry.put(NAME, DOCUMENT, "production")
    registry.put(NAME, OTHER)
    with Promptuary(URL, "key", live=True, transport=registry) as client:
        client.get(NAME)
        _listening(client)
        registry.heard[NAME, "production"] = time.monotonic() + 0.6
        registry.move(NAME, "production", 2)
        until(lambda: client.get(NAME).document.text == OTHER, 5)
        assert len(registry.requests) < 60


def test_a_move_just_before_the_first_question_is_asked_for_again():
    registry = Behind()
    registry.put(NAME, DOCUMENT, "production")
    registry.put(NAME, OTHER)
    registry.heard[NAME, "production"] = time.monotonic() + 1
    registry.move(NAME, "production", 2)
    with Promptuary(URL, "key", live=True, transport=registry) as client:
        assert client.get(NAME).document.text == DOCUMENT
        until(lambda: client.get(NAME).document.text == OTHER, 5)
