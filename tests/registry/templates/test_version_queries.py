"""Queries of versions: resolving a ref, and the history of a template."""

import pytest

from registry.accounts.actor import Actor
from registry.changes import decisions
from registry.changes import services as change_services
from registry.core.errors import Invalid, NotAllowed, NotFound
from registry.journal.models import Commit, Event
from registry.namespaces import keys
from registry.templates import labels, version_queries


@pytest.fixture
def three(save):
    return [save("one"), save("two"), save("one")]


def test_a_number_a_digest_and_latest_name_versions(reader, three):
    assert version_queries.resolve_version(reader, "support/reply", "2") == three[1]
    assert version_queries.resolve_version(reader, "support/reply", three[1].digest) == three[1]
    assert version_queries.resolve_version(reader, "support/reply", "latest") == three[2]


def test_a_digest_that_several_carry_means_the_lowest(reader, three):
    assert version_queries.resolve_version(reader, "support/reply", three[2].digest) == three[0]


def test_a_label_names_where_it_stands(author, reader, three):
    labels.move_label(actor=author, name="support/reply", label="staging", version=2, expected=None)
    assert version_queries.resolve_version(reader, "support/reply", "staging") == three[1]


@pytest.mark.parametrize(
    ("ref", "sentence"),
    [
        ("9", "has no version 9; its latest is 3"),
        ("canary", "has no label canary; it has latest"),
        ("sha256:" + "0" * 64, "no version"),
    ],
)
def test_an_unknown_ref_is_named(reader, three, ref, sentence):
    with pytest.raises(NotFound, match=sentence):
        version_queries.resolve_version(reader, "support/reply", ref)


def test_something_that_is_not_a_ref_is_refused(reader, three):
    with pytest.raises(Invalid):
        version_queries.resolve_version(reader, "support/reply", "No Ref")


def test_an_outsider_gets_the_same_error_for_existing_and_unknown_templates(outsider, three):
    sentences = []
    for name in ("support/reply", "support/nothing"):
        with pytest.raises(NotFound) as caught:
            version_queries.resolve_version(outsider, name, "1")
        sentences.append(caught.value.message.replace(name, "it"))
    assert sentences[0] == sentences[1]


def test_history_is_newest_first_with_labels_and_commits(author, reader, three):
    labels.move_label(actor=author, name="support/reply", label="staging", version=2, expected=None)
    event = Event.objects.get(kind="version.saved", version=1)
    Commit.objects.create(event=event, sha="abc")
    page = version_queries.list_versions(reader, "support/reply")
    assert [(entry.version.number, entry.commit, entry.labels) for entry in page.items] == [
        (3, None, ()),
        (2, None, ("staging",)),
        (1, "abc", ()),
    ]


def test_history_comes_in_pages(reader, three):
    first = version_queries.list_versions(reader, "support/reply", limit=2)
    second = version_queries.list_versions(reader, "support/reply", limit=2, cursor=first.next)
    assert [entry.version.number for entry in first.items + second.items] == [3, 2, 1]


@pytest.fixture
def service(admin, author):
    """A read key of the namespace, which protects production: limited to approved digests by default."""
    key = keys.issue_key(actor=admin, namespace="support", name="svc", scope="read", person="author").key
    return Actor(author.person, key)


@pytest.fixture
def published(author, reviewer, save):
    """Version 1 is on production, 2 is approved but not published, 3 is new."""
    versions = [save(mark) for mark in ("one", "two", "three")]
    for version in versions[:2]:
        change = change_services.propose_change(
            actor=author, name="support/reply", label="production", version=version.number, message=""
        )
        decisions.decide_on_change(actor=reviewer, number=change.number, decision="approve", digest=version.digest)
        if version.number == 1:
            change_services.publish_change(actor=author, number=change.number)
    return versions


@pytest.mark.parametrize("ref", ["production", "1", "2"])
def test_a_limited_key_gets_what_is_approved(service, published, ref):
    assert version_queries.resolve_version(service, "support/reply", ref)


def test_a_limited_key_is_refused_unapproved_versions(service, published):
    for ref in ("3", "latest", published[2].digest):
        with pytest.raises(NotAllowed, match="support/reply@3 is not approved, and the key svc is limited"):
            version_queries.resolve_version(service, "support/reply", ref)


def test_an_earlier_live_version_can_be_fetched(author, reviewer, service, published, save):
    change_services.publish_change(actor=author, number=2)
    labels.roll_back_label(actor=reviewer, name="support/reply", label="production", version=1, reason="Wrong")
    assert version_queries.resolve_version(service, "support/reply", "2").number == 2


def test_a_free_label_does_not_widen_a_limited_key(author, service, published):
    labels.move_label(actor=author, name="support/reply", label="staging", version=3, expected=None)
    with pytest.raises(NotAllowed):
        version_queries.resolve_version(service, "support/reply", "staging")


@pytest.mark.parametrize(
    "facts", [{"scope": "write"}, {"scope": "read", "approved_only": False}], ids=["write keys", "as set"]
)
def test_keys_that_are_not_limited_get_all(admin, author, published, facts):
    key = keys.issue_key(actor=admin, namespace="support", name="x", person="author", **facts).key
    assert version_queries.resolve_version(Actor(author.person, key), "support/reply", "3").number == 3


def test_people_are_never_limited(reader, published):
    assert version_queries.resolve_version(reader, "support/reply", "3").number == 3
