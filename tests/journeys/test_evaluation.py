"""A whole evaluation without a model outside: a starter template, two hundred rows, a model that fails
now and then, and a worker that is killed on the way."""

import json
import os
import signal
import sys
import time

import pytest

from registry.accounts import actor
from registry.accounts.actor import Actor
from registry.accounts.models import User
from registry.evaluations import datasets, run_worker, start_runs
from registry.evaluations import run_queries as queries
from registry.namespaces import services as namespace_services
from registry.starter import evaluation_rows
from registry.templates import save as template_save
from tests.support import instances
from tests.support.child_process import start_child
from tests.support.fake_model_server import ModelServer

ROWS = list(evaluation_rows.make_evaluation_rows())
STARTER = instances.ROOT / "registry/starter/demo/question-answering.yml.j2"
ANSWERS = {row["inputs"]["query"]: row["expected"]["answer"] for row in ROWS}
FAULTS = ("busy", "broken", "malformed", "silent", "slow")
TOLD = {
    "busy": "answered 429",
    "broken": "answered 503",
    "malformed": "unknown form",
    "silent": "did not answer in time",
}
SCRIPT = {number: FAULTS[(number // 8) % 5] for number in range(0, 200, 8)} | {77: "refused"}
MODELS = "small: {{base_url: '{url}', timeout: {timeout}, price: {{prompt: 1, completion: 10, currency: EUR}}}}\n"
PATIENCE = 240.0  # seconds; machines are small and shared
SETUP = """
import json, sys
import django; django.setup()
from pathlib import Path
from registry.accounts.actor import build_operator_actor
from registry.accounts.actor import Actor
from registry.accounts.models import User
from registry.evaluations import datasets, start_runs as evaluations
from registry.namespaces import services as namespace_services
from registry.namespaces import services as namespaces
from registry.templates import save as templates
from registry.starter import evaluation_rows
namespaces.create_namespace(actor=build_operator_actor(), name="support")
author = Actor(User.objects.create(username="author"))
namespace_services.set_role(actor=build_operator_actor(), namespace="support", username="author", role="author")
document = Path("registry/starter/demo/question-answering.yml.j2").read_text()
templates.save_version(actor=author, name="support/answer", document=document, message="")
rows = "".join(json.dumps(row) + "\\n" for row in evaluation_rows.make_evaluation_rows())
datasets.save_dataset(actor=author, name="support/questions", text=rows, template="support/answer")
run = evaluations.start_run(actor=author, template="support/answer", dataset="support/questions", model="small")
print(run.pk)
"""
LOOK = """
import json
import django; django.setup()
from registry.jobs.models import Job
from registry.evaluations.models import Run, RunRow
run = Run.objects.get()
rows = RunRow.objects.filter(run=run)
print(json.dumps({
    "state": run.state, "done": run.done, "failed": run.failed, "tokens": run.prompt_tokens, "cost": str(run.cost),
    "rows": rows.count(), "indexes": len(set(rows.values_list("index", flat=True))), "error": run.error,
    "score": run.scores.get("squad_f1", {}).get("answer", {}).get("score"),
    "jobs": list(Job.objects.filter(kind="evaluation.run").values_list("state", "error")),
}))
"""


@pytest.fixture
def author(db):
    namespace_services.create_namespace(actor=actor.build_operator_actor(), name="support")
    person = Actor(User.objects.create(username="author"))
    namespace_services.set_role(
        actor=actor.build_operator_actor(), namespace="support", username="author", role="author"
    )
    template_save.save_version(actor=person, name="support/answer", document=STARTER.read_text(), message="")
    rows = "".join(json.dumps(row) + "\n" for row in ROWS)
    datasets.save_dataset(actor=person, name="support/questions", text=rows, template="support/answer")
    return person


def test_a_run_ends_complete_and_reports_each_fault(author, settings, tmp_path):
    settings.MODELS_PATH = tmp_path / "models.yml"
    with ModelServer(ANSWERS, SCRIPT) as server:
        settings.MODELS_PATH.write_text(MODELS.format(url=server.url, timeout=0.6))
        started = start_runs.start_run(
            actor=author, template="support/answer", dataset="support/questions", model="small"
        )
        while run_worker.advance_run(started.pk):
            pass
    run = queries.load_run(started.pk)
    assert (run.state, run.total, run.done, run.failed) == ("done", 200, 200, 1)
    details = [queries.read_run_row(run, index) for index in range(200)]
    for number, fault in SCRIPT.items():
        if fault in TOLD:
            assert any(TOLD[fault] in told for told in details[number].row.faults), (number, fault)
    assert "400" in details[77].row.problem["message"]
    assert all(details[number].row.problem is None for number in range(200) if number != 77)
    # Nothing is counted twice: 199 answers of 100 and 10 tokens, whatever it took to get them.
    assert (run.prompt_tokens, run.completion_tokens, float(run.cost)) == (19900, 1990, 0.0398)
    assert run.scores["squad_f1"]["answer"] == {"score": 1.0, "scored": 199, "of": 200, "low": 1.0, "high": 1.0}


@pytest.fixture
def worker(tmp_path):
    """A place with a run that waits, and how to start and kill its worker."""
    place = instances.make_instance(tmp_path / "evaluated")
    worker = Worker(place)
    yield worker
    worker.kill()
    instances.remove_instance(place)


class Worker:
    """The real worker, in a process group that can be killed whole."""

    def __init__(self, place):
        self.place, self.process = place, None

    def start(self):
        command = [
            sys.executable,
            *["-m", "celery", "-A", "registry.celery", "worker", "--pool", "threads", "--concurrency", "4"],
        ]
        with (self.place.home / "worker.log").open("ab") as log:
            self.process = start_child(
                command,
                env=self.place.environment(),
                cwd=instances.ROOT,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )

    def kill(self):
        if self.process is not None:
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()
            self.process = None

    def look(self):
        return json.loads(self.place.run("-c", LOOK).stdout)


@pytest.mark.timeout(900)
def test_a_worker_killed_on_the_way_leaves_a_run_that_is_done_once(worker):
    with ModelServer(ANSWERS, pause=0.1) as server:
        (worker.place.home / "models.yml").write_text(MODELS.format(url=server.url, timeout=30))
        worker.place.run("-c", SETUP)
        worker.start()
        wait_for(lambda: sum(server.answered.values()) >= 60, worker)
        worker.kill()
        halfway = worker.look()
        assert 0 < halfway["done"] < 200, halfway
        worker.start()
        wait_for(lambda: len(server.answered) == 200, worker)
        deadline = time.monotonic() + PATIENCE
        while (report := worker.look())["state"] != "done":
            assert time.monotonic() < deadline, report
            time.sleep(1)  # bounded polling: another process gives no signal
    assert (report["rows"], report["indexes"], report["done"], report["failed"]) == (200, 200, 200, 0)
    assert (report["tokens"], float(report["cost"]), report["score"]) == (20000, 0.04, 1.0)
    twice = [number for number, times in server.answered.items() if times > 1]
    assert len(twice) <= 32, "only what two slices were asking for at the kill may be asked again"


def wait_for(condition, worker):
    deadline = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < deadline, (worker.place.home / "worker.log").read_text()[-3000:]
        time.sleep(0.1)  # bounded polling: another process gives no signal
