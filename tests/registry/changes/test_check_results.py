"""Check results: the findings of each check, when it runs again, and what it blocks."""

import json
from typing import Any

import pytest

from registry.changes import check_results, decisions, gate, rules
from registry.changes import services as change_services
from registry.changes.models import Verdict
from registry.core.errors import Conflict, NotFound
from registry.jobs.models import Job
from registry.journal.models import Event
from registry.tasks import tasks as tasks_tasks
from registry.templates import labels, samples
from registry.templates import save as template_save
from registry.templates.label_models import Label
from registry.templates.models import Template

NARROWED = (
    "---\ninputs:\n  question: {type: string}\n  tone: {type: string}\n---\n- name: q\n"
    "  content: '{{ question }} {{ tone }}'\n"
)
LONG = (
    "---\ntoken_limit: 40\ninputs:\n  question: {type: string}\n---\n- name: q\n"
    "  content: '{{ question }}'\n- name: extra\n  truncation_priority: 1\n"
    "  content: 'word word word word {{ question }}'\n"
)


@pytest.fixture
def strict(admin):
    """Every check is required and the contract is kept."""
    names = ["problems", "samples", "budget", "contract"]
    return rules.set_rules(actor=admin, namespace="support", required_checks=names)


@pytest.fixture
def sampled(author, save, publish):
    """Version 1 is on production, with two samples beside it."""
    version = save("one")
    samples.save_samples(
        actor=author, name="support/reply", samples={"a": {"question": "Why?"}, "b": {"question": "How?"}}
    )
    publish(version)
    return version


def proposed(author, document):
    latest = Template.objects.get(name="support/reply").latest
    saved = template_save.save_version(
        actor=author, name="support/reply", document=document, message="", base=latest.digest
    )
    return change_services.propose_change(
        actor=author, name="support/reply", label="production", version=saved.version.number, message=""
    )


def outcomes(change):
    return {state.name: state.outcome for state in gate.evaluate(change, None).checks}


def test_a_request_asks_for_its_checks(propose, save):
    propose(save("one"))
    job = Job.objects.get()
    assert (job.kind, job.state, json.loads(job.payload)) == ("change.checks", "queued", {"change": 1})


def test_all_pass_where_all_is_well(author, sampled, document):
    change = proposed(author, document("two"))
    steps = []
    check_results.run_checks(number=change.number, report=lambda done, total: steps.append((done, total)))
    assert set(outcomes(change).values()) == {"passed"}
    assert steps == [(0, 4), (1, 4), (2, 4), (3, 4), (4, 4)]


def test_a_verdict_is_given_once_for_the_same_digests(author, sampled, document):
    change = proposed(author, document("two"))
    assert len(check_results.run_checks(number=change.number)) == 4
    assert check_results.run_checks(number=change.number) == []
    assert Event.objects.filter(kind="verdict.given").count() == 4


def test_required_checks_hold_the_label_until_they_are_through(strict, author, propose, approve, save):
    change = propose(save("one"))
    approve(change)
    with pytest.raises(Conflict, match="has not finished"):
        change_services.publish_change(actor=author, number=change.number)
    check_results.run_checks(number=change.number)
    assert change_services.publish_change(actor=author, number=change.number).state == "published"


@pytest.mark.parametrize(
    ("missing", "summary"),
    [(("a",), "1 of 3 samples fails; "), (("a", "b"), "2 of 3 samples fail; "), ((), "")],
)
def test_samples_that_fail_are_counted_in_words_that_fit(author, sampled, document, missing, summary):
    written = {name: {} if name in missing else {"question": "Who?"} for name in ("a", "b", "c")}
    samples.save_samples(actor=author, name="support/reply", samples=written)
    change = proposed(author, document("two"))
    check_results.run_checks(number=change.number)
    state = next(state for state in gate.evaluate(change, None).checks if state.name == "samples")
    assert state.outcome == ("failed" if missing else "passed")
    assert state.summary.startswith(summary)


def test_samples_that_change_ask_again_and_give_another_verdict(author, sampled, document):
    change = proposed(author, document("two"))
    check_results.run_checks(number=change.number)
    Job.objects.all().delete()
    samples.save_samples(actor=author, name="support/reply", samples={"c": {"question": "Who?"}})
    assert Job.objects.count() == 1
    assert outcomes(change) == {"problems": None, "samples": None, "budget": None, "contract": "passed"}


