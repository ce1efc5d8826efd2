"""/metrics: who may read it, and its contents."""

import re

import pytest
from django.conf import settings
from django.db import OperationalError, connection

from registry.accounts.actor import Actor
from registry.accounts.models import User
from registry.core import metrics
from registry.jobs import queue
from registry.jobs.models import Job
from registry.namespaces import keys, services
from registry.serving.fetcher import get_fetcher
from registry.templates import preview
from registry.templates import save as template_save

pytestmark = pytest.mark.django_db
TOKEN = {"Authorization": f"Bearer {settings.PROMPTUARY_METRICS_TOKEN}"}


@pytest.fixture(autouse=True)
def a_mirror_of_its_own(settings, tmp_path):
    settings.MIRROR_PATH = tmp_path / "mirror.git"
    metrics.flush_counts()


def figure(client, name: str) -> float:
    """The value of one line; absent is zero."""
    text = client.get("/metrics", headers=TOKEN).content.decode()
    match = re.search(rf"^{re.escape(name)} (\S+)$", text, re.MULTILINE)
    return float(match[1]) if match else 0.0


def test_the_token_allows_reading_metrics_from_any_address(client):
    answer = client.get("/metrics", headers=TOKEN, REMOTE_ADDR="192.0.2.1")
    assert (answer.status_code, answer["Content-Type"]) == (200, "text/plain; version=0.0.4; charset=utf-8")
    assert b"promptuary_database_up 1.0" in answer.content


@pytest.mark.parametrize("headers", [{}, {"Via": "1.1 proxy"}, {"X-Forwarded-For": "127.0.0.1"}])
def test_loopback_without_the_token_may_not_since_everybody_behind_a_proxy_comes_from_there(client, headers):
    assert client.get("/metrics", headers=headers, REMOTE_ADDR="127.0.0.1").status_code == 404


@pytest.mark.parametrize("sent", ["", "Bearer", "Bearer ", "Bearer wrong", "Basic t0ken", "Bearer \udc80"])
def test_a_wrong_token_may_not(client, sent):
    assert client.get("/metrics", HTTP_AUTHORIZATION=sent).status_code == 404


def test_an_empty_token_opens_nothing(client, settings):
    settings.PROMPTUARY_METRICS_TOKEN = ""
    assert client.get("/metrics", headers={"Authorization": "Bearer "}).status_code == 404


def test_the_token_is_made_at_the_first_start_for_the_owner_alone():
    path = settings.PROMPTUARY_HOME / "metrics_token"
    assert path.read_text().strip() == settings.PROMPTUARY_METRICS_TOKEN
    assert path.stat().st_mode & 0o777 == 0o600


def test_it_can_be_switched_off(client, settings):
    settings.PROMPTUARY_METRICS = False
    assert client.get("/metrics", headers=TOKEN).status_code == 404


def test_fetches_are_counted_by_what_became_of_them(client):
    names = ["found", "unchanged", "missing", "unauthenticated"]
    before = {name: figure(client, f'promptuary_fetches_total{{outcome="{name}"}}') for name in names}
    admin = Actor(User.objects.create(username="admin"))
    services.create_namespace(actor=admin, name="support")
    saved = template_save.save_version(
        actor=admin, name="support/reply", document="- name: a\n  content: b\n", message=""
    )
    key = "Bearer " + keys.issue_key(actor=admin, namespace="support", name="chat", scope="write").secret
    get_fetcher().clear()
    get_fetcher().answer(key, "support/reply@1")
    get_fetcher().answer(key, "support/reply@1", f'"{saved.version.digest}"')
    get_fetcher().answer(key, "support/reply@7")
    get_fetcher().answer("Bearer pb_wrong_key", "support/reply@1")
    after = {name: figure(client, f'promptuary_fetches_total{{outcome="{name}"}}') for name in names}
    assert {name: after[name] - before[name] for name in names} == dict.fromkeys(names, 1.0)


def test_renderings_are_timed(client):
    before = figure(client, "promptuary_render_seconds_count")
    admin = Actor(User.objects.create(username="admin"))
    preview.render_prompt(actor=admin, document="- name: a\n  content: b\n", data={})
    assert figure(client, "promptuary_render_seconds_count") == before + 1


def test_queued_jobs_and_the_lag_of_the_mirror_are_reported(client):
    services.create_namespace(actor=Actor(User.objects.create(username="admin")), name="support")
    queue.enqueue("mirror.check")
    assert figure(client, 'promptuary_jobs{state="queued"}') == Job.objects.filter(state="queued").count()
    assert figure(client, "promptuary_journal_events") == 1
    assert figure(client, "promptuary_mirror_lag_seconds") > 0
    assert figure(client, "promptuary_mirror_diverged") == 0


def test_a_database_that_is_away_is_a_figure_too(client):
    with connection.execute_wrapper(_fail):
        answer = client.get("/metrics", headers=TOKEN)
    assert b"promptuary_database_up 0.0" in answer.content


def _fail(*_arguments: object) -> None:
    raise OperationalError("gone")
