"""Lock files and vendored templates: the versions that an application pins and ships."""

import json

import pytest

from promptuary import ConfigurationError, DigestMismatch, Promptuary, Unavailable
from promptuary.lockfile import Locked, write_lock
from promptuary.vendored import write_vendored
from tests.promptuary.conftest import DOCUMENT, NAME, OTHER, URL, until


@pytest.fixture
def lock(world, tmp_path):
    """Pins production to version 1; the label has moved on to version 2 since."""
    fetched = world.client().fetch(NAME)
    path = tmp_path / "promptuary.lock"
    write_lock(path, {NAME: Locked("production", 1, fetched.digest)})
    world.registry.move(NAME, "production", 2)
    return path


@pytest.fixture
def vendored(world, tmp_path):
    """A file with version 1, as production."""
    fetched = world.client().fetch(NAME, 1)
    entry = {"name": NAME, "ref": "production", "version": 1, "digest": fetched.digest, **fetched.template.bundle()}
    path = tmp_path / "templates.json"
    write_vendored(path, [entry])
    world.registry.requests.clear()
    return path


@pytest.mark.parametrize("ref", [None, "production"])
def test_a_name_means_what_the_lock_file_pins(world, lock, ref):
    client = world.client(lock=lock)
    assert client.get(NAME, ref).document.text == DOCUMENT
    assert client.get(NAME, ref).version == 1


def test_other_refs_mean_themselves(world, lock):
    client = world.client(lock=lock)
    assert client.get(NAME, "latest").version == 2
    assert client.get(NAME, 2).version == 2


def test_a_frozen_client_serves_no_label_that_is_not_pinned(world, lock):
    client = world.client(lock=lock, frozen=True)
    assert client.get(NAME).version == 1
    assert client.get(NAME, 2).version == 2
    for name, ref in ((NAME, "latest"), ("support/other", None)):
        with pytest.raises(ConfigurationError, match=r"not in the lock file.*promptuary lock"):
            client.get(name, ref)
    with pytest.raises(ConfigurationError):
        client.warm_namespace("support")


def test_frozen_without_a_lock_file_is_refused(world, tmp_path):
    with pytest.raises(ConfigurationError, match="lock"):
        world.client(frozen=True)
    with pytest.raises(ConfigurationError, match="cannot be read"):
        world.client(lock=tmp_path / "none")


def test_pins_are_taken_from_the_vendored_file_without_asking(world, vendored):
    client = world.client(vendored=vendored)
    fetched = client.fetch(NAME, 1)
    assert (fetched.source, fetched.stale, client.fetch(NAME, fetched.digest).version) == ("vendored", False, 1)
    assert world.request_count == 0


def test_a_locked_and_vendored_application_needs_no_registry(world, lock, vendored):
    world.registry.down = True
    client = world.client(lock=lock, frozen=True, vendored=vendored)
    assert client.get(NAME).render({"question": "Why?"}).stamp.version == 1
    assert [fetched.source for fetched in client.warm()] == ["memory"]


def test_a_label_is_asked_for_first_and_the_file_is_the_last_resort(world, vendored):
    world.registry.move(NAME, "production", 2)
    assert world.client(vendored=vendored).get(NAME).version == 2
    world.registry.down = True
    fetched = world.client(vendored=vendored).fetch(NAME)
    assert (fetched.version, fetched.stale, fetched.age) == (1, True, None)
    with pytest.raises(Unavailable):
        world.client(vendored=vendored).get(NAME, "latest")


def test_vendored_first_starts_immediately_and_follows_the_label_behind(world, vendored):
    world.registry.move(NAME, "production", 2)
    with Promptuary(URL, "key", vendored=vendored, vendored_first=True, transport=world.registry) as client:
        fetched = client.fetch(NAME)
        assert (fetched.version, fetched.source) == (1, "vendored")
        until(lambda: client.get(NAME).document.text == OTHER)


def test_an_altered_file_is_an_error_and_not_served(world, vendored):
    vendored.write_text(vendored.read_text().replace("{{ question }}", "{{ questions }}"))
    with pytest.raises(DigestMismatch, match=r"templates\.json"):
        world.client(vendored=vendored).get(NAME, 1)


@pytest.mark.parametrize("content", ["", "[]", "{}", '{"form": 1, "templates": [{}]}'])
def test_a_file_of_another_form_is_refused(world, tmp_path, content):
    (tmp_path / "x.json").write_text(content)
    with pytest.raises(ConfigurationError, match="isn't a file of vendored templates"):
        world.client(vendored=tmp_path / "x.json")


def test_a_newer_form_is_refused_by_name(world, vendored):
    vendored.write_text(json.dumps({**json.loads(vendored.read_text()), "form": 2}))
    with pytest.raises(ConfigurationError, match="form 2"):
        world.client(vendored=vendored)
