"""The worker's part of an evaluation run: a slice of its rows at a time, then its scores.

A row is written once, in its batch's transaction, and identified by its index. A killed worker only loses the rows that
it was asking, and the next one asks exactly those that are missing.
"""

# no texts here: reasons are stored

import itertools
import json
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

from django.db import transaction
from django.db.models import Count, Q, Sum

from promptuary.evaluation import ModelError
from registry.connections import queries as connection_queries
from registry.connections.endpoint import Endpoint
from registry.core.errors import Busy, Conflict, PromptuaryError, TooMany
from registry.evaluations import exports, judge_calls, live_failures, scoring_process
from registry.evaluations import run_queries as queries
from registry.evaluations.events import RunFinished
from registry.evaluations.model_calls import ask_model, is_run_redacted, lock_run
from registry.evaluations.models import Run, RunRow
from registry.evaluations.row_calls import RowCall, compute_row_cost, sum_of_known
from registry.jobs import queue
from registry.journal import log
from registry.journal.event import Occasion, run_reactions

__all__ = ["EQUAL_FAILURES", "SECONDS", "advance_run", "fail_lost_runs", "fail_run"]

SECONDS = 3.0  # after which a slice ends, once the rows in flight are done
_ROUNDS = 4  # rows of a batch per concurrent call, if not more than EQUAL_FAILURES
EQUAL_FAILURES = 20  # consecutive rows with the same failure that end a run
_MAX_SCORED_EARLY = 1000  # the most rows of a run that is scored while under way
_SLOW_METRICS = ("sas", "regex", "json_schema")  # a model, or its own process
_AT_HAND = 64  # rows of a batch without network calls
Report = Callable[[int, int], None]


def advance_run(number: int, report: Report = lambda _done, _all: None, seconds: float = SECONDS) -> bool:
    """Ask rows of the run until all are done or the time is over. Return whether any are left.

    After the last row the run is scored, and change requests that wait for it are checked again.
    """
    run = queries.load_run(number)
    if run is None or not _begin(run):
        return False
    try:
        endpoint = connection_queries.find_endpoint(run.model, run.template.namespace.name)
        if endpoint.digest != run.model_digest:
            fail_run(number, f"The model {run.model} is not what it was when this run was started: start another one.")
            return False
        model = endpoint.open()
        judging = judge_calls.open_judge(run)
        bundle = run.asked_bundle
    except PromptuaryError as error:
        fail_run(number, error.message)
        return False
    until = time.monotonic() + seconds
    for batch in _split_into_batches(run, _choose_batch_size(endpoint, judging)):
        try:
            ask_model(run, bundle, endpoint, model, batch)
            if judging is not None:
                judge_calls.ask_judge(run, judging, batch)
        except Busy:
            return True
        except (TooMany, Conflict) as error:
            # A spending cap is reached, or the model has no price in its currency; waiting won't help.
            later = f"{error.message} Run it again later: the replies that came are kept."
            fail_run(number, later if isinstance(error, TooMany) else error.message)
            return False
        report(_keep(run, endpoint, batch), run.total)
        if not _may_continue(run):
            return False
        if time.monotonic() > until:
            _score_rows_so_far(run)
            return True
    _finish(number)
    return False


def fail_run(number: int, sentence: str) -> None:
    """End a run that can't go on, with a sentence that says why."""
    rows = Run.everything.filter(pk=number, state__in=(Run.QUEUED, Run.RUNNING))
    rows.update(state=Run.FAILED, error=sentence[:2000], finished_at=log.now())


def fail_lost_runs() -> int:
    """Fail runs under way whose job was given up because their worker was lost too often. Return how many."""
    under_way = Run.everything.filter(state__in=(Run.QUEUED, Run.RUNNING)).values_list("pk", flat=True)
    lost_numbers = queue.list_lost_numbers(queue.EVALUATION, "run", list(under_way))
    for number in lost_numbers:
        fail_run(number, "The worker was lost too often during this run. Run it again: what came is kept.")
    return len(lost_numbers)


