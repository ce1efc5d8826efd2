"""Runs: started by a person, processed in slices, cancelled, retried."""

import itertools
import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from registry.connections import queries as connection_queries
from registry.core.errors import Conflict, Invalid, NotAllowed, NotFound, TooMany
from registry.evaluations import datasets, exports, model_calls, row_calls, run_worker, start_runs
from registry.evaluations import run_queries as queries
from registry.evaluations.models import Reply, Run, RunRow
from registry.jobs.models import Job
from registry.tasks import tasks
from registry.templates import samples
from tests.support.fake_model_server import ModelServer
from tests.support.full_disk import fill_temporary_folder

DATASET = "support/questions"


def write(count):
    rows = ({"id": f"r{n}", "inputs": {"question": f"q{n}"}, "expected": f"Answer: q{n}"} for n in range(count))
    return "".join(json.dumps(row) + "\n" for row in rows)


@pytest.fixture
def questions(author, save):
    """A template whose prompt ends with its answer, so that the echo model is right except for a newline."""
    save()
    return datasets.save_dataset(actor=author, name=DATASET, text=write(80)).version


@pytest.fixture
def start(author, questions):
    def start(**options):
        return start_runs.start_run(actor=author, template="support/reply", **{"dataset": DATASET, **options})

    return start


def finish(run):
    for _ in range(20):
        if not run_worker.advance_run(run.pk, seconds=0):
            break
    run.refresh_from_db()
    return run


def test_a_run_asks_for_every_row_and_scores_them(start):
    run = finish(start())
    assert (run.state, run.done, run.failed, run.total, run.error) == ("done", 80, 0, 80, "")
    assert run.scores["squad_f1"]["answer"] == {"score": 1.0, "scored": 80, "of": 80, "low": 1.0, "high": 1.0}


def test_a_run_goes_on_in_slices(start):
    run = start()
    assert run_worker.advance_run(run.pk, seconds=0)
    run.refresh_from_db()
    assert (run.state, run.done) == ("running", 64)
    assert finish(run).done == 80


def test_a_reply_that_is_cut_off_is_marked_and_one_kept_back_fails(start, author, settings, tmp_path):
    settings.MODELS_PATH = tmp_path / "models.yml"
    datasets.save_dataset(actor=author, name="support/three", text=write(3))
    with ModelServer({f"q{n}": "Answer" for n in range(3)}, {1: "cut off", 2: "kept back"}) as server:
        settings.MODELS_PATH.write_text(f"s: {{base_url: '{server.url}', attempts: 1}}\n")
        run = finish(start(dataset="support/three", model="s"))
    rows = list(RunRow.objects.filter(run=run).order_by("index"))
    assert [(row.is_cut_off, row.is_failed) for row in rows] == [(False, False), (True, False), (False, True)]
    assert rows[2].problem["message"] == "s sent no text (finish reason: content_filter)"
    assert run.failed == 1


@pytest.mark.postgres
def test_rows_are_written_behind_the_lock_of_their_run(start):
    """Two workers on one run would wait for each other if one took the run first and the other its rows."""
    run = start()
    with CaptureQueriesContext(connection) as statements:
        finish(run)
    marks = [
        "rows" if sql.startswith(("INSERT", "UPDATE")) else "lock"
        for sql in (query["sql"] for query in statements.captured_queries)
        if (sql.startswith("SELECT") and '"registry_run"' in sql and "FOR UPDATE" in sql)
        or sql.startswith(('INSERT INTO "registry_runrow"', 'UPDATE "registry_runrow"'))
    ]
    assert marks.count("rows") == 5  # two slices, the scores after each, and those at the end
    assert all(before == "lock" for before, mark in itertools.pairwise(marks) if mark == "rows")


def test_a_row_tells_what_was_asked_and_what_came(start, reader):
    run = finish(start())
    detail = queries.read_run_row(queries.read_run(reader, run.pk), 3)
    assert (detail.id, detail.expected) == ("r3", {"answer": "Answer: q3"})
    assert detail.row.prompts[0][0]["content"].strip() == "Answer: q3"
    assert detail.row.actual["answer"].strip() == "Answer: q3"
    assert detail.row.scores == {"squad_f1 answer": 1.0, "squad_exact_match answer": 1.0}


