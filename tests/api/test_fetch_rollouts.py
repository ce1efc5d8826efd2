"""Fetches of a label under a rollout."""

import json
from base64 import b64encode
from typing import Any
from urllib.parse import quote

import pytest
from django.core.handlers.wsgi import WSGIHandler
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from promptuary.renderer.rollouts import is_on_candidate_side
from registry.changes import decisions
from registry.redaction import services as redaction_services
from registry.rollouts import services
from registry.serving.fetcher import get_fetcher
from registry.serving.wsgi_fast_path import serve_fetches_first
from registry.usage import recorder
from registry.usage.models import Fetch
from tests.api.conftest import OTHER, REPLY, problem
from tests.support.recorded_rows import write_or_insert

SALT = "9f2c41d07ab35e68"
LABEL = f"templates/{REPLY}@production"
BUCKETS = [f"user-{number}" for number in range(40)]


@pytest.fixture
def rollout(cast):
    """Version 1 in production, version 2 for half of the callers."""

    def write() -> int:
        first = cast.save()
        cast.publish(1)
        cast.save(OTHER, base=first.version.digest)
        change = cast.propose(2)
        digest = change.version.digest
        decisions.decide_on_change(
            actor=cast.actor("reviewer"), number=change.number, decision="approve", digest=digest
        )
        number: int = change.number
        return number

    number = write_or_insert("change to roll out", write)
    steps = [{"share": 5000, "hours": None}, {"share": 7500, "hours": None}]
    return services.start_rollout(actor=cast.actor("author"), change=number, steps=steps, salt=SALT)


@pytest.fixture
def fetch_fast(cast):
    """Fetch the label as a server does, one application for all calls: (status, headers but the request's id, body)."""
    get_fetcher().clear()
    key = cast.key("author", "write")
    application = serve_fetches_first(WSGIHandler())

    def fetch(query: str, **environ: str) -> tuple[str, dict[str, str], bytes]:
        asked = {"PATH_INFO": f"/api/v1/{LABEL}", "QUERY_STRING": query, "REQUEST_METHOD": "GET", **environ}
        seen: list[Any] = []
        body = application(
            {**asked, "HTTP_HOST": "testserver", "HTTP_AUTHORIZATION": f"Bearer {key}"},
            lambda line, headers: seen.extend((line, dict(headers))),
        )
        seen[1].pop("X-Request-Id")
        return seen[0], seen[1], b"".join(body)

    return fetch


@pytest.mark.parametrize("session", [False, True])
def test_each_bucket_gets_its_side_and_no_cache_keeps_it(caller, rollout, session):
    author = caller("author", session=session)
    for bucket in BUCKETS:
        answer = author.get(f"{LABEL}?bucket={bucket}")
        is_candidate = is_on_candidate_side(SALT, bucket, 5000)
        assert answer.json()["version"] == (2 if is_candidate else 1)
        assert answer["Promptuary-Side"] == ("candidate" if is_candidate else "stable")
        assert (answer["Cache-Control"], answer["Promptuary-Approval"]) == ("no-store", "approved")


def test_answers_of_both_sides_are_cached_and_stay_what_they_were(cast, rollout, fetch_fast):
    plain, first = fetch_fast(""), {bucket: fetch_fast(f"bucket={bucket}") for bucket in BUCKETS}
    with CaptureQueriesContext(connection) as queries:
        second = {bucket: fetch_fast(f"bucket={bucket}", HTTP_IF_NONE_MATCH="*") for bucket in BUCKETS}
        assert fetch_fast("") == plain
    assert len(queries) == 0
    assert second == first
    for bucket, (status, headers, body) in first.items():
        is_candidate = is_on_candidate_side(SALT, bucket, 5000)
        assert (status, json.loads(body)["version"]) == ("200 OK", 2 if is_candidate else 1)
        assert headers["Promptuary-Side"] == ("candidate" if is_candidate else "stable")
    assert "Promptuary-Side" not in plain[1]


def test_cached_sides_follow_a_step_and_what_is_fetched_is_counted(cast, rollout, fetch_fast):
    recorder.process_counts().forget()
    for _ in range(2):
        for bucket in BUCKETS:
            fetch_fast(f"bucket={bucket}")
    assert recorder.flush_counts()
    counts = dict(Fetch.objects.values_list("version__number", "count"))
    candidates = sum(is_on_candidate_side(SALT, bucket, 5000) for bucket in BUCKETS)
    assert counts == {1: 2 * (len(BUCKETS) - candidates), 2: 2 * candidates}
    services.step_rollout(actor=cast.actor("author"), number=1)
    get_fetcher().follower.mark_due()  # the head may be 0.4 s old otherwise
    for bucket in BUCKETS:
        side = "candidate" if is_on_candidate_side(SALT, bucket, 7500) else "stable"
        assert fetch_fast(f"bucket={bucket}")[1]["Promptuary-Side"] == side


def test_an_empty_bucket_is_refused_although_answers_are_cached(rollout, fetch_fast):
    for query in ("", "bucket=a", "bucket=a"):
        assert fetch_fast(query)[0] == "200 OK"
    assert fetch_fast("bucket=")[0].startswith("422")


