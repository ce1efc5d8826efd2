"""Watches: a person's choices, which they may set for what they may read."""

import pytest

from registry.accounts.actor import Actor
from registry.core.errors import Conflict, Invalid, NotAllowed, NotFound
from registry.namespaces import keys
from registry.namespaces import services as namespace_services
from registry.notifications import queries as notification_queries
from registry.notifications import watches
from registry.notifications.models import Watch


def test_a_wish_is_kept_changed_and_forgotten(reader):
    watches.set_watch_level(actor=reader, level="all", namespace="support")
    watches.set_watch_level(actor=reader, level="none", namespace="support")
    assert [watch.level for watch in notification_queries.list_own_watches(reader)] == ["none"]
    watches.set_watch_level(actor=reader, level=None, namespace="support")
    assert notification_queries.list_own_watches(reader) == []


def test_a_wish_for_everywhere_is_one_row(reader):
    for level in ("all", "mine"):
        watches.set_watch_level(actor=reader, level=level)
    assert Watch.objects.get().level == "mine"


def test_a_strangers_namespace_can_not_be_watched(outsider, support):
    with pytest.raises(NotFound):
        watches.set_watch_level(actor=outsider, level="all", namespace="support")


@pytest.mark.parametrize(
    ("options", "field"),
    [
        ({"level": "some"}, "level"),
        ({"level": "all", "template": "a/*"}, "namespace"),
        ({"level": "all", "topics": ["weather"]}, "topics"),
    ],
)
def test_invalid_options_are_refused_by_field(reader, options, field):
    with pytest.raises(Invalid) as caught:
        watches.set_watch_level(actor=reader, **options)
    assert field in caught.value.fields


def test_a_key_gets_no_mail(admin, reader):
    issued = keys.issue_key(actor=admin, namespace="support", name="service", scope="read", person="reader")
    with pytest.raises(NotAllowed, match="key"):
        watches.set_watch_level(actor=Actor(reader.person, issued.key), level="all")


def test_wishes_are_bounded(reader, monkeypatch):
    monkeypatch.setattr(watches, "MAX_WATCHES", 1)
    watches.set_watch_level(actor=reader, level="all")
    with pytest.raises(Conflict):
        watches.set_watch_level(actor=reader, level="all", namespace="support")


def test_topics_are_those_of_all_only(reader):
    watches.set_watch_level(actor=reader, level="none", topics=["saved"])
    assert Watch.objects.get().topic_list == []


def test_a_former_member_is_no_watcher(reader, admin, save):
    watches.set_watch_level(actor=reader, level="all", namespace="support")
    version = save()
    assert [person.username for person in notification_queries.list_watchers(version.template)] == ["reader"]
    namespace_services.set_role(actor=admin, namespace="support", username="reader", role=None)
    assert notification_queries.list_watchers(version.template) == []