def _begin(run: Run) -> bool:
    rows = Run.everything.filter(pk=run.pk, state__in=(Run.QUEUED, Run.RUNNING))
    return bool(rows.update(state=Run.RUNNING, started_at=run.started_at or log.now()))


def _choose_batch_size(endpoint: Endpoint, judging: judge_calls.OpenJudge | None) -> int:
    """The number of rows asked before the run is checked again, so that a model that refuses all of them is asked only
    a few more than `EQUAL_FAILURES`.
    """
    endpoints = [
        http_endpoint
        for http_endpoint in (endpoint, judging.endpoint if judging else endpoint)
        if http_endpoint.kind == "http"
    ]
    if not endpoints:
        return _AT_HAND
    at_once = max(http_endpoint.concurrency for http_endpoint in endpoints)
    return max(at_once, min(at_once * _ROUNDS, EQUAL_FAILURES))


def _split_into_batches(run: Run, size: int) -> Iterator[list[RowCall]]:
    rows = queries.list_rows_of_run(run)
    written_indexes = set(RunRow.objects.filter(run=run).values_list("index", flat=True))
    row_calls = (RowCall(index, row) for index, row in enumerate(rows) if index not in written_indexes)
    while batch := list(itertools.islice(row_calls, size)):
        yield batch


def _keep(run: Run, endpoint: Endpoint, batch: Sequence[RowCall]) -> int:
    """Write the rows that were not written meanwhile. Return how many the run has now."""
    at = log.now()
    with transaction.atomic():
        if is_run_redacted(run):
            return run.done
        rows = [_build_row(run, endpoint, call, at) for call in batch]
        RunRow.objects.bulk_create(rows, ignore_conflicts=True)
        totals = RunRow.objects.filter(run=run).aggregate(
            done=Count("pk"),
            failed=Count("pk", filter=Q(is_failed=True)),
            cached=Count("pk", filter=Q(is_cached=True)),
            prompt_tokens=Sum("prompt_tokens"),
            completion_tokens=Sum("completion_tokens"),
            cost=Sum("cost"),
        )
        tokens = {name: totals.pop(name) or 0 for name in ("prompt_tokens", "completion_tokens")}
        Run.everything.filter(pk=run.pk).update(**totals, **tokens)
    return int(totals["done"])


def _may_continue(run: Run) -> bool:
    """Whether the run should continue. It is ended here if its rows keep failing in the same way."""
    if sentence := _find_repeated_failure(run):
        fail_run(run.number, sentence)
    return Run.everything.filter(pk=run.pk, state=Run.RUNNING).exists()


def _find_repeated_failure(run: Run) -> str:
    """A sentence if the newest `EQUAL_FAILURES` rows, or their judge calls, failed in the same way, else empty.

    A change request's run continues if its version is the cause: its check fails on those rows.
    """
    newest = list(RunRow.objects.filter(run=run).order_by("-pk")[:EQUAL_FAILURES])
    problem = _find_shared_problem([row.problem for row in newest])
    if problem and (run.change_id is None or problem["step"] == "model"):
        return f"Stopped, because {EQUAL_FAILURES} rows after one another failed alike: {problem['message']}"
    problem = _find_shared_problem([row.judgement["error"] if row.judgement else None for row in newest])
    if problem and (run.change_id is None or problem["kind"] == ModelError.__name__):
        return (
            f"Stopped, because the judge failed alike on {EQUAL_FAILURES} rows after one another: {problem['message']}"
        )
    return ""


def _find_shared_problem(problems: Sequence[Mapping[str, str] | None]) -> Mapping[str, str] | None:
    """The first of these problems if there are `EQUAL_FAILURES` with the same cause; the server's own words, after the
    colon, may differ.
    """
    failures = [problem for problem in problems if problem]
    causes = {(problem.get("step"), problem["kind"], problem["message"].partition(":")[0]) for problem in failures}
    return failures[0] if len(failures) == EQUAL_FAILURES and len(causes) == 1 else None


