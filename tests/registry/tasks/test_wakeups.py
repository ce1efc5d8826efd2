"""Wake-ups: sent after the commit, never in the way of a save."""

from pathlib import Path

import pytest

from registry import access
from registry.models import Namespace
from registry.services import namespaces
from registry.tasks import wakeups


@pytest.fixture
def broker(settings):
    """The folder of this run's broker, emptied."""
    folder = Path(settings.CELERY_BROKER_TRANSPORT_OPTIONS["data_folder_out"])
    for message in messages(folder):
        message.unlink()
    return folder


@pytest.fixture
def away(broker):
    """A broker that can't be reached."""
    hidden = broker.with_name("hidden")
    broker.rename(hidden)
    yield
    hidden.rename(broker)


def messages(folder):
    return [path for path in folder.iterdir() if path.name.endswith(".msg")]


@pytest.mark.django_db
def test_a_save_wakes_the_worker_after_its_commit(broker, django_capture_on_commit_callbacks):
    with django_capture_on_commit_callbacks(execute=True):
        namespaces.create(actor=access.operator(), name="support")
        assert messages(broker) == []
    (message,) = messages(broker)
    assert "registry.tasks.work.catch_up" in message.read_text()


def test_a_broker_that_is_away_is_logged_and_no_error(away, caplog):
    wakeups.wake_mirror()
    assert "the worker's clock will see to it" in caplog.text


@pytest.mark.django_db
def test_a_save_stands_though_the_broker_is_away(away, django_capture_on_commit_callbacks):
    with django_capture_on_commit_callbacks(execute=True):
        namespaces.create(actor=access.operator(), name="support")
    assert Namespace.objects.filter(name="support").exists()
