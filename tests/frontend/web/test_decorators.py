"""View decorators for signed-in people: the role is queried once per page, and again for each page."""

from django.db import connection
from django.test.utils import CaptureQueriesContext

from registry.namespaces import permissions, services
from registry.namespaces.models import Namespace
from tests.frontend.conftest import REPLY


def count_role_queries(captured):
    return sum('SELECT "registry_membership"."role"' in query["sql"] for query in captured)


def test_a_templates_page_asks_for_the_readers_role_once(reply, browser):
    client = browser("author")
    client.get(f"/t/{REPLY}")
    with CaptureQueriesContext(connection) as queries:
        client.get(f"/t/{REPLY}")
    assert count_role_queries(queries) == 1


def test_a_role_that_was_taken_away_counts_from_the_next_page_on(reply, browser):
    client = browser("author")
    assert client.get(f"/t/{REPLY}").status_code == 200
    services.set_role(actor=reply.actor("admin"), namespace="support", username="author", role=None)
    assert client.get(f"/t/{REPLY}").status_code == 404


def test_the_memory_gives_what_the_database_says_and_forgets_at_its_end(reply):
    namespace = Namespace.objects.get(name="support")
    people = [reply.actor(role).person for role in ("reader", "author", "reviewer", "admin", "outsider")]
    plain = [permissions.find_role(person, namespace) for person in people]
    with permissions.remember_roles():
        assert [permissions.find_role(person, namespace) for person in people * 2] == plain * 2
        with CaptureQueriesContext(connection) as queries:
            assert [permissions.find_role(person, namespace) for person in people] == plain
        assert len(queries) == 0
    with CaptureQueriesContext(connection) as queries:
        assert [permissions.find_role(person, namespace) for person in people] == plain
    assert len(queries) == len(people)
