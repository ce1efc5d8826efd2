"""A live version that fails a nightly run: reported once, listed while it is live, reported when it passes."""

import json
from datetime import UTC, datetime, timedelta

import pytest

from registry.changes import emergencies, rules
from registry.evaluations import attachments, datasets, live_failures, nightly_runs, run_worker, start_runs
from registry.evaluations.live_models import LiveFailure
from registry.evaluations.models import Run
from registry.journal.models import Event
from registry.notifications.models import Notification
from registry.templates import labels
from registry.webhooks import planning
from registry.webhooks import services as webhook_services
from registry.webhooks.models import Delivery

NAME, DATASET = "support/reply", "support/questions"
EVENING = datetime(2026, 3, 4, 23, tzinfo=UTC)
ROWS = "".join(
    json.dumps({"id": f"r{n}", "inputs": {"question": f"word{n}"}, "expected": f"Answer: word{n}"}) + "\n"
    for n in range(4)
)
KINDS = ("evaluation.failing", "evaluation.recovered")


@pytest.fixture
def attach(author, admin):
    datasets.save_dataset(actor=author, name=DATASET, text=ROWS)

    def run(**changes):
        fields = {
            "name": "answers",
            "pattern": "*",
            "dataset": DATASET,
            "model": "echo",
            "gates": ["squad_f1 >= 0.9"],
            "nightly": True,
        }
        return attachments.attach_evaluation(actor=admin, namespace="support", **{**fields, **changes})

    return run


@pytest.fixture
def failing(save, publish, attach):
    """A live version that is wrong on all rows, after one night."""
    version = save("words that nobody expects")
    publish(version)
    attach()
    measure(0)
    return version


def measure(night):
    """The run of a night, done; the worker's part too."""
    nightly_runs.start_nightly_runs(EVENING + timedelta(days=night))
    for number in Run.objects.exclude(night=None).exclude(state=Run.DONE).values_list("pk", flat=True):
        while run_worker.advance_run(number, seconds=5):
            pass


def told():
    return list(Event.objects.filter(kind__in=KINDS).order_by("number").values_list("kind", "version"))


def people_told(kind):
    rows = Notification.objects.filter(kind=kind).order_by("person__username")
    return list(rows.values_list("person__username", flat=True))


def test_a_failure_is_reported_once_and_listed(failing, reader):
    measure(1)
    assert told() == [("evaluation.failing", failing.number)]
    (failure,) = live_failures.list_live_failures(reader)
    assert (failure.template.name, failure.version_id, failure.label) == (NAME, failing.pk, "production")
    assert failure.findings[0].startswith("squad_f1 >= 0.9: 0.")


def test_author_reviewers_and_admins_hear_of_it_and_of_the_end(failing, save, publish):
    assert people_told("evaluation.failing") == ["admin", "author", "reviewer"]
    sentence = Notification.objects.filter(kind="evaluation.failing").first().sentence
    assert sentence.startswith(
        f"Failing in production: {NAME} v1 on production, answers: Words in common, at least 0.9: 0."
    )
    publish(save(base=failing.digest))
    measure(1)
    assert people_told("evaluation.recovered") == ["admin", "author", "reviewer"]


def test_it_ends_with_the_night_in_which_what_is_live_passes(failing, save, publish, reader):
    publish(save(base=failing.digest))
    assert live_failures.list_live_failures(reader) == []
    measure(1)
    measure(2)
    assert told() == [("evaluation.failing", 1), ("evaluation.recovered", 2)]
    assert not LiveFailure.objects.exists()


def test_another_version_that_fails_is_another_failure(failing, save, publish):
    publish(save("other words", base=failing.digest))
    measure(1)
    assert told() == [("evaluation.failing", 1), ("evaluation.failing", 2)]


def test_a_failing_version_is_listed_again_after_a_rollback_to_it(failing, save, publish, reviewer, reader):
    publish(save(base=failing.digest))
    labels.roll_back_label(actor=reviewer, name=NAME, label="production", version=1, reason="It went wrong")
    assert len(live_failures.list_live_failures(reader)) == 1


def test_a_version_that_passes_from_the_first_night_is_not_reported(save, publish, attach):
    publish(save())
    attach()
    measure(0)
    assert told() == []


def test_a_fall_is_measured_from_the_run_by_day(save, publish, attach, author):
    publish(save("words that nobody expects"))
    attach(gates=["squad_f1 - 0.02"])
    measure(0)
    assert told() == []
    run = start_runs.start_run(actor=author, template=NAME, ref="1", dataset=DATASET)
    while run_worker.advance_run(run.pk, seconds=5):
        pass
    Run.objects.filter(pk=run.pk).update(scores_text=json.dumps({"squad_f1": {"answer": {"score": 0.95}}}))
    measure(1)
    assert told() == [("evaluation.failing", 1)]
    assert LiveFailure.objects.get().findings[-1].endswith("after 0.95")


