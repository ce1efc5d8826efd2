"""The checks on consumers: services that stay on a version, and templates that include a fragment."""

from datetime import UTC, datetime, timedelta

import pytest

from registry.changes import check_results, rules
from registry.changes import gate as change_gate
from registry.changes import services as change_services
from registry.changes.models import ChangeRequest
from registry.jobs.models import Job
from registry.namespaces import keys
from registry.templates import samples
from registry.templates import save as template_save
from registry.templates.models import Template, Version
from registry.usage.models import Fetch

NEEDY = (
    "---\ninputs:\n  question: {type: string}\n  tone: {type: string}\n---\n- name: q\n"
    "  content: '{{ question }} {{ tone }}'\n"
)
POLICY = "---\nformat: text\n---\nGoods come back within 30 days.\n"
LETTER = (
    "---\ninputs:\n  question: {type: string}\n---\n- name: q\n"
    "  content: '{{ fragment(\"support/policy@1\") }} {{ question }}'\n"
)


@pytest.fixture
def fetched(admin):
    """One service got a version by a ref, some days ago."""

    def run(version, ref, name="checkout", days=0):
        key = keys.issue_key(actor=admin, namespace="support", name=name, scope="read").key
        at = datetime.now(UTC) - timedelta(days=days)
        return Fetch.objects.create(key=key, version=version, ref=ref, day=at.date(), count=7, last_at=at)

    return run


@pytest.fixture
def live(save, publish):
    """Version 1 was live and version 2 is; both take no `tone`."""
    publish(save("one"))
    publish(save("two"))
    return Version.objects.get(number=1)


def proposed(author, document, name="support/reply"):
    latest = Template.objects.get(name=name).latest
    saved = template_save.save_version(actor=author, name=name, document=document, message="", base=latest.digest)
    return change_services.propose_change(
        actor=author, name=name, label="production", version=saved.version.number, message=""
    )


def state_of(change, name):
    return next(state for state in change_gate.evaluate(change, None).checks if state.name == name)


def test_the_contract_names_the_services_that_would_break(author, live, fetched):
    fetched(Version.objects.get(number=2), "production")
    fetched(live, "1", name="mailer")
    change = proposed(author, NEEDY)
    check_results.run_checks(number=change.number)
    state = state_of(change, "contract")
    assert state.summary == "2 breaks; callers of production (checkout): `tone` is new and required"
    told = {(item["against"], *item["callers"]) for item in state.findings if item["breaking"]}
    assert told == {(2, "checkout"), (1, "mailer")}


def test_a_version_nobody_serves_but_somebody_fetches_is_kept_to(author, admin, save, publish, fetched, document):
    asking = save("one")
    publish(save("two"))
    rules.set_rules(actor=admin, namespace="support", compatibility="backward")
    Fetch.objects.all().delete()
    fetched(asking, asking.digest)
    change = proposed(author, document("three"))
    check_results.run_checks(number=change.number)
    state = state_of(change, "contract")
    assert (state.outcome, state.summary) == ("passed", "Callers of production, version 1 are served as before.")


def test_old_fetches_and_fetches_by_a_moved_label_do_not_count(author, live, fetched):
    fetched(live, "1", days=31)
    fetched(live, "production", name="mailer")
    change = proposed(author, NEEDY)
    check_results.run_checks(number=change.number)
    assert {item["against"] for item in state_of(change, "contract").findings} == {2}


def test_a_verdict_is_past_once_somebody_else_stays_on_a_version(author, live, fetched, document):
    change = proposed(author, document("three"))
    check_results.run_checks(number=change.number)
    Job.objects.all().delete()
    assert check_results.request_stale_checks() == 0
    fetched(live, "1")
    assert state_of(change, "contract").outcome is None
    assert check_results.request_stale_checks() == 1
    assert check_results.request_stale_checks() == 0, "it waits already"
    check_results.run_checks(number=change.number)
    assert state_of(change, "contract").outcome == "passed"


def test_many_requests_at_the_same_time_are_measured_alike(author, reviewer, live, fetched, document):
    fetched(live, "1")
    change = proposed(author, document("three"))
    check_results.run_checks(number=change.number)
    (gate,) = change_gate.evaluate_many([change], reviewer)
    assert [blocker.code for blocker in gate.blockers] == ["approvals"]


@pytest.fixture
def policy(author, admin):
    """A fragment with a letter that includes it; the letter's sample gives a question only."""
    rules.set_rules(actor=admin, namespace="support", required_checks=["dependants"])
    template_save.save_version(actor=author, name="support/policy", document=POLICY, message="")
    template_save.save_version(actor=author, name="support/letter", document=LETTER, message="")
    samples.save_samples(actor=author, name="support/letter", samples={"one": {"question": "Why?"}})


def test_templates_that_include_a_fragment_are_tried_with_it(author, policy):
    change = proposed(author, POLICY.replace("30", "60"), "support/policy")
    check_results.run_checks(number=change.number)
    state = state_of(change, "dependants")
    assert state.summary == "The template that includes it stays sound with it."
    assert state.findings[0]["template"] == "support/letter"


def test_a_fragment_that_its_includers_cannot_take_blocks(author, reviewer, policy):
    change = proposed(author, POLICY.replace("30", "{{ days }}"), "support/policy")
    check_results.run_checks(number=change.number)
    state = state_of(change, "dependants")
    assert state.is_blocking
    assert state.summary.startswith("1 of 1 template would not be sound with it; support/letter: ")


def test_where_nothing_includes_it_there_is_nothing_to_check(author, admin, live, document):
    change = proposed(author, document("three"))
    assert "dependants" not in [state.name for state in change_gate.evaluate(change, None).checks]
    rules.set_rules(actor=admin, namespace="support", required_checks=["dependants"])
    change = ChangeRequest.objects.get(number=change.number)
    assert state_of(change, "dependants").summary == "No template of its namespace includes it."


def test_the_budget_names_the_worst_case(author, live, document):
    samples.save_samples(
        actor=author, name="support/reply", samples={"short": {"question": "?"}, "long": {"question": "Why? " * 9}}
    )
    change = proposed(author, document("three"))
    check_results.run_checks(number=change.number)
    assert state_of(change, "budget").summary.startswith("Every sample fits; worst case long: ")