def test_a_new_required_input_breaks_the_contract(author, admin, reviewer, save, publish):
    publish(save("one"))
    rules.set_rules(actor=admin, namespace="support", compatibility="backward")
    change = proposed(author, NARROWED)
    check_results.run_checks(number=change.number)
    state = next(state for state in gate.evaluate(change, None).checks if state.name == "contract")
    assert (state.outcome, state.is_required, state.is_blocking) == ("failed", True, True)
    assert "`tone` is new and required" in state.summary
    assert [blocker.code for blocker in gate.evaluate(change, reviewer).blockers] == ["check:contract", "approvals"]


def test_callers_of_every_label_count(author, save, publish):
    publish(save("one"))
    saved = template_save.save_version(
        actor=author,
        name="support/reply",
        document=NARROWED,
        message="",
        base=Template.objects.get().latest.digest,
    )
    labels.move_label(actor=author, name="support/reply", label="staging", version=saved.version.number, expected=None)
    change = proposed(author, NARROWED.replace("tone", "mood"))
    check_results.run_checks(number=change.number)
    state = next(state for state in gate.evaluate(change, None).checks if state.name == "contract")
    findings: Any = state.findings
    assert {(item["against"], *item["labels"]) for item in findings if item["breaking"]} == {
        (1, "production"),
        (2, "staging"),
    }


def test_the_worker_gives_the_verdicts(propose, save):
    change = propose(save("one"))
    tasks_tasks.run_jobs()
    assert Job.objects.get().state == "done"
    assert set(outcomes(change).values()) == {"passed"}


def test_a_break_can_be_acknowledged_by_a_reviewer(admin, author, reviewer, save, publish, approve):
    publish(save("one"))
    rules.set_rules(actor=admin, namespace="support", compatibility="backward")
    change = proposed(author, NARROWED)
    check_results.run_checks(number=change.number)
    approve(change)
    with pytest.raises(Conflict, match="contract failed"):
        change_services.publish_change(actor=author, number=change.number)
    digest = change.version.digest
    decisions.decide_on_change(
        actor=reviewer, number=change.number, decision="acknowledge", digest=digest, text="All callers moved"
    )
    change_services.publish_change(actor=author, number=change.number)
    assert Label.objects.get().version.number == 2


def test_no_break_is_accepted_before_the_check_has_failed(author, reviewer, save, publish):
    publish(save("one"))
    change = proposed(author, NARROWED)
    accept = {"actor": reviewer, "number": change.number, "decision": "acknowledge", "text": "All callers moved"}
    with pytest.raises(Conflict, match="has not finished"):
        decisions.decide_on_change(**accept, digest=change.version.digest)
    assert not change.decisions.exists()
    check_results.run_checks(number=change.number)
    decisions.decide_on_change(**accept, digest=change.version.digest)
    assert change.decisions.get().decision == "acknowledge"


def test_no_break_is_accepted_where_the_contract_is_kept(author, reviewer, save, publish, propose):
    publish(save("one"))
    change = propose(save("two"))
    check_results.run_checks(number=change.number)
    with pytest.raises(Conflict, match="has not failed"):
        decisions.decide_on_change(
            actor=reviewer, number=change.number, decision="acknowledge", digest=change.version.digest, text="Fine"
        )


def test_a_part_cut_now_that_was_not_cut_before_fails_the_budget(author, sampled):
    samples.save_samples(actor=author, name="support/reply", samples={"a": {"question": "why " * 22}})
    change = proposed(author, LONG)
    check_results.run_checks(number=change.number)
    state = next(state for state in gate.evaluate(change, None).checks if state.name == "budget")
    assert state.outcome == "failed"
    assert state.findings[0]["newly_cut"] == ["extra"]


def test_a_check_that_is_not_required_does_not_hold_anything(admin, author, save, publish, approve):
    publish(save("one"))
    change = proposed(author, NARROWED)
    check_results.run_checks(number=change.number)
    approve(change)
    assert outcomes(change)["contract"] == "failed"
    assert change_services.publish_change(actor=author, number=change.number).state == "published"


def test_the_journal_names_the_verdict_and_not_what_was_rendered(author, sampled, document):
    change = proposed(author, document("two"))
    check_results.run_checks(number=change.number)
    event = Event.objects.filter(kind="verdict.given").first()
    body = json.loads(event.text)["body"]
    assert (event.person, body["check"], body["outcome"]) == ("operator", "problems", "passed")
    assert body["key"] == Verdict.objects.first().key


def test_a_missing_request_has_no_checks(support):
    with pytest.raises(NotFound):
        check_results.run_checks(number=9)
