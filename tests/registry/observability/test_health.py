"""/livez and /readyz, as seen by a load balancer."""

import pytest
from celery import Celery

from registry import mirror
from registry.accounts.actor import Actor, build_operator_actor
from registry.accounts.models import User
from registry.journal.models import Event
from registry.namespaces import services
from registry.observability import health

pytestmark = [pytest.mark.usefixtures("transactional_db"), pytest.mark.dialect]


@pytest.fixture(autouse=True)
def a_mirror_of_its_own(settings, tmp_path):
    settings.MIRROR_PATH = tmp_path / "mirror.git"


def test_a_process_that_answers_lives(client):
    answer = client.get("/livez")
    assert (answer.status_code, answer.json()) == (200, {"status": "ok"})


def test_an_empty_registry_is_ready(client):
    assert client.get("/readyz").json()["checks"] == {"database": "ok", "mirror": "ok", "broker": "ok"}


def test_a_home_that_others_can_read_is_reported_without_its_path(client, settings, tmp_path):
    settings.PROMPTUARY_HOME = tmp_path / "open"
    settings.PROMPTUARY_HOME.mkdir()
    settings.PROMPTUARY_HOME.chmod(0o755)
    answer = client.get("/readyz")
    assert answer.json()["details"]["home"].startswith("open to other users")
    assert str(tmp_path) not in answer.content.decode()
    settings.PROMPTUARY_HOME.chmod(0o700)
    assert client.get("/readyz").json()["details"]["home"] == "private"


def test_gaps_in_the_confinement_of_rendering_are_reported(client, monkeypatch):
    assert client.get("/readyz").json()["details"]["rendering"].startswith(("confined", "not confined in full"))
    monkeypatch.setattr(
        "registry.observability.health._find_what_children_may", lambda: ("open sockets", "read other files")
    )
    answer = client.get("/readyz")
    assert (answer.status_code, answer.json()["status"]) == (200, "ok")
    assert answer.json()["details"]["rendering"] == ("not confined in full: a child can open sockets, read other files")


def test_a_broker_that_is_away_is_reported_and_stops_nothing(client, monkeypatch):
    monkeypatch.setattr("registry.observability.health.app", Celery(broker="redis://127.0.0.1:1/0"))
    answer = client.get("/readyz")
    assert (answer.status_code, answer.json()["status"]) == (200, "degraded")
    assert answer.json()["checks"]["broker"].startswith("does not answer")


def test_a_mirror_that_just_fell_behind_is_not_a_reason_to_stop_serving(client):
    services.create_namespace(actor=build_operator_actor(), name="support")
    assert client.get("/readyz").status_code == 200


def test_a_mirror_that_falls_behind_is_unhealthy(client, monkeypatch):
    services.create_namespace(actor=build_operator_actor(), name="support")
    monkeypatch.setattr("registry.observability.health.MAX_LAG", -1.0)
    answer = client.get("/readyz")
    assert answer.status_code == 503
    assert "is a worker running" in answer.json()["checks"]["mirror"]


def test_an_admin_is_notified_of_a_mirror_that_falls_behind(monkeypatch):
    services.create_namespace(actor=build_operator_actor(), name="support")
    admin = Actor(User.objects.create(username="admin"))
    reader = Actor(User.objects.create(username="reader"))
    services.set_role(actor=build_operator_actor(), namespace="support", username="admin", role="admin")
    assert health.list_instance_faults(admin) == []
    monkeypatch.setattr("registry.observability.health.MAX_LAG", -1.0)
    [sentence] = health.list_instance_faults(admin)
    assert sentence.startswith("The Git mirror is 0 seconds behind: `manage.py mirror status` says why.")
    assert health.list_instance_faults(reader) == []
    mirror.catch_up()
    monkeypatch.setattr("registry.observability.health.MAX_LAG", 0.0)
    assert health.list_instance_faults(admin) == []


def test_a_mirror_that_caught_up_is_ready_again(client):
    services.create_namespace(actor=build_operator_actor(), name="support")
    mirror.catch_up()
    assert client.get("/readyz").status_code == 200
    assert Event.objects.count() == 1
