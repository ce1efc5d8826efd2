"""POST /api/v1/reports: totals of what clients report."""

import pytest

from registry.templates.models import Template
from registry.usage import client_reports
from registry.usage.client_reports import round_up_tokens
from registry.usage.models import Report
from tests.api.conftest import OTHER, REPLY, Caller, problem

pytestmark = pytest.mark.dialect


@pytest.fixture
def digest(cast):
    return cast.save().version.digest


@pytest.fixture
def service(cast, digest):
    return Caller(key=cast.key(scope="read"))


def entry(digest, **fields):
    return {"name": REPLY, "digest": digest, "renders": 10, **fields}


def report(service, *entries):
    answer = service.post("reports", {"reports": list(entries)})
    assert answer.status_code == 202, answer.content
    return answer.json()


def test_reports_of_a_version_add_up(service, digest):
    report(service, entry(digest, failures={"PT301": 2}, inputs={"question": 12}, tokens={"812": 9, "820": 1}))
    report(service, entry(digest, failures={"PT301": 1, "Timeout": 1}, inputs={"question": 10}, tokens={"4011": 1}))
    sums = client_reports.sum_reports_by_version(Template.objects.get()).get(1)
    assert (sums.renders, sums.failures, sums.failed) == (20, {"PT301": 3, "Timeout": 1}, 4)
    assert (sums.p50, sums.p99, sums.inputs, sums.keys) == (820, 4100, {"question": 22}, ["author read"])
    assert Report.objects.count() == 1


def test_every_key_has_rows_of_its_own_and_versions_are_distinguished(cast, service, digest):
    second = cast.save(OTHER, base=digest).version
    report(service, entry(digest), entry(second.digest, renders=3))
    report(Caller(key=cast.key("reader")), entry(digest))
    sums = client_reports.sum_reports_by_version(second.template)
    assert [(number, one.renders, one.keys) for number, one in sums.items()] == [
        (2, 3, ["author read"]),
        (1, 20, ["author read", "reader read"]),
    ]


def test_a_version_without_reports_has_no_sum(digest):
    assert client_reports.sum_reports_by_version(Template.objects.get()).get(1) is None


def test_unknown_and_unreadable_versions_are_ignored_and_named(cast, service, digest):
    cast.save(name="demo/answer")
    answer = report(
        service, entry(digest), entry("sha256:" + "0" * 64), {"name": "demo/answer", "digest": digest, "renders": 1}
    )
    assert answer["accepted"] == 1
    assert [(row["name"], row["digest"][7:9]) for row in answer["ignored"]] == [
        (REPLY, "00"),
        ("demo/answer", digest[7:9]),
    ]


@pytest.mark.parametrize(
    "fields",
    [
        {"renders": -1},
        {"renders": "3"},
        {"failures": {"not a code!": 1}},
        {"failures": {f"E{number}": 1 for number in range(51)}},
        {"tokens": {"many": 1}},
        {"tokens": {"9999999999": 1}},
        {"inputs": {f"name{number}": 1 for number in range(201)}},
        {"inputs": {"": 1}},
        {"inputs": {"question": "What the customer wrote"}},
        {"values": {"question": "What the customer wrote"}},
        {"digest": "sha256:short"},
    ],
)
def test_something_that_is_not_a_count_is_refused_and_nothing_is_stored(service, digest, fields):
    problem(service.post("reports", {"reports": [{**entry(digest), **fields}]}), 400, "bad-request")
    assert Report.objects.count() == 0


def test_people_report_nothing(caller, digest):
    problem(caller("author", session=True).post("reports", {"reports": []}), 403, "not-allowed")


def test_rows_stay_small_for_any_report(service, digest):
    for batch in range(3):
        failures = {f"E{batch}.{number}": 1 for number in range(50)}
        report(service, entry(digest, failures=failures))
    sums = client_reports.sum_reports_by_version(Template.objects.get()).get(1)
    assert (len(sums.failures), sums.failures["other"], sums.failed) == (51, 100, 150)


@pytest.mark.parametrize(
    ("tokens", "bucket"), [(0, 0), (7, 7), (99, 99), (101, 110), (812, 820), (820, 820), (1204, 1300)]
)
def test_tokens_are_rounded_up_to_two_figures(tokens, bucket):
    assert round_up_tokens(tokens) == bucket
