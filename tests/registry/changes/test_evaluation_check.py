"""The check `evaluation` of change requests: required runs, thresholds relative to the label, and blockers."""

import json

import pytest

from registry.changes import check_results, decisions, gate, rules
from registry.changes import queries as change_queries
from registry.changes import services as change_services
from registry.core.errors import Invalid, NotAllowed, NotFound
from registry.evaluations import attachment_queries as queries
from registry.evaluations import attachments, datasets, run_worker, start_runs
from registry.evaluations.models import Attachment, Run
from registry.jobs.models import Job
from registry.journal.models import Event
from registry.templates import save as template_save

NAME = "support/reply"
DATASET = "support/questions"
ROWS = "".join(
    json.dumps({"id": f"r{n}", "inputs": {"question": f"word{n}"}, "expected": f"Answer: word{n}"}) + "\n"
    for n in range(8)
)


@pytest.fixture
def questions(author):
    return datasets.save_dataset(actor=author, name=DATASET, text=ROWS).version


@pytest.fixture
def attach(admin, questions):
    def attach(*gates, name="answers", **options):
        values = {"pattern": "reply", "dataset": DATASET, "model": "echo", **options}
        return attachments.attach_evaluation(actor=admin, namespace="support", name=name, gates=gates, **values)

    return attach


@pytest.fixture
def required(admin, support):
    rules.set_rules(actor=admin, namespace="support", required_checks=["evaluation"])


@pytest.fixture
def publish(author, reviewer, save):
    """Version 1, published before anything was attached."""
    version = save()
    change = change_services.propose_change(
        actor=author, name=NAME, label="production", version=version.number, message=""
    )
    decisions.decide_on_change(actor=reviewer, number=change.number, decision="approve", digest=version.digest)
    return change_services.publish_change(actor=author, number=change.number)


@pytest.fixture
def propose(author, save):
    def propose(mark=""):
        return change_services.propose_change(
            actor=author, name=NAME, label="production", version=save(mark).number, message=""
        )

    return propose


def work(change):
    """Run the worker's steps until nothing is left to do."""
    for _ in range(10):
        check_results.run_checks(number=change.number)
        waiting = Run.objects.filter(state__in=("queued", "running"))
        if not waiting:
            break
        for run in waiting:
            while run_worker.advance_run(run.pk):
                pass
    return state_of(change)


def state_of(change):
    checks = [state for state in gate.evaluate(change, None).checks if state.name == "evaluation"]
    return checks[0] if checks else None


def test_without_an_attachment_there_is_no_such_check(propose):
    assert work(propose()) is None


def test_where_it_must_be_passed_nothing_attached_passes_and_says_so(propose, required):
    state = work(propose())
    assert (state.outcome, state.summary, state.is_blocking) == (
        "passed",
        "No evaluation is attached to this template.",
        False,
    )


def test_a_floor_that_is_reached_passes(attach, propose):
    attach("squad_f1 >= 0.9")
    state = work(propose())
    assert (state.outcome, state.summary) == ("passed", "answers: 1, at least 0.9 is asked for.")


def test_a_floor_that_is_missed_fails_with_the_evidence(attach, propose, required):
    attach("squad_f1 >= 0.9")
    state = work(propose("in another way"))
    finding = state.findings[0]
    assert (state.outcome, state.is_blocking, finding["evaluation"]) == ("failed", True, "answers")
    assert (finding["dataset"], finding["model"]) == (f"{DATASET}@1", "echo")
    assert Run.objects.get(pk=finding["run"]).change_id is not None


def test_a_threshold_compares_with_what_the_label_serves(attach, publish, propose):
    attach("squad_f1 - 0.02")
    state = work(propose("in another way"))
    finding = state.findings[0]
    assert (state.outcome, finding["baseline"], finding["comparison"]["worse"]) == ("failed", 1.0, 8)
    assert Run.objects.get(pk=finding["baseline_run"]).version.number == 1


def test_the_run_of_what_is_served_is_used_again(attach, publish, propose, author):
    attach("squad_f1 - 0.02")
    first = propose("one way")
    work(first)
    change_services.withdraw_change(actor=author, number=first.number, reason="Not needed")
    work(propose("another way"))
    assert [run.version.number for run in Run.objects.order_by("pk")] == [2, 1, 3]


def test_nothing_is_run_for_a_request_that_is_closed(attach, publish):
    attach("squad_f1 >= 0.9")
    assert work(publish) is None
    assert not Run.objects.exists()


def test_a_run_that_somebody_started_counts_too(attach, propose, author):
    attach("squad_f1 >= 0.9")
    change = propose()
    run = start_runs.start_run(actor=author, template=NAME, dataset=DATASET, model="echo")
    run_worker.advance_run(run.pk)
    assert work(change).findings[0]["run"] == run.pk
    assert Run.objects.count() == 1


def test_where_nothing_is_served_there_is_nothing_to_fall_behind(attach, propose):
    attach("squad_f1 - 0.02", "squad_f1 >= 0.5")
    state = work(propose())
    assert [finding["passed"] for finding in state.findings] == [True, True]
    assert "serves nothing yet" in state.summary


def test_a_new_head_is_asked_about_again(attach, propose, author, save):
    attach("squad_f1 >= 0.9")
    change = propose("badly")
    assert work(change).outcome == "failed"
    change_services.set_head(actor=author, number=change.number, version=save().number)
    change = change_queries.get_change(author, change.number)
    assert state_of(change).outcome is None
    assert work(change).outcome == "passed"


