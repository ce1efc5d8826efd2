"""The state of promotion between two labels: ready, requested, live without approval, drifted, equal or unset."""

from datetime import UTC, datetime

from django.db import connection
from django.test.utils import CaptureQueriesContext

from registry.changes import promotion_state, rules
from registry.changes.models import Verdict
from registry.templates import labels
from registry.templates.models import Template


def templates():
    return list(Template.objects.select_related("namespace", "latest").order_by("name"))


def state(actor, source="latest", target="production"):
    [row] = promotion_state.read_states(actor, templates(), source, target).values()
    return row


def test_a_version_that_the_target_lacks_is_ready(author, save, publish):
    publish(save("one"))
    save("two")
    row = state(author)
    assert (row.state, row.source, row.target, row.ahead, row.drifted) == ("ready", 2, 1, 1, False)


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


def test_an_open_request_for_the_target_is_reported_with_its_gate(author, save, propose):
    change = propose(save("one"))
    row = state(author)
    assert (row.state, row.gate.change.number, row.blocking) == ("open", change.number, ())
    assert promotion_state.count_states(author, "latest", "production").opened_templates == {change.template_id}
    assert promotion_state.count_states(author, "latest", "staging").opened_templates == set()


def give_verdict(version, check, outcome):
    Verdict.objects.create(
        template=version.template,
        version=version,
        check_name=check,
        key=f"sha256:{version.pk}{check}{Verdict.objects.count()}",
        outcome=outcome,
        summary=f"{check} {outcome}",
        created_at=datetime.now(UTC),
    )


def outcomes(found):
    return [(check.name, check.outcome, check.is_required) for check in found.checks]


def test_a_version_that_was_never_checked_has_no_checks(author, save):
    save("one")
    assert (state(author).checks, state(author).blocking) == ((), ())


def test_the_newest_verdict_on_what_the_source_serves_counts(author, admin, save):
    rules.set_rules(actor=admin, namespace="support", required_checks=["budget"])
    first, second = save("one"), save("two")
    give_verdict(first, "budget", "failed")
    assert outcomes(state(author)) == []
    give_verdict(second, "contract", "failed")
    give_verdict(second, "budget", "failed")
    assert outcomes(state(author)) == [("budget", "failed", True), ("contract", "failed", False)]
    assert [check.name for check in state(author).blocking] == ["budget"]
    give_verdict(second, "budget", "passed")
    assert outcomes(state(author)) == [("budget", "passed", True), ("contract", "failed", False)]
    assert state(author).blocking == ()


def test_the_checks_of_a_request_count_where_it_proposes_what_the_source_serves(author, save, propose):
    version = save("one")
    give_verdict(version, "budget", "failed")
    gate = propose(version)
    assert state(author).proposes_source
    assert gate.number == state(author).gate.change.number
    assert [check.outcome for check in state(author).checks] == [None] * len(state(author).gate.checks)
    give_verdict(save("two"), "budget", "passed")
    assert not state(author).proposes_source
    assert [(check.name, check.outcome) for check in state(author).checks] == [("budget", "passed")]


def test_an_outsider_counts_nothing(outsider, save, propose):
    propose(save("one"))
    assert promotion_state.count_states(outsider, "latest", "production").opened_templates == set()


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


def test_the_counts_are_those_of_the_states(author, outsider, save, publish, propose, monkeypatch):
    save("one", name="support/new")
    propose(save("one", name="support/asked"))
    publish(save("one", name="support/same"))
    publish(save("one", name="support/ahead"))
    save("two", name="support/ahead")
    first = save("one", name="support/beside")
    publish(save("two", name="support/beside"))
    save("three", name="support/beside", base=first.digest, parallel=True)
    for name in ("support/ahead", "support/beside"):
        labels.move_label(actor=author, name=name, label="staging", version=1, expected=None)
    for source in ("latest", "staging"):
        states = promotion_state.read_states(author, templates(), source, "production").values()
        counts = promotion_state.count_states(author, source, "production")
        ready = {
            pk
            for pk, one in promotion_state.read_states(author, templates(), source, "production").items()
            if one.state == "ready"
        }
        assert set(counts.ready_templates) == ready
        assert counts.ready.number == sum(one.state == "ready" for one in states)
        assert (counts.ready.is_exact, counts.emergencies) == (True, 0)
        assert promotion_state.count_states(outsider, source, "production").ready.number == 0
    assert promotion_state.count_states(author, "latest", "production").ready.number == 3
    monkeypatch.setattr(promotion_state, "MAX_EXAMINED", 2)
    assert not promotion_state.count_states(author, "latest", "production").ready.is_exact


def test_a_source_older_than_its_target_is_counted_where_the_target_does_not_contain_it(author, save, publish):
    first = save("one")
    save("two")
    publish(save("three", base=first.digest, parallel=True))
    labels.move_label(actor=author, name="support/reply", label="staging", version=2, expected=None)
    assert state(author, "staging").drifted
    assert promotion_state.count_states(author, "staging", "production").ready.number == 1
    labels.move_label(actor=author, name="support/reply", label="staging", version=1, expected=2)
    assert promotion_state.count_states(author, "staging", "production").ready.number == 0