def test_without_a_bucket_it_is_the_stable_one_with_the_facts_of_the_rollout(caller, rollout):
    answer = caller("author").get(LABEL)
    body = answer.json()
    assert (body["version"], body["rollout"]) == (
        1,
        {"number": 1, "salt": SALT, "share": 5000, "version": 2, "digest": rollout.candidate.digest},
    )
    assert answer["Cache-Control"] == "max-age=0, must-revalidate"


def test_a_step_is_a_new_entity_tag_and_an_end_the_old_one(cast, caller, rollout):
    author = caller("author")
    get_fetcher().clear()
    before = author.get(LABEL)["ETag"]
    assert author.get(LABEL, If_None_Match=before).status_code == 304
    services.step_rollout(actor=cast.actor("author"), number=1)
    changed = author.get(LABEL, If_None_Match=before)
    assert (changed.status_code, changed.json()["rollout"]["share"]) == (200, 7500)
    services.stop_rollout(actor=cast.actor("reviewer"), number=1, reason="No")
    ended = author.get(LABEL)
    assert ended["ETag"] == f'"1.{rollout.stable.digest}"'
    assert "rollout" not in ended.json()
    assert author.get(f"{LABEL}?bucket={BUCKETS[0]}")["Promptuary-Side"] == "stable"


def test_a_finished_rollout_serves_the_candidate_to_all(cast, caller, rollout):
    services.finish_rollout(actor=cast.actor("author"), number=1)
    body = caller("author").get(LABEL).json()
    assert body["version"] == 2
    assert "rollout" not in body


def test_a_bucket_may_hold_anything_that_a_query_can(caller, rollout):
    bucket = "Käse & 🙂"
    version = caller("author").get(f"{LABEL}?bucket={quote(bucket)}").json()["version"]
    assert version == (2 if is_on_candidate_side(SALT, bucket, 5000) else 1)


@pytest.mark.parametrize("query", ["bucket=", "bucket=a&bucket=b", f"bucket={'x' * 101}"])
def test_an_invalid_bucket_is_refused(caller, rollout, query):
    fields = problem(caller("author").get(f"{LABEL}?{query}"), 422, "invalid")["fields"]
    assert list(fields) == ["bucket"]


def test_a_pinned_fetch_ignores_the_bucket(caller, rollout):
    answer = caller("author").get(f"templates/{REPLY}@1?bucket={BUCKETS[0]}")
    assert (answer.json()["version"], "Promptuary-Side" in answer) == (1, False)


@pytest.mark.parametrize("limit", [{"approved_only": True}, {"labels": ["production"], "approved_only": False}])
def test_a_limited_key_of_the_label_gets_the_candidate_by_its_digest(cast, caller, rollout, limit):
    decisions.decide_on_change(
        actor=cast.actor("reviewer"),
        number=rollout.change_id,
        decision="request_changes",
        digest=rollout.candidate.digest,
        text="No",
    )
    key = type(caller("author"))(key=cast.key("author", "read", **limit))
    assert key.get(f"templates/{REPLY}@{rollout.candidate.digest}").status_code == 200
    services.stop_rollout(actor=cast.actor("reviewer"), number=1, reason="No")
    assert key.get(f"templates/{REPLY}@{rollout.candidate.digest}").status_code == 403


def test_bulk_answers_carry_the_facts_too(caller, rollout):
    author = caller("author")
    result = author.post("fetch", {"refs": [f"{REPLY}@production"]}).json()["results"][0]
    bundle = author.get("namespaces/support/bundle")
    assert result["found"]["rollout"]["share"] == 5000
    assert bundle.json()["entries"][0]["found"]["rollout"]["share"] == 5000


def test_the_bundle_of_a_label_changes_with_a_step(cast, caller, rollout):
    author = caller("author")
    before = author.get("namespaces/support/bundle")["ETag"]
    services.step_rollout(actor=cast.actor("author"), number=1)
    assert author.get("namespaces/support/bundle", If_None_Match=before).status_code == 200


def test_a_redacted_candidate_is_served_to_nobody(cast, caller, rollout):
    get_fetcher().clear()
    redaction_services.redact_version(actor=cast.actor("admin"), name=REPLY, version=2, reason="A password", force=True)
    for bucket in BUCKETS[:5]:
        assert caller("author").get(f"{LABEL}?bucket={bucket}").json()["version"] == 1


def test_starts_steps_and_stops_are_reported_as_moves(cast, caller, rollout):
    author = caller("author")
    cursor = author.get("namespaces/support/moves").json()["cursor"]
    services.step_rollout(actor=cast.actor("author"), number=1)
    moves = author.get(f"namespaces/support/moves?after={cursor}").json()["moves"]
    assert [(move["name"], move["label"], move["version"], move["rollout"]) for move in moves] == [
        (REPLY, "production", 1, 1)
    ]


def test_langfuse_clients_get_the_stable_version(cast, rollout):
    token = b64encode(f"promptuary:{cast.key()}".encode()).decode()
    address = f"/api/public/v2/prompts/{quote(REPLY, safe='')}?label=production"
    assert Client().get(address, headers={"Authorization": f"Basic {token}"}).json()["version"] == 1
