"""Favourites and saved views: each person has their own, within limits, and sees only what they may read."""

import pytest

from registry.accounts.actor import Actor
from registry.bookmarks import queries, services
from registry.bookmarks.models import Favourite, SavedView
from registry.core.errors import Conflict, Invalid, NotAllowed, NotFound
from registry.namespaces import keys
from registry.namespaces import services as namespace_services
from registry.templates import archive
from registry.templates import queries as template_queries
from registry.templates import save as template_save

REPLY = "support/refunds/reply"


@pytest.fixture
def saved(author, document):
    """Two templates that the cast may read."""
    for name in (REPLY, "support/greeting"):
        template_save.save_version(actor=author, name=name, document=document(), message="")


def names_of(actor):
    return [template.name for template in queries.list_favourites(actor, limit=50)]


def test_a_favourite_is_the_persons_own(saved, reader, author):
    services.add_favourite(actor=reader, name=REPLY)
    services.add_favourite(actor=reader, name=REPLY)
    assert names_of(reader) == [REPLY]
    assert queries.is_favourite(reader, template_queries.get_template(reader, REPLY))
    assert names_of(author) == []
    services.remove_favourite(actor=reader, name=REPLY)
    services.remove_favourite(actor=reader, name=REPLY)
    assert names_of(reader) == []


def test_favourites_are_listed_by_name(saved, reader):
    for name in ("support/refunds/reply", "support/greeting"):
        services.add_favourite(actor=reader, name=name)
    assert names_of(reader) == ["support/greeting", REPLY]
    assert len(queries.list_favourites(reader, limit=1)) == 1


def test_favourites_require_the_right_to_read(saved, outsider, reader, operator):
    with pytest.raises(NotFound):
        services.add_favourite(actor=outsider, name=REPLY)
    services.add_favourite(actor=reader, name=REPLY)
    namespace_services.set_role(actor=operator, namespace="support", username="reader", role=None)
    assert names_of(reader) == []
    assert queries.find_readable(reader, [REPLY]) == []
    services.remove_favourite(actor=reader, name=REPLY)
    assert not Favourite.objects.exists()


def test_an_archived_favourite_stays(saved, reader, admin):
    services.add_favourite(actor=reader, name=REPLY)
    archive.archive_template(actor=admin, name=REPLY, reason="")
    assert names_of(reader) == [REPLY]


def test_a_key_has_none(saved, admin):
    key = keys.issue_key(actor=admin, namespace="support", name="ci", scope="write").key
    actor = Actor(admin.person, key)
    with pytest.raises(NotAllowed):
        services.add_favourite(actor=actor, name=REPLY)
    with pytest.raises(NotAllowed):
        services.save_view(actor=actor, name="Mine", folder="", query="tag=refunds")


def test_there_is_a_most_of_both(saved, reader, monkeypatch):
    monkeypatch.setattr(services, "MAX_FAVOURITES", 1)
    monkeypatch.setattr(services, "MAX_VIEWS", 1)
    services.add_favourite(actor=reader, name=REPLY)
    services.add_favourite(actor=reader, name=REPLY)
    with pytest.raises(Conflict, match="most"):
        services.add_favourite(actor=reader, name="support/greeting")
    services.save_view(actor=reader, name="One", folder="", query="q=a")
    services.save_view(actor=reader, name="One", folder="", query="q=b")
    with pytest.raises(Conflict, match="most"):
        services.save_view(actor=reader, name="Two", folder="", query="q=a")


def test_templates_are_found_in_the_order_of_their_names_as_given(saved, reader):
    found = queries.find_readable(reader, [REPLY, "support/none", "support/greeting", REPLY])
    assert [template.name for template in found] == [REPLY, "support/greeting"]


def test_a_view_is_kept_under_its_name_and_replaced_under_it(reader, author):
    services.save_view(actor=reader, name="  Refunds,  failing ", folder="support", query="?tag=refunds&check=failed")
    services.save_view(actor=reader, name="Refunds, failing", folder="", query="tag=refunds")
    (view,) = queries.list_views(reader)
    assert (view.name, view.folder, view.query) == ("Refunds, failing", "", "tag=refunds")
    assert queries.list_views(author) == []
    with pytest.raises(NotFound):
        services.remove_view(actor=author, view_id=view.pk)
    assert services.remove_view(actor=reader, view_id=view.pk) == "Refunds, failing"
    assert not SavedView.objects.exists()


@pytest.mark.parametrize(
    ("field", "values"),
    [
        ("name", {"name": " "}),
        ("name", {"name": "a\0"}),
        ("query", {"query": "?"}),
        ("query", {"query": "no-value"}),
        ("folder", {"folder": "a\0"}),
        ("folder", {"folder": "//elsewhere.example"}),
        ("folder", {"folder": "/".join("abcdefghi")}),
    ],
)
def test_something_that_is_not_a_view_is_refused(reader, field, values):
    with pytest.raises(Invalid) as refused:
        services.save_view(actor=reader, **{"name": "Mine", "folder": "", "query": "q=a", **values})
    assert list(refused.value.fields) == [field]
    assert not SavedView.objects.exists()
