"""What the worker does for a run: a slice of its rows at a time, then its scores.

A row is written once, in a transaction of its own batch, and told apart by its place; so a worker that is killed loses the
rows it was asking for and no more, and whoever goes on asks for exactly those that are not there.
"""

import itertools
import json
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, field
from datetime import datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

from django.db import transaction
from django.db.models import Count, Q, Sum

from evaluation import ModelError, Row
from evaluation.models import Model
from evaluation.models import Reply as Answer
from registry import endpoints, journal, scorer
from registry.endpoints import Endpoint
from registry.errors import Busy, PromptuaryError
from registry.models import Job, Reply, Run, RunRow
from registry.queries import evaluations as queries
from registry.rendering import child
from registry.services import jobs, verdicts
from renderer.document import parse
from renderer.errors import RenderError

__all__ = ["SECONDS", "advance", "close_lost", "fail"]

SECONDS = 3.0  # that a slice takes before others have their turn; the rows that are asked then are waited for
_ROUNDS = 4  # rows of a batch, for each one that is asked at once
_AT_HAND = 64  # rows of a batch where nothing is asked over a network
_LONGEST = 1024 * 1024  # characters of a reply that are kept
Report = Callable[[int, int], None]


@dataclass
class _Asked:
    """One row on its way: its prompts, then the replies to them, then its outputs, or what stopped it."""

    index: int
    row: Row
    prompts: list[dict[str, Any]] = field(default_factory=list)
    replies: list[Answer] = field(default_factory=list)
    outputs: dict[str, Any] = field(default_factory=dict)
    problem: dict[str, Any] | None = None
    faults: list[str] = field(default_factory=list)
    milliseconds: int = 0

    def actual(self) -> dict[str, Any]:
        """The row's outputs, as `evaluation.TemplateRunnable` names them."""
        texts = [reply.text for reply in self.replies]
        said = texts[0] if len(texts) == 1 else texts
        tokens = sum(prompt["token_count"] for prompt in self.prompts)
        return {"reply": said, "answer": said, "prompt_tokens": tokens, **self.outputs}

    def stop(self, step: str, error: Exception) -> None:
        """Note what stopped the row."""
        message = error.message if isinstance(error, RenderError) else str(error)
        self.problem = {"step": step, "kind": type(error).__name__, "message": message}


@dataclass(frozen=True)
class _Messages:
    """What a model is asked, from the bounded child's answer."""

    messages: list[dict[str, Any]]


def advance(number: int, report: Report = lambda _done, _all: None, seconds: float = SECONDS) -> bool:
    """Ask for rows of the run until they are all there or the time is over; whether more are to be asked for.

    After the last row the run is scored, and change requests that wait for it are looked at again.
    """
    run = queries.load(number)
    if run is None or not _begin(run):
        return False
    try:
        endpoint = endpoints.find(run.model, run.template.namespace.name)
        if endpoint.digest != run.model_digest:
            fail(number, f"The model {run.model} is not what it was when this run was started: start another one.")
            return False
        model = endpoint.open()
    except PromptuaryError as error:
        fail(number, error.message)
        return False
    until = time.monotonic() + seconds
    size = endpoint.concurrency * _ROUNDS if endpoint.kind == "http" else _AT_HAND
    for batch in _batches(run, size):
        try:
            _ask(run, endpoint, model, batch)
        except Busy:
            return True
        report(_keep(run, endpoint, batch), run.total)
        if not Run.objects.filter(pk=number, state=Run.RUNNING).exists():
            return False
        if time.monotonic() > until:
            return True
    _finish(number)
    return False


def fail(number: int, sentence: str) -> None:
    """End a run that can't go on, with a sentence that says why."""
    rows = Run.objects.filter(pk=number, state__in=(Run.QUEUED, Run.RUNNING))
    rows.update(state=Run.FAILED, error=sentence[:2000], finished_at=journal.now())


def close_lost() -> int:
    """Fail runs under way that no job will go on with: their worker was lost too often. Gives how many."""
    under_way = list(Run.objects.filter(state__in=(Run.QUEUED, Run.RUNNING)).values_list("pk", flat=True))
    if not under_way:
        return 0
    kept = Job.objects.filter(kind=jobs.EVALUATION, state__in=(Job.QUEUED, Job.RUNNING))
    served = set(kept.values_list("subject", flat=True))
    lost = [number for number in under_way if f"run {number}" not in served]
    for number in lost:
        fail(number, "The worker was lost too often during this run. Run it again: what came is kept.")
    return len(lost)


