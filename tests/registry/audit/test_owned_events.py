"""Other people's actions on what a person owns."""

import pytest

from registry.audit.owned_events import list_owned_events
from registry.changes import rules
from registry.templates.ownership import list_owned_names

pytestmark = pytest.mark.dialect


def kinds(actor, **options):
    return [event.kind for event in list_owned_events(actor, **options)]


def test_the_creator_of_a_template_sees_events_of_others_newest_first(author, reviewer, save):
    save("one"), save("two", actor=reviewer), save("three", actor=reviewer), save("four")
    assert [(event.kind, event.person, event.version) for event in list_owned_events(author)] == [
        ("version.saved", "reviewer", 3),
        ("version.saved", "reviewer", 2),
    ]


def test_people_without_templates_or_rights_get_no_events(reader, outsider, save):
    save("one")
    assert kinds(reader) == kinds(outsider) == []


def test_an_owner_by_rule_reads_the_author_s_acts_and_new_rules(author, reviewer, admin, save):
    rules.set_rules(actor=admin, namespace="support", owners=[{"pattern": "*", "people": ["reviewer"]}])
    save("one"), save("two")
    assert kinds(reviewer) == ["version.saved", "version.saved", "namespace.ruled"]
    assert kinds(reviewer, limit=1) == ["version.saved"]
    assert kinds(author) == [], "the rule names another owner"


def test_the_cost_does_not_grow_with_the_events(reviewer, admin, save, django_assert_max_num_queries):
    rules.set_rules(actor=admin, namespace="support", owners=[{"pattern": "*", "people": ["reviewer"]}])
    for text in "abcdef":
        save(text)
    with django_assert_max_num_queries(5):
        assert len(list_owned_events(reviewer)) == 6


def test_names_are_owned_by_the_rule_or_by_who_made_them(author, reviewer, admin, save):
    save("one")
    assert list_owned_names(author.person, ["support/reply", "support/none"]) == {"support/reply"}
    rules.set_rules(actor=admin, namespace="support", owners=[{"pattern": "*", "people": ["reviewer"]}])
    assert list_owned_names(author.person, ["support/reply"]) == set()
    assert list_owned_names(reviewer.person, ["support/reply"]) == {"support/reply"}
