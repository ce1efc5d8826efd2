"""A key's limits at fetches, and the rate limit on refusals."""

import pytest

from registry.core.errors import TooMany
from registry.core.refusal_limiter import Refusals
from registry.namespaces import keys
from registry.serving.fetcher import Fetcher
from tests.api.conftest import DOCUMENT, OTHER, REPLY
from tests.api.test_fetch import Ahead
from tests.api.test_fetch_cache import Clock

PATH = f"/api/v1/templates/{REPLY}"


@pytest.fixture
def versions(cast) -> None:
    """Version 1 on staging, 2 on production, 3 on none with the text of 1."""
    first = cast.save().version
    second = cast.save(OTHER, base=first.digest).version
    cast.save(DOCUMENT, base=second.digest)
    cast.move("staging", 1)
    cast.publish(2)


def issue(cast, **options) -> str:
    arguments = {"name": "limited", "scope": "write", "person": "author", **options}
    return keys.issue_key(actor=cast.actor("admin"), namespace="support", **arguments).secret


def test_a_key_limited_to_labels_gets_what_they_serve_by_any_ref(cast, versions):
    ahead = Ahead(issue(cast, labels=["staging"]))
    assert [ahead(f"{PATH}@{ref}")[0][:3] for ref in ("staging", "1", "3", "2", "production", "latest")] == [
        "200",
        "200",
        "200",
        "403",
        "403",
        "200",
    ]


def test_a_version_that_the_label_left_is_refused_within_a_second(cast, versions):
    clock = Clock()
    fetcher, key = Fetcher(clock=clock), f"Bearer {issue(cast, labels=['staging'])}"
    assert fetcher.answer(key, f"{REPLY}@1").status == 200
    cast.move("staging", 2, expected=1)
    clock.now += 0.99
    assert fetcher.answer(key, f"{REPLY}@1").status == 403
    assert fetcher.answer(key, f"{REPLY}@2").status == 200


def test_a_label_that_is_not_set_opens_nothing(cast, versions):
    ahead = Ahead(issue(cast, labels=["canary"]))
    assert ahead(f"{PATH}@1")[0] == "403 Forbidden"
    assert ahead(f"{PATH}@canary")[0] == "404 Not Found"


def test_a_key_without_the_verb_fetches_nothing(cast, versions):
    line, _, body = Ahead(issue(cast, scope="chosen", verbs=["save", "read"]))(f"{PATH}@1")
    assert line == "403 Forbidden"
    assert b"takes one with the verb fetch" in body


def test_wrong_keys_are_soon_answered_without_asking_the_database(settings, cast, versions, django_assert_num_queries):
    settings.PROMPTUARY_RATES = {**settings.PROMPTUARY_RATES, "anonymous": "3/min"}
    fetcher = Fetcher(clock=Clock())
    for _ in range(3):
        assert fetcher.answer("Bearer pb_aaaaaaaa_x", f"{REPLY}@1", address="192.0.2.1").status == 401
    with django_assert_num_queries(0):
        answer = fetcher.answer("Bearer pb_aaaaaaaa_y", f"{REPLY}@1", address="192.0.2.1")
    assert (answer.status, dict(answer.headers)["Retry-After"]) == (429, "61")
    assert fetcher.answer("Bearer pb_aaaaaaaa_y", f"{REPLY}@1", address="192.0.2.2").status == 401


def test_a_key_that_asks_for_nothing_again_and_again_has_to_wait(settings, cast, versions):
    settings.PROMPTUARY_RATES = {**settings.PROMPTUARY_RATES, "caller": "2/min"}
    clock = Clock()
    fetcher, key = Fetcher(clock=clock), f"Bearer {issue(cast)}"
    assert [fetcher.answer(key, f"{REPLY}@{ref}").status for ref in ("8", "9", "9")] == [404, 404, 429]
    clock.now += 61
    assert fetcher.answer(key, f"{REPLY}@1").status == 200


def test_successful_fetches_are_never_limited(settings, cast, versions):
    settings.PROMPTUARY_RATES = {**settings.PROMPTUARY_RATES, "caller": "2/min", "anonymous": "2/min"}
    ahead = Ahead(issue(cast))
    assert {ahead(f"{PATH}@1")[0] for _ in range(20)} == {"200 OK"}


def test_a_refusal_says_how_long_to_wait(settings):
    settings.PROMPTUARY_RATES = {"anonymous": "1/s"}
    refusals = Refusals(Clock())
    refusals.count("anonymous", "a")
    with pytest.raises(TooMany, match="try again in 2 s"):
        refusals.check("anonymous", "a")
