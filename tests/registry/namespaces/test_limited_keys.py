"""Keys with chosen verbs, and keys limited to labels."""

import json

import pytest

from registry.accounts.actor import Actor
from registry.changes import services as change_services
from registry.core.errors import Invalid, NotAllowed
from registry.journal.models import Event
from registry.namespaces import keys
from registry.namespaces.permissions import is_allowed
from registry.namespaces.verbs import Verb
from registry.templates import document_check, labels, preview, search_queries, version_queries
from registry.templates import queries as template_queries


def key_of(admin, author, **facts):
    issued = keys.issue_key(**{"actor": admin, "namespace": "support", "name": "ci", "person": "author"} | facts)
    return Actor(author.person, issued.key)


@pytest.fixture
def staged(save, author):
    """Version 1 on staging, version 2 on none."""
    save("one"), save("two")
    labels.move_label(actor=author, name="support/reply", label="staging", version=1, expected=None)


def test_a_key_may_exactly_the_verbs_it_was_given(admin, author, support):
    actor = key_of(admin, author, verbs=["publish", "fetch"])
    assert {verb for verb in Verb if is_allowed(actor, verb, support)} == {Verb.FETCH, Verb.PUBLISH}
    body = json.loads(Event.objects.latest("number").text)["body"]
    assert (body["scope"], body["verbs"], body["labels"]) == ("chosen", ["fetch", "publish"], [])


def test_a_refusal_names_the_verb_and_who_gives_it(admin, author, support, save):
    actor = key_of(admin, author, verbs=["fetch", "move"])
    sentence = r"The key ci may fetch, move; to save takes one with the verb save. Ask an admin .*: admin"
    with pytest.raises(NotAllowed, match=sentence):
        save("one", actor=actor)


def test_a_key_of_a_named_set_says_which_set_is_missing(admin, author, save):
    with pytest.raises(NotAllowed, match="has the scope read; to save takes one with the scope write"):
        save("one", actor=key_of(admin, author, scope="read"))


@pytest.mark.parametrize(
    ("facts", "field"),
    [
        ({"verbs": ["approve"]}, "verbs"),
        ({"verbs": ["manage"]}, "verbs"),
        ({"verbs": ["fly"]}, "verbs"),
        ({"scope": "chosen"}, "verbs"),
        ({"scope": "read", "verbs": ["save"]}, "verbs"),
        ({"scope": "read", "labels": ["latest"]}, "labels"),
        ({"scope": "read", "labels": ["Not A Label"]}, "labels"),
        ({"scope": "read", "labels": [f"l{n}" for n in range(21)]}, "labels"),
        ({"verbs": ["roll_back"]}, "verbs"),  # the author may not
    ],
)
def test_an_invalid_limit_is_refused_at_its_field(admin, author, facts, field):
    with pytest.raises(Invalid) as caught:
        key_of(admin, author, **facts)
    assert list(caught.value.fields) == [field]


def test_without_read_nothing_is_listed_or_read(admin, author, staged):
    actor = key_of(admin, author, verbs=["fetch"])
    for ask in (
        lambda: search_queries.search_templates(actor),
        lambda: template_queries.get_template(actor, "support/reply"),
        lambda: version_queries.resolve_version(actor, "support/reply", "1"),
    ):
        with pytest.raises(NotAllowed, match="verb read"):
            ask()


def test_without_check_no_document_is_checked_or_rendered(admin, author, document):
    actor = key_of(admin, author, verbs=["fetch"])
    with pytest.raises(NotAllowed, match="verb check"):
        document_check.list_problems(actor=actor, document=document())
    with pytest.raises(NotAllowed, match="verb check"):
        preview.render_prompt(actor=actor, data={}, document=document())


def test_a_key_limited_to_a_label_reads_what_it_serves_by_any_ref(admin, author, staged):
    actor = key_of(admin, author, scope="read", labels=["staging"], approved_only=False)
    digest = version_queries.resolve_version(actor, "support/reply", "staging").digest
    assert [version_queries.resolve_version(actor, "support/reply", ref).number for ref in ("1", digest)] == [1, 1]
    for ref in ("2", "latest"):
        with pytest.raises(NotAllowed, match="not what staging serves now, and the key ci is limited"):
            version_queries.resolve_version(actor, "support/reply", ref)


def test_the_limit_follows_the_label(admin, author, staged):
    actor = key_of(admin, author, scope="read", labels=["staging"], approved_only=False)
    labels.move_label(actor=author, name="support/reply", label="staging", version=2, expected=1)
    assert version_queries.resolve_version(actor, "support/reply", "2").number == 2
    with pytest.raises(NotAllowed):
        version_queries.resolve_version(actor, "support/reply", "1")


def test_it_moves_its_own_label_and_no_other(admin, author, staged):
    actor = key_of(admin, author, scope="write", labels=["staging"])
    assert (
        labels.move_label(actor=actor, name="support/reply", label="staging", version=2, expected=1).version.number == 2
    )
    with pytest.raises(NotAllowed, match="limited to staging, so canary takes another one"):
        labels.move_label(actor=actor, name="support/reply", label="canary", version=2, expected=None)
    with pytest.raises(NotAllowed, match="limited to staging"):
        labels.remove_label(actor=actor, name="support/reply", label="canary", expected=1)


def test_it_proposes_and_publishes_for_its_own_label_only(admin, author, staged):
    actor = key_of(admin, author, scope="write", labels=["staging"])
    with pytest.raises(NotAllowed, match="limited to staging"):
        change_services.propose_change(actor=actor, name="support/reply", label="production", version=2, message="")
    change = change_services.propose_change(
        actor=author, name="support/reply", label="production", version=2, message=""
    )
    with pytest.raises(NotAllowed, match="limited to staging"):
        change_services.publish_change(actor=actor, number=change.number)


def test_a_key_that_only_reads_is_limited_to_approved_versions_whatever_its_verbs_are(admin, author, staged):
    with pytest.raises(NotAllowed, match="limited to approved versions"):
        version_queries.resolve_version(key_of(admin, author, verbs=["read", "fetch"]), "support/reply", "1")
    assert (
        version_queries.resolve_version(key_of(admin, author, verbs=["read", "save"]), "support/reply", "1").number == 1
    )