def test_a_row_written_by_two_workers_counts_once(start):
    run = start()
    run_worker.advance_run(run.pk, seconds=0)
    RunRow.objects.filter(run=run, index=0).update(created_at="2026-01-01T00:00:00Z")
    loaded = queries.load_run(run.pk)
    endpoint = connection_queries.find_endpoint("echo", "support")
    batch = [row_calls.RowCall(index, row) for index, row in enumerate(queries.list_rows_of_run(loaded)[:4])]
    model_calls.ask_model(loaded, loaded.version.unpacked(), endpoint, endpoint.open(), batch)
    assert run_worker._keep(loaded, endpoint, batch) == 64
    assert RunRow.objects.get(run=run, index=0).created_at.month == 1


def test_a_run_that_finds_a_full_disk_says_so_and_keeps_its_replies(start, monkeypatch):
    run = start()
    fill_temporary_folder(monkeypatch)
    while Job.objects.filter(state=Job.QUEUED).exists():
        tasks.run_jobs()
    run.refresh_from_db()
    assert (run.state, run.error.partition(";")[0].partition(".")[0]) == ("failed", "The disk of the server is full")
    assert RunRow.objects.filter(run=run).exists()


def test_a_second_run_of_the_same_asks_no_model(start):
    finish(start())
    asked = Reply.objects.count()
    run = finish(start())
    assert (run.cached, Reply.objects.count()) == (80, asked)


def test_samples_are_rows_without_expectations(start, author):
    samples.save_samples(
        actor=author, name="support/reply", samples={"one": {"question": "a"}, "two": {"question": "b"}}
    )
    run = finish(start(dataset=None))
    assert (run.total, run.metrics, run.scores, run.state) == (2, [], {}, "done")


def test_a_cancelled_run_keeps_what_came_and_stops(start, author):
    run = start()
    run_worker.advance_run(run.pk, seconds=0)
    start_runs.cancel_run(actor=author, number=run.pk)
    assert not run_worker.advance_run(run.pk)
    run.refresh_from_db()
    assert (run.state, run.done) == ("cancelled", 64)
    with pytest.raises(Conflict):
        start_runs.cancel_run(actor=author, number=run.pk)


def test_of_several_runs_those_under_way_are_cancelled_all_or_none(start, author, reader):
    over, waiting = finish(start()), start(ref="1")
    with pytest.raises(NotAllowed):
        start_runs.cancel_runs(actor=reader, numbers=[waiting.pk])
    with pytest.raises(NotFound):
        start_runs.cancel_runs(actor=author, numbers=[waiting.pk, 999])
    waiting.refresh_from_db()
    assert not waiting.is_over
    assert [run.pk for run in start_runs.cancel_runs(actor=author, numbers=[over.pk, waiting.pk])] == [waiting.pk]


def test_a_cancelled_run_is_taken_up_where_it_was(start, author):
    run = start()
    run_worker.advance_run(run.pk, seconds=0)
    start_runs.cancel_run(actor=author, number=run.pk)
    start_runs.rerun_failures(actor=author, number=run.pk)
    assert finish(run).done == 80


def test_a_run_without_failures_is_not_run_again(start, author):
    run = finish(start())
    with pytest.raises(Conflict, match="No row"):
        start_runs.rerun_failures(actor=author, number=run.pk)


def test_a_row_that_does_not_render_fails_alone(author, save, start):
    rows = '{"inputs": {"question": "x"}, "expected": "Answer: x"}\n{"inputs": {}, "expected": "y"}\n'
    datasets.save_dataset(actor=author, name="support/odd", text=rows)
    run = finish(start(dataset="support/odd"))
    problem = queries.read_run_row(queries.load_run(run.pk), 1).row.problem
    assert (run.done, run.failed, problem["step"]) == (2, 1, "render")
    assert "missing" in problem["message"]
    assert run.scores["squad_f1"]["answer"]["scored"] == 1


def test_the_worst_rows_come_first(author, start):
    rows = [{"inputs": {"question": q}, "expected": e} for q, e in (("a", "Answer: a"), ("b", "no"), ("c d", "c"))]
    datasets.save_dataset(actor=author, name="support/odd", text="".join(json.dumps(row) + "\n" for row in rows))
    run = finish(start(dataset="support/odd", metrics=["squad_f1"]))
    worst = queries.list_run_rows(queries.load_run(run.pk), only="worst:squad_f1 answer")
    assert [detail.index for detail in worst.items] == [1, 2, 0]


