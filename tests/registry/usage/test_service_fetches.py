"""Fetches of templates by service: the mean of a week, who follows a label, and who is pinned."""

from datetime import UTC, datetime, timedelta

import pytest

from registry.namespaces import keys
from registry.usage.models import Fetch
from registry.usage.service_fetches import ServiceFetches, list_service_fetches


@pytest.fixture
def fetch(admin):
    """Write fetches of a version by a service, so many days ago."""
    known = {}

    def write(service, version, ref, count, days=0):
        if service not in known:
            issued = keys.issue_key(actor=admin, namespace="support", name=service, scope="read", person="author")
            known[service] = issued.key
        at = datetime.now(UTC) - timedelta(days=days)
        Fetch.objects.create(key=known[service], version=version, ref=ref, day=at.date(), count=count, last_at=at)

    return write


def test_a_service_is_counted_by_ref_and_by_the_mean_of_a_week(save, fetch):
    first, second = save("one"), save("two")
    fetch("chat", first, "production", 10, days=3)
    fetch("chat", second, "production", 5)
    fetch("mail", first, "1", 7)
    assert list_service_fetches([first.template_id]) == {
        first.template_id: [ServiceFetches("chat", "production", 2, 3), ServiceFetches("mail", "1", 1, 1)]
    }


def test_a_service_of_last_month_is_named_without_fetches_a_day(save, fetch):
    version = save("one")
    fetch("quiet", version, "production", 900, days=20)
    fetch("gone", version, "production", 900, days=31)
    assert list_service_fetches([version.template_id])[version.template_id] == [
        ServiceFetches("quiet", "production", 1, 0)
    ]


def test_a_template_that_nobody_fetched_is_absent(save):
    assert list_service_fetches([save("one").template_id]) == {}


@pytest.mark.parametrize(("ref", "is_pinned"), [("production", False), ("2", True), ("sha256:ab", True)])
def test_numbers_and_digests_are_pins(ref, is_pinned):
    assert ServiceFetches("chat", ref, 2, 1).is_pinned is is_pinned
