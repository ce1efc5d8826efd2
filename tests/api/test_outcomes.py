"""POST /api/v1/outcomes: scores of replies; GET …/-/outcomes: means and intervals."""

from datetime import timedelta

import pytest

from registry.usage import outcomes
from registry.usage.models import Outcome, OutcomeTotal
from tests.api.conftest import OTHER, REPLY, Caller, problem

pytestmark = pytest.mark.dialect


@pytest.fixture
def digest(cast):
    return cast.save().version.digest


@pytest.fixture
def service(cast, digest):
    return Caller(key=cast.key(scope="read"))


def entry(digest, value=1, name="helpful", **fields):
    return {"template": REPLY, "digest": digest, "name": name, "value": value, **fields}


def report(service, *entries):
    answer = service.post("outcomes", {"outcomes": list(entries)})
    assert answer.status_code == 202, answer.content
    return answer.json()


@pytest.fixture
def scores(caller):
    def read():
        answer = caller("reader", session=True).get(f"templates/{REPLY}/-/outcomes")
        assert answer.status_code == 200, answer.content
        return {
            (row["version"], score["name"], score["by"]): score
            for row in answer.json()["versions"]
            for score in row["scores"]
        }

    return read


def test_scores_add_up_to_a_mean(service, digest, scores):
    report(service, entry(digest, 1), entry(digest, 0), entry(digest, 0.5, "tone"))
    report(service, entry(digest, 1))
    sums = scores()
    helpful, tone = sums[1, "helpful", "services"], sums[1, "tone", "services"]
    assert (helpful["count"], helpful["mean"], helpful["is_share"]) == (3, pytest.approx(2 / 3), True)
    assert (tone["count"], tone["mean"], tone["is_share"]) == (1, 0.5, False)
    assert (helpful["low"], helpful["high"], helpful["reading"]) == (None, None, "")


def test_a_share_has_the_interval_of_wilson(service, digest, scores):
    report(service, *[entry(digest, int(number < 30)) for number in range(40)])
    helpful = scores()[1, "helpful", "services"]
    assert (helpful["low"], helpful["high"]) == (pytest.approx(0.5981, abs=1e-4), pytest.approx(0.8581, abs=1e-4))


def test_graded_values_have_an_interval_around_their_mean(service, digest, scores):
    report(service, *[entry(digest, 1 + number % 5) for number in range(50)])
    helpful = scores()[1, "helpful", "services"]
    assert (helpful["mean"], helpful["is_share"]) == (3.0, False)
    assert helpful["low"] == pytest.approx(3 - 1.96 * 1.4286 / 50**0.5, abs=1e-3)


def test_a_version_is_compared_with_the_one_before_that_has_scores(cast, service, digest, scores):
    second = cast.save(OTHER, base=digest).version
    report(service, *[entry(digest, int(number < 10)) for number in range(100)])
    report(service, *[entry(second.digest, int(number < 90)) for number in range(100)], entry(second.digest, 1, "new"))
    sums = scores()
    readings = {place[:2]: score["reading"] for place, score in sums.items()}
    assert readings == {(1, "helpful"): "", (2, "helpful"): "better", (2, "new"): ""}


def test_scores_whose_intervals_meet_are_unclear_and_lower_ones_worse(cast, service, digest, scores):
    second = cast.save(OTHER, base=digest).version
    report(service, *[entry(digest, int(number < 50)) for number in range(100)])
    report(service, *[entry(second.digest, int(number < 52)) for number in range(100)])
    assert scores()[2, "helpful", "services"]["reading"] == "unclear"
    report(service, *[entry(second.digest, 0) for number in range(100)])
    assert scores()[2, "helpful", "services"]["reading"] == "worse"


def test_a_trace_id_counts_once_and_its_last_value_stays(service, digest, scores):
    report(service, entry(digest, 0, trace_id="t1"), entry(digest, 1, trace_id="t2"))
    report(service, entry(digest, 0, trace_id="t1"), entry(digest, 0.5, trace_id="t1"))
    helpful = scores()[1, "helpful", "services"]
    assert (helpful["count"], helpful["mean"], helpful["is_share"]) == (2, 0.75, False)
    report(service, entry(digest, 1, trace_id="t1"))
    helpful = scores()[1, "helpful", "services"]
    assert (helpful["count"], helpful["mean"], helpful["is_share"]) == (2, 1.0, True)


