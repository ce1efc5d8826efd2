"""POST /api/v1/fetch: many versions in one request, each with its own result or problem."""

import pytest

from registry.serving import fetch_many_api
from tests.api.conftest import OTHER, REPLY, Caller, problem
from tests.support.recorded_rows import write_or_insert


@pytest.fixture
def versions(cast):
    """Versions 1 to 3, production on 2."""

    def write() -> None:
        first = cast.save().version
        second = cast.save(OTHER, base=first.digest).version
        cast.publish(2)
        cast.save(OTHER.replace("well", "best"), base=second.digest)

    write_or_insert("versions to fetch together", write)


def _fetch(caller, *refs):
    return caller.post("fetch", {"refs": list(refs)}).json()["results"]


def test_each_result_equals_a_single_fetch(caller, versions):
    author, refs = caller("author"), [f"{REPLY}@{ref}" for ref in ("production", "1", "latest")]
    for ref, result in zip(refs, _fetch(author, *refs), strict=True):
        alone = author.get(f"templates/{ref}")
        assert (result["ref"], result["status"], result["etag"]) == (ref, 200, alone["ETag"])
        assert result["found"] == alone.json()


def test_a_miss_fails_no_other(caller, versions):
    refs = (f"{REPLY}@9", "support/none@1", "no ref at all", "demo/secret@1", "", f"{REPLY}@1")
    results = _fetch(caller("author"), *refs)
    assert [result["status"] for result in results] == [404, 404, 404, 404, 404, 200]
    assert {result["problem"]["type"] for result in results[:-1]} == {"not-found"}
    assert all(result["etag"] is None for result in results[:-1])


def test_refusals_for_a_limited_key_are_listed_beside_the_results(cast, caller, versions):
    limited = Caller(key=cast.key("author", scope="read"))
    results = _fetch(limited, f"{REPLY}@production", f"{REPLY}@3")
    assert [result["status"] for result in results] == [200, 403]
    assert results[1]["problem"]["type"] == "not-allowed"


def test_a_signed_in_reader_fetches_and_an_outsider_does_not(caller, versions):
    assert _fetch(caller("reader", session=True), f"{REPLY}@3", "none@1")[0]["found"]["version"] == 3
    assert [result["status"] for result in _fetch(caller("outsider", session=True), f"{REPLY}@1")] == [404]
    assert [result["status"] for result in _fetch(caller("outsider"), f"{REPLY}@1")] == [404]


def test_names_are_quoted_as_json_needs_it(caller, versions):
    odd = 'support/"re\\ply"\n\u2028é@1'
    assert _fetch(caller("author"), odd)[0]["ref"] == odd


def test_no_ref_gives_no_result(caller, versions):
    assert _fetch(caller("author")) == []


@pytest.mark.parametrize("body", [{}, {"refs": "a@1"}, {"refs": [1]}, {"refs": ["a@1"] * 501}, {"refs": ["a" * 701]}])
def test_other_bodies_are_refused(caller, versions, body):
    details = problem(caller("author").post("fetch", body), 400, "bad-request")
    assert next(iter(details["fields"])).startswith("refs")


def test_five_hundred_refs_that_are_kept_ask_the_database_no_more_than_one(
    caller, versions, django_assert_max_num_queries
):
    author, refs = caller("author"), [f"{REPLY}@1"] * fetch_many_api.MAX_REFS
    author.post("fetch", {"refs": refs[:1]})
    with django_assert_max_num_queries(12):
        assert len(_fetch(author, *refs)) == 500


def test_an_answer_beyond_its_bound_is_refused(cast, caller):
    cast.save("---\nformat: text\n---\n" + "long " * 40_000, name="support/long")
    author, refs = caller("author"), ["support/long@1"] * 200
    assert len(_fetch(author, *refs[:100])) == 100
    assert problem(author.post("fetch", {"refs": refs}), 413, "too-large")["limit"] == fetch_many_api.MAX_BYTES