def _build_row(run: Run, endpoint: Endpoint, call: RowCall, at: datetime) -> RunRow:
    fresh_replies = [reply for reply in call.replies if not reply.cached]
    billed_replies = [*call.billed, *(call.judged.replies if call.judged else ())]
    costs = [compute_row_cost(endpoint, call), *([call.judged.cost] if call.judged else [])]
    known_costs = [cost for cost in costs if cost is not None]
    result = {
        "actual": None if call.problem else call.actual(),
        "problem": call.problem,
        "faults": call.faults,
        "is_cut_off": any(reply.finish_reason == "length" for reply in call.replies),
        "prompts": [prompt["messages"] for prompt in call.prompts],
        "replies": [reply.text for reply in call.replies],
    }
    return RunRow(
        run=run,
        index=call.index,
        result=json.dumps(result),
        is_failed=call.problem is not None,
        is_cached=bool(call.replies) and not fresh_replies,
        prompt_tokens=sum_of_known(reply.prompt_tokens for reply in billed_replies),
        completion_tokens=sum_of_known(reply.completion_tokens for reply in billed_replies),
        cost=sum(known_costs) if known_costs else None,
        judgement_text=json.dumps(call.judged.judgement) if call.judged else "",
        milliseconds=call.milliseconds,
        created_at=at,
    )


def _finish(number: int) -> None:
    """Score the run, write each row's scores, and trigger a check of the change requests that wait for it."""
    run = queries.load_run(number)
    if run is None:
        return
    scores = _score(run)
    run_rows = _add_scores(run, scores)
    run.scores_text = json.dumps(scores.get("metrics", {}))
    with transaction.atomic():
        lock_run(run)
        RunRow.objects.bulk_update(run_rows, ["scores_text"], batch_size=200)
        is_ended = Run.everything.filter(pk=number, state=Run.RUNNING).update(
            state=Run.DONE,
            scores_text=run.scores_text,
            error=" ".join(scores.get("faults", ()))[:2000],
            finished_at=log.now(),
        )
        if is_ended:
            if run.night is not None:
                live_failures.record_nightly_outcome(run)
            if not run.is_draft:  # no change request waits for it
                run_reactions(Occasion(RunFinished(), subject=(run.template,)))


def _score(run: Run) -> dict[str, Any]:
    """The scores of the existing rows in the form of `scoring_process.score_result`, including the judge's."""
    with tempfile.TemporaryDirectory(prefix="promptuary-run-") as folder:
        path = Path(folder) / "run.jsonl"
        exports.write_result(run, path)
        scores = scoring_process.score_result(path, run.metrics) if run.metrics else {}
        if run.judge is not None:
            judge_calls.score_judgements(run, scores)
    return scores


def _add_scores(run: Run, scores: Mapping[str, Any]) -> list[RunRow]:
    """The run's rows with their scores set, not written yet."""
    columns = scores.get("rows", {})
    run_rows = list(RunRow.objects.filter(run=run).only("pk", "index"))
    for row in run_rows:
        row.scores_text = json.dumps({name: values[row.index] for name, values in columns.items()})
    return run_rows


def _score_rows_so_far(run: Run) -> None:
    """Score the rows of a run under way, so that its figures are visible before it ends.

    All rows are scored each time, so this is skipped if it would take a large part of a slice.
    """
    if not run.metrics or run.total > _MAX_SCORED_EARLY or any(name in _SLOW_METRICS for name in run.metrics):
        return
    run_rows = _add_scores(run, _score(run))
    with transaction.atomic():
        lock_run(run)
        RunRow.objects.bulk_update(run_rows, ["scores_text"], batch_size=200)