def test_a_trace_id_of_yesterday_changes_the_total_of_yesterday(service, digest):
    report(service, entry(digest, 0, trace_id="t1"))
    yesterday = OutcomeTotal.objects.get().day - timedelta(days=1)
    OutcomeTotal.objects.update(day=yesterday)
    Outcome.objects.update(day=yesterday)
    report(service, entry(digest, 1, trace_id="t1"))
    total = OutcomeTotal.objects.get()
    assert (total.day, total.count, total.total) == (yesterday, 1, 1.0)


def test_buckets_are_counted_and_kept_as_hashes_only(service, digest, scores):
    report(service, *[entry(digest, 1, bucket=f"user {number % 3}") for number in range(7)], entry(digest, 1))
    helpful = scores()[1, "helpful", "services"]
    assert (helpful["count"], helpful["buckets"]) == (8, 3)
    assert not Outcome.objects.filter(bucket__contains="user").exists()


def test_people_are_distinguished_from_services(caller, service, digest, scores):
    report(service, entry(digest, 1))
    report(caller("reader", session=True), entry(digest, 0))
    sums = scores()
    assert [(by, score["mean"]) for (_, _, by), score in sorted(sums.items())] == [("people", 0), ("services", 1)]


def test_unknown_and_unreadable_versions_are_ignored_and_named(cast, caller, service, digest):
    cast.save(name="demo/answer")
    other = entry(digest) | {"template": "demo/answer"}
    answer = report(service, entry("sha256:" + "0" * 64), entry(digest), other)
    assert (answer["accepted"], [row["index"] for row in answer["ignored"]]) == (1, [0, 2])
    assert answer["ignored"][0]["reason"] == "There is no such version, or you don't have access to it."
    assert report(caller("outsider", session=True), entry(digest))["accepted"] == 0


def test_a_version_has_scores_of_so_many_names(service, digest):
    answer = report(service, *[entry(digest, name=f"score_{number}") for number in range(outcomes.MAX_NAMES + 2)])
    assert (answer["accepted"], [row["index"] for row in answer["ignored"]]) == (50, [50, 51])
    assert report(service, entry(digest, name="score_1"))["accepted"] == 1


@pytest.mark.parametrize(
    "fields",
    [
        {"name": "Not a name"},
        {"value": "good"},
        {"value": True},
        {"value": 2_000_000},
        {"digest": "sha256:short"},
        {"trace_id": "x" * 101},
        {"bucket": 7},
        {"text": "What the model replied"},
    ],
)
def test_something_that_is_not_a_score_is_refused_and_nothing_is_stored(service, digest, fields):
    problem(service.post("outcomes", {"outcomes": [entry(digest), {**entry(digest), **fields}]}), 400, "bad-request")
    assert not OutcomeTotal.objects.exists()


def test_a_wrong_name_or_digest_is_answered_with_its_form(service, digest):
    answer = service.post("outcomes", {"outcomes": [entry(digest, name="Helpful"), entry("sha256:short")]})
    fields = problem(answer, 400, "bad-request")["fields"]
    assert fields["outcomes.0.name"] == "1 to 60 lower-case letters, digits and _, a letter first."
    assert fields["outcomes.1.digest"] == "sha256: and 64 hexadecimal digits in lower case."


def test_an_outsider_reads_none(caller, service, digest):
    problem(caller("outsider", session=True).get(f"templates/{REPLY}/-/outcomes"), 404, "not-found")


def test_old_single_outcomes_go_and_their_totals_stay(service, digest):
    report(service, entry(digest, 1, trace_id="old"), entry(digest, 1, trace_id="new"))
    old_day = Outcome.objects.first().day - timedelta(days=outcomes.KEPT_DAYS)
    Outcome.objects.filter(trace_id="old").update(day=old_day)
    assert outcomes.delete_old_outcomes() == 1
    assert [row.trace_id for row in Outcome.objects.all()] == ["new"]
    assert OutcomeTotal.objects.get().count == 2
