"""Roll backs of a label from a version: who, when, why, and when they no longer matter."""

from registry.changes import promotion_state
from registry.templates import labels
from registry.templates.label_roll_backs import read_roll_backs
from registry.templates.models import Template

NAME = "support/reply"


def roll_back(actor, version, reason="Wrong answers"):
    labels.roll_back_label(actor=actor, name=NAME, label="production", version=version, reason=reason)


def read(version):
    return read_roll_backs("production", {version.template_id: version.pk}).get(version.template_id)


def state(actor):
    rows = list(Template.objects.select_related("namespace", "latest"))
    [found] = promotion_state.read_states(actor, rows, "latest", "production").values()
    return found


def test_the_version_that_was_left_says_who_when_and_why(author, reviewer, save, publish):
    first = save("one")
    publish(first)
    second = save("two")
    publish(second)
    assert read(second) is None
    roll_back(reviewer, 1)
    past = read(second)
    assert (past.person, past.reason, past.to) == ("reviewer", "Wrong answers", 1)
    assert read(first) is None
    found = state(author)
    assert (found.state, found.source, found.rolled_back) == ("ready", 2, past)


def test_a_newer_version_was_not_rolled_back(author, reviewer, save, publish):
    publish(save("one"))
    publish(save("two"))
    roll_back(reviewer, 1)
    assert read(save("three")) is None
    assert state(author).rolled_back is None


def test_the_label_that_comes_to_it_again_ends_it(reviewer, save, publish):
    publish(save("one"))
    second = save("two")
    publish(second)
    roll_back(reviewer, 1)
    roll_back(reviewer, 2, "It was right")
    assert read(second) is None
    roll_back(reviewer, 1, "It was not")
    assert read(second).reason == "It was not"


def test_another_label_and_another_way_of_leaving_are_ignored(author, save):
    first, second = save("one"), save("two")
    for version, expected in ((2, None), (1, 2)):
        labels.move_label(actor=author, name=NAME, label="staging", version=version, expected=expected)
    for version in (first, second):
        assert read_roll_backs("staging", {version.template_id: version.pk}) == {}
    assert read(second) is None


def test_many_templates_cost_one_query_and_none_costs_nothing(save, django_assert_num_queries):
    version = save("one")
    with django_assert_num_queries(0):
        assert read_roll_backs("production", {}) == {}
    with django_assert_num_queries(1):
        read_roll_backs("production", {version.template_id: version.pk, version.template_id + 1: version.pk + 1})
