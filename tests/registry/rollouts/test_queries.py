"""Lists of rollouts: filters, pages, and the number of queries."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from registry.core.errors import NotFound
from registry.rollouts import queries, services
from registry.rollouts.models import Rollout
from registry.rollouts.serializers import RolloutItem


@pytest.fixture
def three(start, reviewer):
    """Two stopped rollouts of the change and a running one."""
    for _ in range(2):
        services.stop_rollout(actor=reviewer, number=start().number, reason="Again")
    return start()


def test_rollouts_are_listed_newest_first_in_pages(author, three):
    page = queries.list_rollouts(author, limit=2)
    assert [rollout.number for rollout in page.items] == [3, 2]
    after = queries.list_rollouts(author, limit=2, cursor=page.next)
    assert ([rollout.number for rollout in after.items], after.next) == ([1], None)


def test_filters_narrow_the_list(author, three):
    def list_numbers(**filters):
        return [rollout.number for rollout in queries.list_rollouts(author, **filters).items]

    assert list_numbers(state="active") == [3]
    assert list_numbers(state="stopped") == [2, 1]
    assert list_numbers(namespace="support", template="support/reply") == [3, 2, 1]
    assert list_numbers(template="support/other") == []


def test_outsiders_get_an_empty_list_and_no_namespace(outsider, three):
    assert queries.list_rollouts(outsider).items == []
    with pytest.raises(NotFound):
        queries.list_rollouts(outsider, namespace="support")


def test_three_rollouts_in_a_list_take_as_many_queries_as_one(author, three):
    def count_queries(limit):
        with CaptureQueriesContext(connection) as statements:
            items = [RolloutItem.of(rollout) for rollout in queries.list_rollouts(author, limit=limit).items]
        assert len(items) == limit
        return len(statements)

    assert count_queries(3) == count_queries(1)


def test_the_newest_rollout_of_a_change_is_found_with_its_relations(three):
    rollout = queries.find_rollout_of_change(three.change_id)
    with CaptureQueriesContext(connection) as statements:
        assert rollout.change.template.namespace.name == "support"
    assert (rollout, len(statements)) == (three, 0)
    assert queries.find_rollout_of_change(Rollout.objects.count() + 100) is None