def test_an_evaluation_that_is_changed_or_taken_away_forgets_its_failures(failing, attach, admin):
    attach(gates=["squad_f1 >= 0.01"])
    assert not LiveFailure.objects.exists()
    attach()
    measure(1)
    assert LiveFailure.objects.exists()
    attachments.detach_evaluation(actor=admin, namespace="support", name="answers")
    assert not LiveFailure.objects.exists()


def test_a_run_of_a_version_that_is_no_longer_live_is_ignored(save, publish, attach):
    first = save("words that nobody expects")
    publish(first)
    attach()
    nightly_runs.start_nightly_runs(EVENING)
    publish(save(base=first.digest))
    run_worker.advance_run(Run.objects.exclude(night=None).get().pk, seconds=5)
    assert told() == []


def test_a_model_that_answers_nothing_says_nothing_of_the_template(save, publish, attach, settings, tmp_path):
    publish(save())
    settings.MODELS_PATH = tmp_path / "models.yml"
    settings.MODELS_PATH.write_text("s: {base_url: 'http://127.0.0.1:9/v1', attempts: 1}\n")
    attach(model="s")
    measure(0)
    assert Run.objects.exclude(night=None).get().failed == 4
    assert told() == []


def test_an_outsider_is_shown_nothing(failing, outsider):
    assert live_failures.list_live_failures(outsider) == []


def test_webhooks_are_sent_both_kinds(admin, save, publish, attach, settings):
    settings.OUTBOUND_HOSTS = ["127.0.0.1"]
    webhook_services.create_webhook(actor=admin, namespace="support", url="http://127.0.0.1:9/hook", kinds=list(KINDS))
    first = save("words that nobody expects")
    publish(first)
    attach()
    measure(0)
    publish(save(base=first.digest))
    measure(1)
    planning.plan_deliveries()
    assert list(Delivery.objects.order_by("event").values_list("kind", flat=True)) == list(KINDS)


def test_a_failure_leads_back_to_what_the_label_held_by_approval_before(save, publish, attach, reader):
    good = save("Answer: {{ question }}")
    publish(good)
    publish(save("words that nobody expects", base=good.digest))
    attach()
    measure(0)
    (failure,) = live_failures.list_live_failures(reader)
    assert live_failures.find_earlier_versions([failure]) == {failure.pk: good.number}


def test_a_first_version_has_nothing_to_go_back_to(failing, reader):
    assert live_failures.find_earlier_versions(live_failures.list_live_failures(reader)) == {}


def roll_back(actor, version):
    labels.roll_back_label(actor=actor, name=NAME, label="production", version=version.number, reason="It went wrong")


def test_a_version_that_was_rolled_back_is_no_earlier_version(save, publish, attach, reviewer, reader):
    first, second, third = versions = [save(text) for text in ("one", "words that nobody expects", "three")]
    for version in versions:
        publish(version)
    roll_back(reviewer, second)
    attach()
    measure(0)
    (failure,) = live_failures.list_live_failures(reader)
    assert failure.version_id == second.pk
    assert live_failures.find_earlier_versions([failure]) == {failure.pk: first.number}
    roll_back(reviewer, first)
    LiveFailure.objects.filter(pk=failure.pk).update(version=first)
    failure.refresh_from_db()
    assert live_failures.find_earlier_versions([failure]) == {}
    roll_back(reviewer, third)
    LiveFailure.objects.filter(pk=failure.pk).update(version=third)
    failure.refresh_from_db()
    assert live_failures.find_earlier_versions([failure]) == {failure.pk: first.number}


def test_each_evaluation_that_fails_leads_back(save, publish, attach, reader):
    good = save("Answer: {{ question }}")
    publish(good)
    publish(save("words that nobody expects", base=good.digest))
    attach()
    attach(name="again")
    measure(0)
    failures = live_failures.list_live_failures(reader)
    assert {failure.evaluation for failure in failures} == {"answers", "again"}
    assert live_failures.find_earlier_versions(failures) == {failure.pk: good.number for failure in failures}


def test_an_emergency_leads_back_to_the_last_approved(save, publish, attach, propose, reviewer, admin, reader):
    good = save("Answer: {{ question }}")
    publish(good)
    broken = save("words that nobody expects", base=good.digest)
    change = propose(broken)
    rules.set_rules(actor=admin, namespace="support", break_glass=True)
    emergencies.publish_in_emergency(actor=reviewer, number=change.number, reason="It hurts")
    attach()
    measure(0)
    (failure,) = live_failures.list_live_failures(reader)
    assert failure.version_id == broken.pk
    assert live_failures.find_earlier_versions([failure]) == {failure.pk: good.number}