def test_two_runs_are_compared_row_by_row(start, save, questions):
    before = finish(start())
    save("well")
    after = finish(start())
    comparison = queries.compare_runs(before, after, "squad_f1")
    assert (comparison.comparison.worse, comparison.comparison.winner) == (80, "first")
    assert len(comparison.order) == 80
    assert [run.pk for run in queries.list_comparable_runs(queries.load_run(after.pk))] == [before.pk]


def test_a_metric_that_can_not_be_computed_is_reported_and_the_rest_counts(start):
    run = finish(start(metrics=["mrr", "squad_f1"]))
    assert (list(run.scores), run.state) == (["squad_f1"], "done")
    assert "mrr" in run.error


def test_a_run_as_a_result_is_the_packages(start, tmp_path):
    run = finish(start())
    result = exports.write_result(queries.load_run(run.pk), tmp_path / "run.jsonl")
    assert (len(result), result.calculate_metrics("squad_f1")["answer"]["score"]) == (80, 1.0)


def test_a_regular_expression_that_never_ends_is_ended(author, start, monkeypatch):
    monkeypatch.setattr("registry.evaluations.scoring_process.SECONDS", 2)
    row = {"inputs": {"question": "a" * 40}, "expected": "(?=a)(a|a)*b"}  # RE2 has no lookahead, so this one backtracks
    datasets.save_dataset(actor=author, name="support/odd", text=json.dumps(row) + "\n")
    run = finish(start(dataset="support/odd", metrics=["regex"]))
    assert (run.state, run.scores) == ("done", {})
    assert "ended" in run.error


def test_a_reader_starts_nothing(reader, questions):
    with pytest.raises(NotAllowed, match="run evaluations"):
        start_runs.start_run(actor=reader, template="support/reply", dataset=DATASET)


@pytest.mark.parametrize(
    ("options", "field"),
    [({"model": "none"}, "model"), ({"metrics": ["f2"]}, "metrics"), ({"dataset": None}, "dataset")],
)
def test_an_invalid_run_is_refused_by_field(start, options, field):
    with pytest.raises(Invalid) as caught:
        start(**options)
    assert field in caught.value.fields


def test_a_namespace_has_so_many_runs_under_way_and_no_more(start, monkeypatch):
    monkeypatch.setattr(start_runs, "MAX_UNFINISHED", 2)
    start()
    start()
    with pytest.raises(TooMany):
        start()


def test_a_run_whose_model_changed_fails_with_a_sentence(start, settings, tmp_path):
    settings.MODELS_PATH = tmp_path / "models.yml"
    settings.MODELS_PATH.write_text("s: {base_url: 'http://127.0.0.1:1/v1'}\n")
    run = start(model="s")
    settings.MODELS_PATH.write_text("s: {base_url: 'http://127.0.0.1:2/v1', attempts: 1}\n")
    assert (finish(run).state, "is not what it was" in run.error) == ("failed", True)


def test_a_run_that_no_job_serves_is_closed(start):
    run = start()
    assert run_worker.fail_lost_runs() == 0
    Job.objects.all().delete()
    assert run_worker.fail_lost_runs() == 1
    assert Run.objects.get(pk=run.pk).state == "failed"


