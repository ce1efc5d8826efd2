"""Every page and list call runs as many queries with thirty templates and their history as with three."""

import pytest
from django.core.cache import caches
from django.db import connection
from django.test.utils import CaptureQueriesContext

from benchmarks.paging import fill
from benchmarks.paging.addresses import list_addresses
from benchmarks.paging.measure import open_clients
from registry.templates import search_entries
from registry.templates.models import Template

pytestmark = pytest.mark.django_db
FEW, MANY = (0, 3, 10, 50, 150, 500), [100, *range(200, 500, 50), *range(550, 1650, 50)]  # each filter finds one of FEW


def count_queries(clients):
    """The number of queries of each address, by name, with empty caches."""
    counts, refused = {}, []
    for address in list_addresses():
        caches["frames"].clear()
        with CaptureQueriesContext(connection) as queries:
            answer = clients[address.who].get(address.path)
        refused += [] if answer.status_code == 200 else [(address.path, answer.status_code)]
        counts[address.name] = len(queries)
    assert refused == []
    return counts


def test_every_list_takes_as_many_queries_with_thirty_rows_as_with_three(settings):
    settings.ALLOWED_HOSTS = ["*"]
    cast = fill.add_people()
    fill.write_templates(cast, range(-5, 0), 2_000, 3)
    fill.write_templates(cast, FEW, 2_000, 3)
    search_entries.rebuild_entries()
    clients = open_clients(fill.find_people())
    count_queries(clients)
    before = count_queries(clients)
    fill.write_templates(cast, MANY, 2_000, 3)
    search_entries.rebuild_entries()
    after = count_queries(clients)
    assert Template.objects.count() == 1 + 5 + len(FEW) + len(MANY)
    assert {name: (before[name], count) for name, count in after.items() if count > before[name]} == {}
