"""GET /api/v1/namespaces/<ns>/bundle: everything that a label serves."""

import hashlib

import pytest
import rfc8785

from registry.templates import archive
from tests.api.conftest import OTHER, REPLY, THIRD, Caller, problem
from tests.support.recorded_rows import write_or_insert

BUNDLE = "namespaces/support/bundle"


@pytest.fixture
def names(cast) -> list[str]:
    """Three templates on production, one of them on its second version; a fourth that production does not hold."""
    found = [REPLY, "support/answer", "support/refunds/ask"]

    def write() -> None:
        for name in found:
            cast.save(name=name)
            cast.publish(1, name=name)
        cast.save(OTHER, base=cast.save(name=REPLY).version.digest)
        cast.publish(2)
        cast.save(name="support/young")

    write_or_insert("what a bundle holds", write)
    return sorted(found)


def test_it_holds_each_version_as_a_fetch_gives_it_sorted_by_name(caller, names):
    author = caller("author")
    body = author.get(BUNDLE).json()
    assert [entry["ref"] for entry in body["entries"]] == [f"{name}@production" for name in names]
    for entry in body["entries"]:
        fetched = author.get(f"templates/{entry['ref']}")
        assert (entry["found"], entry["etag"]) == (fetched.json(), fetched["ETag"])
    assert (body["namespace"], body["label"], body["omitted"]) == ("support", "production", [])


def test_the_digest_can_be_computed_again(caller, names):
    body = caller("author").get(BUNDLE).json()
    rows = [[entry["found"][field] for field in ("name", "version", "digest")] for entry in body["entries"]]
    assert body["digest"] == "sha256:" + hashlib.sha256(rfc8785.dumps(rows)).hexdigest()


def test_a_matching_etag_is_answered_304_until_a_label_moves(cast, caller, names):
    author = caller("author")
    etag = author.get(BUNDLE)["ETag"]
    assert author.get(BUNDLE, If_None_Match=etag).status_code == 304
    cast.save(THIRD, base=cast.save(OTHER, name=REPLY).version.digest)
    cast.publish(3)
    assert author.get(BUNDLE, If_None_Match=etag).status_code == 200


def test_latest_is_a_label_too_and_another_one_may_be_empty(caller, names):
    author = caller("author")
    latest = author.get(f"{BUNDLE}?label=latest").json()["entries"]
    assert [(entry["found"]["name"], entry["found"]["version"]) for entry in latest][-2:] == [
        (REPLY, 2),
        ("support/young", 1),
    ]
    assert author.get(f"{BUNDLE}?label=canary").json()["entries"] == []
    problem(author.get(f"{BUNDLE}?label=No!"), 422, "invalid")


def test_a_cold_bundle_costs_a_few_queries_however_many_there_are(cast, names, django_assert_max_num_queries):
    caller = Caller(key=cast.key(scope="write"))
    with django_assert_max_num_queries(14):
        assert len(caller.get(BUNDLE).json()["entries"]) == 3


def test_a_bundle_for_a_limited_key_names_the_missing_versions(cast, names):
    cast.move("staging", 1, name="support/young")
    limited = Caller(key=cast.key(scope="read"))
    assert len(limited.get(BUNDLE).json()["entries"]) == 3
    body = limited.get(f"{BUNDLE}?label=staging").json()
    assert (body["entries"], body["omitted"][0]["name"]) == ([], "support/young")
    assert "limited to approved versions" in body["omitted"][0]["reason"]


def test_archived_templates_are_not_in_it(cast, caller, names):
    archive.archive_template(actor=cast.actor("admin"), name="support/answer", reason="Nobody uses it", force=True)
    assert len(caller("author").get(BUNDLE).json()["entries"]) == 2


def test_people_may_have_it_and_outsiders_find_nothing(caller, names):
    assert len(caller("reader", session=True).get(BUNDLE).json()["entries"]) == 3
    problem(caller("outsider", session=True).get(BUNDLE), 404, "not-found")
    problem(caller("outsider").get(BUNDLE), 404, "not-found")


def test_too_many_in_one_request_are_refused(caller, names, monkeypatch):
    monkeypatch.setattr("registry.serving.namespace_bundle.MAX_BYTES", 500)
    problem(caller("author").get(BUNDLE), 413, "too-large")
