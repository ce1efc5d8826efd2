"""Nightly runs: the live version is measured once a night, with new replies of the model."""

import json
from datetime import UTC, date, datetime, timedelta

import pytest
from django.db import IntegrityError

from registry.changes import check_results
from registry.changes import services as change_services
from registry.evaluations import attachments, datasets, nightly_runs, run_worker
from registry.evaluations.models import Attachment, Run
from registry.jobs.models import Job
from registry.journal.models import Event
from registry.templates import archive
from registry.templates import save as template_save
from registry.templates.label_models import Label
from tests.support.fake_model_server import ModelServer

NAME, DATASET = "support/reply", "support/questions"
EVENING = datetime(2026, 3, 4, 23, tzinfo=UTC)
ROWS = "".join(
    json.dumps({"id": f"r{n}", "inputs": {"question": f"word{n}"}, "expected": f"Answer: word{n}"}) + "\n"
    for n in range(4)
)


@pytest.fixture
def attach(author, admin):
    datasets.save_dataset(actor=author, name=DATASET, text=ROWS)

    def run(name="answers", **changes):
        fields = {"pattern": "*", "dataset": DATASET, "model": "echo", "gates": ["squad_f1 >= 0.5"], "nightly": True}
        return attachments.attach_evaluation(actor=admin, namespace="support", name=name, **{**fields, **changes})

    return run


def finish_runs():
    for number in Run.objects.exclude(state=Run.DONE).order_by("pk").values_list("pk", flat=True):
        while run_worker.advance_run(number, seconds=5):
            pass


def test_the_live_version_is_measured_once_a_night(save, publish, attach):
    live = save()
    publish(live)
    save("a later version")
    attach(metrics=["chrf"])
    assert nightly_runs.start_nightly_runs(EVENING) == 1
    assert nightly_runs.start_nightly_runs(EVENING + timedelta(hours=1)) == 0
    run = Run.objects.get()
    assert (run.version_id, run.evaluation, run.night) == (live.pk, "answers", date(2026, 3, 4))
    assert (run.metrics, run.started_by.username) == (["squad_f1", "chrf"], "operator")
    assert Job.objects.filter(kind="evaluation.run", subject=f"run {run.pk}").exists()
    assert nightly_runs.start_nightly_runs(EVENING + timedelta(hours=3)) == 1


def test_a_night_begins_at_two_oclock():
    assert nightly_runs.find_night(datetime(2026, 3, 5, 1, 59, tzinfo=UTC)) == date(2026, 3, 4)
    assert nightly_runs.find_night(datetime(2026, 3, 5, 2, tzinfo=UTC)) == date(2026, 3, 5)


def test_a_second_worker_starts_no_second_run(save, publish, attach):
    publish(save())
    attach()
    nightly_runs.start_nightly_runs(EVENING)
    run = Run.objects.get()
    run.pk = None
    with pytest.raises(IntegrityError):
        run.save(force_insert=True)


def test_only_evaluations_that_are_switched_on_measure_what_is_live(save, publish, attach):
    publish(save())
    attach(nightly=False)
    attach("people", gates=["reviewed_by_people >= 0.5"])
    assert nightly_runs.start_nightly_runs(EVENING) == 0


def test_unpublished_and_archived_templates_are_not_measured(save, publish, attach, admin):
    version = save()
    attach()
    assert nightly_runs.start_nightly_runs(EVENING) == 0
    publish(version)
    archive.archive_template(actor=admin, name=NAME, reason="old", force=True)
    assert nightly_runs.start_nightly_runs(EVENING) == 0


def test_a_model_that_is_not_listed_any_more_starts_nothing(save, publish, attach):
    publish(save())
    attach()
    Attachment.objects.update(model="gone")
    assert nightly_runs.start_nightly_runs(EVENING) == 0


def test_a_night_starts_nothing_where_no_row_fits_what_is_live(author, save, publish, attach, caplog):
    document = "---\ninputs:\n  topic: {type: string}\n---\n- name: question\n  content: '{{ topic }}'\n"
    publish(version := save())
    attach()
    saved = template_save.save_version(actor=author, name=NAME, document=document, message="", base=version.digest)
    Label.objects.filter(name="production").update(version=saved.version)
    assert nightly_runs.start_nightly_runs(EVENING) == 0
    assert f"no row of {DATASET} fits v2" in caplog.text
    assert not Run.objects.exists()


def test_a_nightly_run_asks_again_what_was_answered_before(save, publish, attach, settings, tmp_path):
    publish(save())
    with ModelServer({f"word{n}": f"Answer: word{n}" for n in range(4)}) as server:
        settings.MODELS_PATH = tmp_path / "models.yml"
        settings.MODELS_PATH.write_text(f"s: {{base_url: '{server.url}'}}\n")
        attach(model="s")
        for night in range(2):
            nightly_runs.start_nightly_runs(EVENING + timedelta(days=night))
            finish_runs()
        asked = dict(server.asked)
    assert asked == dict.fromkeys(range(4), 2)
    assert list(Run.objects.order_by("pk").values_list("state", "cached", "failed")) == [("done", 0, 0)] * 2


def test_no_check_of_a_change_rests_on_a_nightly_run(save, publish, attach, author):
    publish(save())
    save("other words")
    attach(gates=["squad_f1 - 0.02"])
    nightly_runs.start_nightly_runs(EVENING)
    finish_runs()
    change = change_services.propose_change(actor=author, name=NAME, label="production", version=2, message="")
    check_results.run_checks(number=change.number)
    assert sorted(Run.objects.filter(change=change).values_list("version__number", flat=True)) == [1, 2]


def test_the_switch_is_in_the_event_only_where_it_is_on(save, attach):
    save()
    attach()
    attach(nightly=False)
    on, off = Event.objects.filter(kind="evaluation.attached").order_by("number")
    assert json.loads(on.text)["body"]["nightly"] is True
    assert "nightly" not in json.loads(off.text)["body"]
