"""Wake-ups: sent after the commit, never delaying a save."""

import threading
from pathlib import Path

import pytest

from registry.accounts import actor
from registry.namespaces import services
from registry.namespaces.models import Namespace
from registry.tasks import doorbell


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
        services.create_namespace(actor=actor.build_operator_actor(), name="support")
        assert messages(broker) == []
    assert doorbell.flush_wake_ups()
    told = "".join(message.read_text() for message in messages(broker))
    assert {name for name in ("catch_up", "deliver") if f"registry.tasks.tasks.{name}" in told} == {
        "catch_up",
        "deliver",
    }


def test_a_broker_that_is_away_is_logged_and_no_error(away, caplog):
    doorbell.wake_mirror()
    assert doorbell.flush_wake_ups()
    assert "the worker's clock will see to it" in caplog.text


@pytest.mark.django_db
def test_a_save_succeeds_while_the_broker_is_away(away, django_capture_on_commit_callbacks):
    with django_capture_on_commit_callbacks(execute=True):
        services.create_namespace(actor=actor.build_operator_actor(), name="support")
    assert Namespace.objects.filter(name="support").exists()


def test_no_caller_waits_for_a_slow_broker_and_many_wake_ups_become_few():
    started, go, sent = threading.Event(), threading.Event(), []

    def publish(task):
        started.set()
        go.wait(60)
        sent.append(task)

    sender = doorbell.Sender(publish)
    sender.send("first")
    started.wait(60)
    for _ in range(100):
        sender.send("second")
    assert not sender.flush(0)
    go.set()
    assert sender.flush(10)
    assert sent == ["first", "second"]