def _begin(run: Run) -> bool:
    rows = Run.objects.filter(pk=run.pk, state__in=(Run.QUEUED, Run.RUNNING))
    return bool(rows.update(state=Run.RUNNING, started_at=run.started_at or journal.now()))


def _batches(run: Run, size: int) -> Iterator[list[_Asked]]:
    rows = queries.rows_of(run)
    kept = set(RunRow.objects.filter(run=run).values_list("index", flat=True))
    missing = (_Asked(index, row) for index, row in enumerate(rows) if index not in kept)
    while batch := list(itertools.islice(missing, size)):
        yield batch


def _ask(run: Run, endpoint: Endpoint, model: Model, batch: Sequence[_Asked]) -> None:
    """Render, ask, read. Replies are kept as soon as they are all there: what was paid for is not asked again."""
    bundle = run.version.unpacked()
    _render(bundle, batch)
    keys = {key for one in batch for key in _keys(one, endpoint)}
    known = {row.key: _answer(row) for row in Reply.objects.filter(key__in=keys)}
    with ThreadPoolExecutor(endpoint.concurrency) as pool:
        list(pool.map(lambda one: _ask_one(one, model, endpoint, known), batch))
    _keep_replies(endpoint, batch)
    if parse(bundle["document"]).output:
        _read(bundle, batch)


def _render(bundle: Mapping[str, Any], batch: Sequence[_Asked]) -> None:
    given = {part: bundle[part] for part in ("fragments", "profile")}
    samples = {str(one.index): one.row.inputs for one in batch}
    try:
        with child() as bounded:
            found = bounded.render_samples(bundle["document"], samples, **given)
    except RenderError as error:  # it may be one of them that takes all the time there is
        found = dict.fromkeys(samples, error)
    for one in batch:
        outcome = found[str(one.index)]
        if isinstance(outcome, RenderError):
            _render_one(bundle, one, outcome if len(batch) == 1 else None)
        else:
            one.prompts = [outcome]


def _render_one(bundle: Mapping[str, Any], one: _Asked, final: RenderError | None) -> None:
    """A row by itself: it makes several prompts, or nothing else is to blame."""
    given = {part: bundle[part] for part in ("fragments", "profile")}
    try:
        with child() as bounded:
            one.prompts = bounded.render_all(bundle["document"], one.row.inputs, **given)
    except RenderError as error:
        one.stop("render", final or error)
    else:
        if not one.prompts:
            one.stop("render", ModelError("with these inputs the document makes no prompt"))


def _ask_one(one: _Asked, model: Model, endpoint: Endpoint, known: Mapping[str, Answer]) -> None:
    """Fill in a row's replies; runs in a thread, so it touches no database."""
    if one.problem:
        return
    began = time.monotonic()
    try:
        for prompt, key in zip(one.prompts, _keys(one, endpoint), strict=True):
            reply = known.get(key) or model.complete(_Messages(prompt["messages"]), prompt["settings"] or {})
            one.faults += reply.faults
            if len(reply.text) > _LONGEST:
                raise ModelError(f"the reply has {len(reply.text)} characters; at most {_LONGEST} are kept")
            one.replies.append(reply)
    except Exception as error:  # noqa: BLE001  # whatever a model's client raises is this row's failure
        one.faults += getattr(error, "faults", ())
        one.stop("model", error)
    one.milliseconds = int((time.monotonic() - began) * 1000)


def _read(bundle: Mapping[str, Any], batch: Sequence[_Asked]) -> None:
    """What the document's output makes of the replies, beside the replies themselves."""
    given = {part: bundle[part] for part in ("fragments", "profile")}
    answered = {str(one.index): one for one in batch if not one.problem}
    rows = {name: ([reply.text for reply in one.replies], one.row.inputs) for name, one in answered.items()}
    try:
        with child() as bounded:
            found = bounded.read_many(bundle["document"], rows, **given)
    except RenderError as error:
        if len(batch) > 1:  # one of them takes all the time there is
            for one in answered.values():
                _read(bundle, [one])
            return
        found = dict.fromkeys(rows, error)
    for name, one in answered.items():
        outcome = found[name]
        if isinstance(outcome, RenderError):
            one.stop("read", outcome)
        else:
            one.outputs = outcome