def test_new_rows_are_asked_about_again(attach, propose, author, questions):
    attach("squad_f1 >= 0.9")
    change = propose()
    work(change)
    Job.objects.all().delete()
    datasets.save_dataset(actor=author, name=DATASET, text=ROWS.replace("Answer: word1", "x"), base=questions.digest)
    assert state_of(change).outcome is None
    assert Job.objects.filter(kind="change.checks").count() == 1


def test_a_pinned_version_of_the_rows_stays(attach, propose, author, questions):
    attach("squad_f1 >= 0.9", dataset_version=1)
    change = propose()
    work(change)
    datasets.save_dataset(actor=author, name=DATASET, text=ROWS.replace("Answer: word1", "x"), base=questions.digest)
    assert state_of(change).outcome == "passed"


def test_a_check_under_way_says_how_far_it_is(attach, propose, required, author):
    attach("squad_f1 >= 0.9")
    change = propose()
    check_results.run_checks(number=change.number)
    assert "has 0 of 8 rows" in state_of(change).summary
    blocker = next(one for one in gate.evaluate(change, author).blockers if one.code == "check:evaluation")
    assert blocker.action == "Wait for it. It runs automatically."


def test_rows_without_an_answer_keep_it_open_with_what_to_do(attach, propose, required, author, settings, tmp_path):
    settings.MODELS_PATH = tmp_path / "models.yml"
    settings.MODELS_PATH.write_text("s: {base_url: 'http://127.0.0.1:1/v1', attempts: 1}\n")
    attach("squad_f1 >= 0.9", model="s")
    change = propose()
    state = work(change)
    run = Run.objects.get()
    assert (state.outcome, state.action) == (None, f"Run the rows that failed again: run {run.pk}.")
    blocker = next(one for one in gate.evaluate(change, author).blockers if one.code == "check:evaluation")
    assert "no answer for 8 of 8" in blocker.cause


def test_a_model_that_is_not_listed_any_more_is_reported(attach, propose, settings, tmp_path):
    settings.MODELS_PATH = tmp_path / "models.yml"
    settings.MODELS_PATH.write_text("s: {base_url: 'http://127.0.0.1:1/v1'}\n")
    attach("squad_f1 >= 0.9", model="s")
    settings.MODELS_PATH.write_text("{}\n")
    state = work(propose())
    assert (state.outcome, "no model 's'" in state.summary, "operator" in state.action) == (None, True, True)


def test_rows_that_the_new_version_fails_on_fail_the_check(attach, author, save, propose):
    attach("squad_f1 >= 0.1")
    document = (
        "---\ninputs:\n  question: {type: string}\n  tone: {type: string}\n---\n- name: q\n"
        "  content: x{{ question }}{{ tone }}\n"
    )
    saved = template_save.save_version(actor=author, name=NAME, document=document, message="")
    change = change_services.propose_change(
        actor=author, name=NAME, label="production", version=saved.version.number, message=""
    )
    state = work(change)
    assert (state.outcome, state.findings[-1]["finding"]) == ("failed", "8 of 8 rows fail")


def test_lists_of_requests_say_the_same_as_the_request(attach, propose, required, author):
    attach("squad_f1 >= 0.9")
    change = propose("badly")
    work(change)
    listed = gate.evaluate_many(change_queries.list_changes(author).items, author)[0]
    assert [one.code for one in listed.blockers] == [one.code for one in gate.evaluate(change, author).blockers]
    assert "check:evaluation" in [one.code for one in listed.blockers]


def test_an_attachment_is_an_event(attach):
    attach("squad_f1 >= 0.90", metrics=["bleu"])
    assert json.loads(Event.objects.latest("number").text)["body"] == {
        "name": "answers",
        "pattern": "reply",
        "dataset": DATASET,
        "dataset_version": None,
        "model": "echo",
        "gates": ["squad_f1 >= 0.9"],
        "metrics": ["bleu"],
    }


def test_the_same_name_replaces_and_detaching_removes(attach, admin):
    attach("squad_f1 >= 0.9")
    attach("squad_f1 >= 0.5")
    assert [one.gates for one in queries.list_attachments(admin, "support")] == [["squad_f1 >= 0.5"]]
    attachments.detach_evaluation(actor=admin, namespace="support", name="answers")
    assert not Attachment.objects.exists()
    with pytest.raises(NotFound):
        attachments.detach_evaluation(actor=admin, namespace="support", name="answers")


def test_rows_that_do_not_fit_the_template_are_named(attach, save, author, questions):
    save()
    rows = ROWS + '{"id": "odd", "inputs": {"question": 7}}\n'
    datasets.save_dataset(actor=author, name=DATASET, text=rows, base=questions.digest)
    with pytest.raises(Invalid) as caught:
        attach("squad_f1 >= 0.9")
    assert list(caught.value.fields) == ["row 9 (odd).inputs.question"]


@pytest.mark.parametrize(
    ("gates", "options", "field"),
    [
        ((), {}, "gates"),
        (("squad_f1",), {}, "gates"),
        (("f2 >= 1",), {}, "gates"),
        (("squad_f1 >= 1",), {"model": "none"}, "model"),
        (("squad_f1 >= 1",), {"pattern": " "}, "pattern"),
        (("squad_f1 >= 1",), {"name": "Not a slug"}, "name"),
        (("squad_f1 >= 1",), {"metrics": ["f2"]}, "metrics"),
    ],
)
def test_an_invalid_attachment_is_refused_by_field(attach, gates, options, field):
    with pytest.raises(Invalid) as caught:
        attach(*gates, **options)
    assert field in caught.value.fields


def test_an_author_attaches_nothing(author, questions):
    with pytest.raises(NotAllowed):
        attachments.attach_evaluation(
            actor=author,
            namespace="support",
            name="a",
            pattern="*",
            dataset=DATASET,
            model="echo",
            gates=["squad_f1 >= 0"],
        )
