"""Queries of the audit page: filters, pages, and who may read events."""

import pytest

from registry.audit import queries as audit_queries
from registry.core.errors import NotFound
from registry.namespaces import queries as namespace_queries

pytestmark = pytest.mark.dialect


def test_a_member_reads_what_happened_newest_first(reader, save):
    save("one")
    page = audit_queries.read_page(reader, "support")
    assert [event.kind for event in page.items] == ["version.saved"] + ["member.set"] * 4 + ["namespace.created"]


def test_filters_and_pages(reader, save):
    save("one"), save("two")
    assert len(audit_queries.read_page(reader, "support", kind="member.set").items) == 4
    assert len(audit_queries.read_page(reader, "support", person="author").items) == 2
    first = audit_queries.read_page(reader, "support", template="support/reply", limit=1)
    second = audit_queries.read_page(reader, "support", template="support/reply", limit=1, cursor=first.next)
    assert [event.version for event in first.items + second.items] == [2, 1]


def test_outsiders_read_nothing(outsider, support):
    with pytest.raises(NotFound):
        audit_queries.read_page(outsider, "support")


def test_members_are_listed_to_members(reader, outsider, support):
    assert [(member.person.username, member.role) for member in namespace_queries.list_members(reader, "support")] == [
        ("admin", "admin"),
        ("author", "author"),
        ("reader", "reader"),
        ("reviewer", "reviewer"),
    ]
    with pytest.raises(NotFound):
        namespace_queries.list_members(outsider, "support")


def test_each_sees_their_own_namespaces(reader, outsider, operator, support):
    assert [(space.name, roles.namespace) for space, roles in namespace_queries.list_namespaces(reader)] == [
        ("support", "reader")
    ]
    assert [(space.name, roles.namespace) for space, roles in namespace_queries.list_namespaces(outsider)] == [
        ("elsewhere", "admin")
    ]
    assert [space.name for space, _ in namespace_queries.list_namespaces(operator)] == ["elsewhere", "support"]
