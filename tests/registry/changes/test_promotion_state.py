"""The state of promotion between two labels: ready, requested, live without approval, drifted, equal or unset."""

from django.db import connection
from django.test.utils import CaptureQueriesContext

from registry.changes import promotion_state
from registry.templates import labels
from registry.templates.models import Template


def templates():
    return list(Template.objects.select_related("namespace", "latest").order_by("name"))


def state(actor, source="latest", target="production"):
    [found] = promotion_state.read_states(actor, templates(), source, target).values()
    return found


def test_what_the_target_has_not_is_ready(author, save, publish):
    publish(save("one"))
    save("two")
    found = state(author)
    assert (found.state, found.source, found.target, found.ahead, found.drifted) == ("ready", 2, 1, 1, False)


def test_a_target_that_is_not_set_takes_anything(author, save):
    save("one")
    assert (state(author).state, state(author).target, state(author).ahead) == ("ready", None, 0)


def test_the_same_and_what_is_contained_are_equal(author, save, publish):
    save("one")
    publish(save("two"))
    assert state(author).state == "equal"
    labels.move_label(actor=author, name="support/reply", label="staging", version=1, expected=None)
    assert state(author, "staging").state == "equal"


def test_a_source_that_is_not_set_has_nothing_to_give(author, save):
    save("one")
    assert state(author, "staging").state == "unset"


def test_a_source_from_elsewhere_has_drifted(author, save, publish):
    first = save("one")
    publish(save("two"))
    save("beside", base=first.digest, parallel=True)
    assert (state(author).state, state(author).drifted) == ("ready", True)


def test_an_open_request_for_the_target_is_told_with_its_gate(author, save, propose):
    change = propose(save("one"))
    found = state(author)
    assert (found.state, found.gate.change.number, found.failing) == ("open", change.number, ())
    assert promotion_state.count_open(author, "production") == 1
    assert [row.name for row in promotion_state.list_open_templates(author, "production").items] == ["support/reply"]
    assert promotion_state.list_open_templates(author, "production", "zebra").items == []
    assert promotion_state.count_open(author, "staging") == 0


def test_a_request_that_nothing_blocks_is_ready(author, outsider, save, propose, approve):
    change = propose(save("one"))
    propose(save("one", name="support/waiting"))
    assert promotion_state.find_ready_templates(author, "production") == []
    approve(change)
    assert promotion_state.find_ready_templates(author, "production") == [change.template_id]
    assert promotion_state.find_ready_templates(author, "staging") == []
    assert promotion_state.find_ready_templates(outsider, "production") == []


def test_finding_many_that_are_ready_costs_as_many_queries_as_one(author, save, propose, approve):
    def cost():
        with CaptureQueriesContext(connection) as queries:
            found = promotion_state.find_ready_templates(author, "production")
        return len(found), len(queries)

    approve(propose(save("one")))
    one, queries = cost()
    for number in range(3):
        approve(propose(save("one", name=f"support/reply-{number}")))
    assert (one, cost()) == (1, (4, queries))


def test_an_outsider_counts_nothing(outsider, save, propose):
    propose(save("one"))
    assert promotion_state.count_open(outsider, "production") == 0


def test_an_open_label_is_not_protected(author, save):
    save("one")
    assert state(author, target="canary").is_protected is False


def test_many_templates_cost_as_many_queries_as_one(author, save, propose):
    for number in range(4):
        propose(save("one", name=f"support/reply-{number}"))
    rows = templates()

    def cost(count):
        with CaptureQueriesContext(connection) as queries:
            assert len(promotion_state.read_states(author, rows[:count], "latest", "production")) == count
        return len(queries)

    assert cost(4) == cost(1)