class _ModelServer(ThreadingHTTPServer):
    """Remembers what it was asked; refuses the texts in `refused`."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Model)
        self.asked: list[str] = []
        self.refused: set[str] = set()


class _Model(BaseHTTPRequestHandler):
    server: _ModelServer

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        text = body["messages"][-1]["content"].strip()
        self.server.asked.append(text)
        status = 400 if text in self.server.refused else 200
        answer = {"choices": [{"message": {"content": text}}], "usage": {"prompt_tokens": 10, "completion_tokens": 5}}
        content = json.dumps(answer).encode()
        self.send_response(status)
        self.send_header("content-length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *arguments):
        pass


@pytest.fixture
def model(settings, tmp_path):
    server = _ModelServer()
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    settings.MODELS_PATH = tmp_path / "models.yml"
    address = f"http://127.0.0.1:{server.server_port}/v1"
    price = "{prompt: 100, completion: 200, currency: EUR}"
    settings.MODELS_PATH.write_text(f"s: {{base_url: '{address}', price: {price}}}\n")
    yield server
    server.shutdown()
    server.server_close()


def test_a_run_has_its_tokens_and_its_cost(start, model):
    run = finish(start(model="s"))
    assert (run.prompt_tokens, run.completion_tokens, float(run.cost), run.currency) == (800, 400, 0.16, "EUR")
    again = finish(start(model="s"))
    assert (float(again.cost), again.cached, len(model.asked)) == (0.0, 80, 80)


def test_only_what_failed_is_asked_again(start, model, author):
    model.refused.add("Answer: q7")
    run = finish(start(model="s"))
    assert (run.failed, queries.read_run_row(queries.load_run(run.pk), 7).row.problem["step"]) == (1, "model")
    model.refused.clear()
    start_runs.rerun_failures(actor=author, number=run.pk)
    assert (finish(run).failed, run.done, model.asked.count("Answer: q7"), len(model.asked)) == (0, 80, 2, 81)


def test_twenty_rows_that_fail_alike_end_the_run_with_their_reason(start, model):
    model.refused.update(f"Answer: q{n}" for n in range(80))
    run = finish(start(model="s"))
    assert (run.state, run.failed) == ("failed", run.done)
    assert run_worker.EQUAL_FAILURES <= run.done < run.total
    assert "20 rows after one another failed alike" in run.error


def test_a_model_that_takes_many_calls_is_asked_for_few_rows_that_it_refuses(start, model, author, settings):
    settings.MODELS_PATH.write_text(settings.MODELS_PATH.read_text().replace("{base", "{concurrency: 32, base", 1))
    datasets.save_dataset(actor=author, name="support/many", text=write(128))
    model.refused.update(f"Answer: q{n}" for n in range(128))
    run = finish(start(dataset="support/many", model="s"))
    assert (run.state, run.done) == ("failed", run.failed)
    assert run_worker.EQUAL_FAILURES <= len(model.asked) <= 40


def test_failures_between_answers_end_nothing(start, model):
    model.refused.update(f"Answer: q{n}" for n in range(0, 80, 2))
    run = finish(start(model="s"))
    assert (run.state, run.done, run.failed) == ("done", 80, 40)


def test_a_run_that_was_ended_goes_on_when_the_model_answers_again(start, model, author):
    model.refused.update(f"Answer: q{n}" for n in range(80))
    run = finish(start(model="s"))
    model.refused.clear()
    start_runs.rerun_failures(actor=author, number=run.pk)
    assert (finish(run).state, run.done, run.failed, run.error) == ("done", 80, 0, "")


def test_a_run_none_of_whose_rows_fit_is_not_run_again(author, start, model, monkeypatch):
    rows = "".join(json.dumps({"id": f"r{n}", "inputs": {"other": n}}) + "\n" for n in range(50))
    datasets.save_dataset(actor=author, name="support/odd", text=rows)
    with monkeypatch.context() as unchecked:
        unchecked.setattr(start_runs, "require_some_row_fits", lambda *_: None)
        run = finish(start(dataset="support/odd", model="s"))
    assert run.state == "failed"
    with pytest.raises(Invalid, match="no row of support/odd fits v1"):
        start_runs.rerun_failures(actor=author, number=run.pk)
    run.refresh_from_db()
    assert (run.state, model.asked) == ("failed", [])


def test_a_run_none_of_whose_rows_fit_is_refused_before_it_starts(author, start):
    rows = "".join(json.dumps({"id": f"r{n}", "inputs": {"other": n}}) + "\n" for n in range(50))
    datasets.save_dataset(actor=author, name="support/odd", text=rows)
    with pytest.raises(Invalid) as refused:
        start(dataset="support/odd")
    assert "no row of support/odd fits v1. In row 1 (r0) at `question`" in refused.value.fields["dataset"]
    assert not Run.objects.exists()


def test_one_row_that_fits_lets_a_run_start(author, start):
    rows = [{"inputs": {"other": n}} for n in range(45)] + [{"inputs": {"question": "x"}}]
    datasets.save_dataset(actor=author, name="support/odd", text="".join(json.dumps(row) + "\n" for row in rows))
    assert start(dataset="support/odd").total == 46


@pytest.mark.parametrize(
    ("error", "sentence"),
    [
        (TooMany("The limit is reached."), "The limit is reached. Run it again later: the replies that came are kept."),
        (Conflict("The price is in EUR."), "The price is in EUR."),
    ],
)
def test_a_run_that_may_not_ask_says_that_later_helps_where_it_does(start, monkeypatch, error, sentence):
    def refuse(*_):
        raise error

    monkeypatch.setattr(run_worker, "ask_model", refuse)
    run = finish(start())
    assert (run.state, run.error) == (Run.FAILED, sentence)
