"""Wrong keys are counted and slowed down at every entry point, and the work of one caller is bounded."""

import base64

import pytest
from django.test import Client

from registry.accounts.models import Key
from registry.core.errors import TooMany
from registry.core.work_quota import WorkQuota, work_quota
from registry.namespaces.key_attempts import KeyAttempts, key_attempts
from tests.api.conftest import DOCUMENT, REPLY, problem
from tests.api.test_fetch_cache import Clock

WRONG = "pb_aaaaaaaa_wrong"


def basic(secret: str) -> str:
    return "Basic " + base64.b64encode(f"public:{secret}".encode()).decode()


ENTRY_POINTS = {
    "list": ("get", "/api/v1/templates", f"Bearer {WRONG}"),
    "fetch by Django": ("get", f"/api/v1/templates/{REPLY}@1", f"Bearer {WRONG}"),
    "check": ("post", "/api/v1/check", f"Bearer {WRONG}"),
    "many": ("post", "/api/v1/fetch", f"Bearer {WRONG}"),
    "reports": ("post", "/api/v1/reports", f"Bearer {WRONG}"),
    "langfuse list": ("get", "/api/public/v2/prompts", basic(WRONG)),
    "langfuse prompt": ("get", "/api/public/v2/prompts/support%2Frefunds%2Freply", basic(WRONG)),
    "langfuse projects": ("get", "/api/public/projects", basic(WRONG)),
    "langfuse traces": ("post", "/api/public/otel/v1/traces", basic(WRONG)),
    "langfuse ingestion": ("post", "/api/public/ingestion", basic(WRONG)),
}


@pytest.fixture(autouse=True)
def fresh_counts():
    key_attempts().forget()
    work_quota().forget()
    yield
    key_attempts().forget()
    work_quota().forget()


@pytest.fixture
def versions(cast):
    cast.save()


def ask(entry_point: str, **address: str):
    method, path, authorization = ENTRY_POINTS[entry_point]
    extra = {"data": "{}", "content_type": "application/json"} if method == "post" else {}
    return getattr(Client(), method)(path, HTTP_AUTHORIZATION=authorization, **extra, **address)


@pytest.mark.parametrize("entry_point", ENTRY_POINTS)
def test_wrong_keys_are_slowed_at_every_entry_point(settings, cast, versions, entry_point):
    settings.PROMPTUARY_RATES = {**settings.PROMPTUARY_RATES, "anonymous": "3/min"}
    assert [ask(entry_point).status_code for _ in range(4)] == [401, 401, 401, 429]
    assert int(ask(entry_point)["Retry-After"]) >= 1
    assert ask(entry_point, REMOTE_ADDR="192.0.2.9").status_code == 401


def test_wrong_keys_are_counted_over_all_doors_together(settings, cast, versions):
    settings.PROMPTUARY_RATES = {**settings.PROMPTUARY_RATES, "anonymous": "3/min"}
    for entry_point in ("list", "langfuse list", "check"):
        assert ask(entry_point).status_code == 401
    assert ask("fetch by Django").status_code == 429


def test_a_header_that_names_another_address_does_not_help(settings, cast, versions):
    settings.PROMPTUARY_RATES = {**settings.PROMPTUARY_RATES, "anonymous": "2/min"}
    status_codes = [ask("list", HTTP_X_FORWARDED_FOR=f"192.0.2.{number}").status_code for number in range(3)]
    assert status_codes == [401, 401, 429]


def test_behind_a_trusted_proxy_each_caller_counts_alone(settings, cast, versions):
    settings.TRUST_PROXY = True
    settings.PROMPTUARY_RATES = {**settings.PROMPTUARY_RATES, "anonymous": "1/min"}
    status_codes = [
        ask("list", HTTP_X_FORWARDED_FOR=f"203.0.113.1, 192.0.2.{number}").status_code for number in (1, 2, 1)
    ]
    assert status_codes == [401, 401, 429]


def test_a_key_that_is_known_to_be_right_is_not_shut_out_by_its_neighbours(settings, cast):
    settings.PROMPTUARY_RATES = {**settings.PROMPTUARY_RATES, "anonymous": "1/min"}
    key = cast.key()
    attempts = KeyAttempts(Clock())
    assert attempts.authenticate(key, "192.0.2.1") is not None
    assert attempts.authenticate(WRONG, "192.0.2.1") is None
    with pytest.raises(TooMany):
        attempts.authenticate(WRONG, "192.0.2.1")
    assert attempts.authenticate(key, "192.0.2.1") is not None


def test_traces_are_taken_from_nobody_without_a_key(cast):
    for path in ("/api/public/otel/v1/traces", "/api/public/ingestion"):
        assert Client().post(path, "{}", content_type="application/json").status_code == 401
        taken = Client().post(path, "{}", content_type="application/json", HTTP_AUTHORIZATION=basic(cast.key()))
        assert taken.status_code == 200


def test_langfuse_routes_have_the_rate_of_the_api(settings, cast, versions):
    settings.PROMPTUARY_RATES = {**settings.PROMPTUARY_RATES, "caller": "2/min"}
    headers = {"Authorization": basic(cast.key())}
    answers = [Client().get("/api/public/v2/prompts", headers=headers) for _ in range(3)]
    assert [answer.status_code for answer in answers] == [200, 200, 429]
    assert int(answers[2]["Retry-After"]) >= 1


def test_a_key_that_used_up_its_work_has_to_wait_for_every_request(settings, caller, cast):
    settings.PROMPTUARY_RATES = {**settings.PROMPTUARY_RATES, "work": "1/min"}
    author = caller("author", scope="write")
    assert author.post("check", {"document": DOCUMENT}).status_code == 200
    key = Key.objects.get(person__username="author", scope="write").id
    assert work_quota().used(key) > 0  # the child's seconds and our own
    work_quota().add(key, 5.0)
    refused = author.get("templates")
    problem(refused, 429, "too-many")
    assert "server work" in refused.json()["detail"]
    assert caller("reader").get("templates").status_code == 200


def test_the_quota_is_free_again_when_its_window_is_over(settings):
    settings.PROMPTUARY_RATES = {"work": "2/min"}
    clock = Clock()
    quota = WorkQuota(clock)
    quota.add("a", 2.5)
    with pytest.raises(TooMany, match="used its 2 s"):
        quota.check("a")
    clock.now += 61
    quota.check("a")
