import pytest

from registry.errors import NotFound
from registry.queries import events, namespaces

pytestmark = pytest.mark.dialect


def test_a_member_reads_what_happened_newest_first(reader, save):
    save("one")
    page = events.page(reader, "support")
    assert [event.kind for event in page.items] == ["version.saved"] + ["member.set"] * 4 + ["namespace.created"]


def test_filters_and_pages(reader, save):
    save("one"), save("two")
    assert len(events.page(reader, "support", kind="member.set").items) == 4
    assert len(events.page(reader, "support", person="author").items) == 2
    first = events.page(reader, "support", template="support/reply", limit=1)
    second = events.page(reader, "support", template="support/reply", limit=1, cursor=first.next)
    assert [event.version for event in first.items + second.items] == [2, 1]


def test_outsiders_read_nothing(outsider, support):
    with pytest.raises(NotFound):
        events.page(outsider, "support")


def test_members_are_listed_to_members(reader, outsider, support):
    assert [(member.person.username, member.role) for member in namespaces.members(reader, "support")] == [
        ("admin", "admin"),
        ("author", "author"),
        ("reader", "reader"),
        ("reviewer", "reviewer"),
    ]
    with pytest.raises(NotFound):
        namespaces.members(outsider, "support")


def test_each_sees_their_own_namespaces(reader, outsider, operator, support):
    assert [(space.name, role) for space, role in namespaces.mine(reader)] == [("support", "reader")]
    assert [(space.name, role) for space, role in namespaces.mine(outsider)] == [("elsewhere", "admin")]
    assert [space.name for space, _ in namespaces.mine(operator)] == ["elsewhere", "support"]