def _keys(one: _Asked, endpoint: Endpoint) -> list[str]:
    """What each prompt's reply is kept under: the messages, the model, the settings."""
    return [
        journal.digest_of(
            journal.canonical(
                {"messages": prompt["messages"], "model": endpoint.digest, "settings": prompt["settings"] or {}}
            )
        )
        for prompt in one.prompts
    ]


def _answer(row: Reply) -> Answer:
    return Answer(**row.value, cached=True)


def _keep_replies(endpoint: Endpoint, batch: Sequence[_Asked]) -> None:
    at = journal.now()
    fresh = [
        Reply(key=key, text=_write_reply(reply), created_at=at)
        for one in batch
        for key, reply in zip(_keys(one, endpoint), one.replies, strict=False)
        if not reply.cached
    ]
    if fresh:
        with transaction.atomic():
            Reply.objects.bulk_create(fresh, ignore_conflicts=True)


def _write_reply(reply: Answer) -> str:
    kept = {name: value for name, value in asdict(reply).items() if name not in ("cached", "faults")}
    return json.dumps(kept)


def _keep(run: Run, endpoint: Endpoint, batch: Sequence[_Asked]) -> int:
    """Write the rows that nobody wrote meanwhile, and count all that there are; gives how many."""
    at = journal.now()
    with transaction.atomic():
        rows = [_row(run, endpoint, one, at) for one in batch]
        RunRow.objects.bulk_create(rows, ignore_conflicts=True)
        counted = RunRow.objects.filter(run=run).aggregate(
            done=Count("pk"),
            failed=Count("pk", filter=Q(is_failed=True)),
            cached=Count("pk", filter=Q(is_cached=True)),
            prompt_tokens=Sum("prompt_tokens"),
            completion_tokens=Sum("completion_tokens"),
            cost=Sum("cost"),
        )
        tokens = {name: counted.pop(name) or 0 for name in ("prompt_tokens", "completion_tokens")}
        Run.objects.filter(pk=run.pk).update(**counted, **tokens)
    return int(counted["done"])


def _row(run: Run, endpoint: Endpoint, one: _Asked, at: datetime) -> RunRow:
    asked = [reply for reply in one.replies if not reply.cached]
    prompt_tokens = _sum(reply.prompt_tokens for reply in one.replies)
    completion_tokens = _sum(reply.completion_tokens for reply in one.replies)
    result = {
        "actual": None if one.problem else one.actual(),
        "problem": one.problem,
        "faults": one.faults,
        "prompts": [prompt["messages"] for prompt in one.prompts],
        "replies": [reply.text for reply in one.replies],
    }
    return RunRow(
        run=run,
        index=one.index,
        result=json.dumps(result),
        is_failed=one.problem is not None,
        is_cached=bool(one.replies) and not asked,
        prompt_tokens=prompt_tokens,
        completion_tokens=completion_tokens,
        cost=_cost(endpoint, one.replies),
        milliseconds=one.milliseconds,
        created_at=at,
    )


def _cost(endpoint: Endpoint, replies: Sequence[Answer]) -> Decimal | None:
    """What the replies cost that were asked for; None where the price or the tokens are not known."""
    price, spent = endpoint.price, Decimal(0)
    if price is None or not replies:
        return None
    for reply in replies:
        if reply.cached:
            continue
        if reply.prompt_tokens is None or reply.completion_tokens is None:
            return None
        spent += price.of(reply.prompt_tokens, reply.completion_tokens)
    return spent


def _sum(counts: Iterable[int | None]) -> int | None:
    known = [count for count in counts if count is not None]
    return sum(known) if known else None


def _finish(number: int) -> None:
    """Score the run, write each row's scores, and have the change requests that wait for it looked at."""
    run = queries.load(number)
    if run is None:
        return
    with tempfile.TemporaryDirectory(prefix="promptuary-run-") as folder:
        path = Path(folder) / "run.jsonl"
        queries.write(run, path)
        found = scorer.score(path, run.metrics) if run.metrics else {}
    columns = found.get("rows", {})
    kept = list(RunRow.objects.filter(run=run).only("pk", "index"))
    for row in kept:
        row.scores_text = json.dumps({name: values[row.index] for name, values in columns.items()})
    with transaction.atomic():
        RunRow.objects.bulk_update(kept, ["scores_text"], batch_size=200)
        ended = Run.objects.filter(pk=number, state=Run.RUNNING).update(
            state=Run.DONE,
            scores_text=json.dumps(found.get("metrics", {})),
            error=" ".join(found.get("faults", ()))[:2000],
            finished_at=journal.now(),
        )
        if ended:
            verdicts.ask(run.template)
