"""Streams of replies, in asyncio: the model is called while a client listens, and each piece of the reply is stored.

    async with contextlib.aclosing(stream_column(actor, column_id)) as events:
        async for name, data in events: ...

Events, each a name and JSON:

    text     {text}                       a piece; with `replace: true` all received so far
    tool     {name, arguments}            a tool call, after the text
    waiting  {seconds, detail}            a pause of that length; seconds are null if unknown
    done     the column's JSON
    stopped  the column's JSON
    failed   {detail, retry_after, column}

The last three end the stream. Closing it earlier ends the call, and the column is stopped. A second stream of a column
in progress reads what was stored. In every case the call is ended by a separate task, which stores what was received
and what it cost; only a killed process leaves that to `replies.fail_lost_columns`.
"""

# no texts here: outcomes are stored

import asyncio
import contextlib
import logging
import time
import weakref
from collections.abc import AsyncGenerator
from typing import Any

import httpx

from promptuary.evaluation import ModelError
from promptuary.evaluation.partial_reply import PartialReply
from registry.accounts.actor import Actor
from registry.connections.endpoint import Endpoint
from registry.core.database_threads import run_in_thread
from registry.core.errors import PromptuaryError, TooMany
from registry.core.sentences import end_sentence
from registry.playground import replies
from registry.playground.models import PlaygroundColumn
from registry.playground.replies import Outcome

__all__ = ["Event", "stream_column"]

Event = tuple[str, dict[str, Any]]
_BEAT = 1.0  # seconds between two writes of progress, and between two checks whether a reply should stop
_PIECE = 0.1  # seconds between two pieces of text sent: more would not be visible, and each costs time
_PIECES_A_SECOND = 160  # of all replies of this loop: above 16 replies the pause gets longer, so that fetches wait less
_POLL = 0.5  # seconds between two reads of a reply that another stream writes
_BUSY = (429, 503, 529)  # statuses of a busy server; the last one is Anthropic's
_MAX_PAUSE = 60.0  # seconds that a busy model may ask to wait
_SHORT_PAUSE = 2.0  # if it doesn't say
_MAX_CALL_SECONDS = 900.0  # seconds of a whole reply
_NOT_WRITTEN = "The end of this reply could not be stored."
_CLOSED = "The connection to the page ended while this was written."
_FINAL = ("done", "stopped", "failed")
logger = logging.getLogger(__name__)


async def stream_column(actor: Actor, column_id: int) -> AsyncGenerator[Event, None]:
    """The events of one column of the actor's; the first stream calls the model.

    Raises NotFound for another person's column, NotAllowed if the role no longer suffices.
    """
    if not await run_in_thread(replies.claim_column, actor, column_id):
        async for event in _follow(actor, column_id):
            yield event
        return
    call = _Call(actor, column_id)
    task = asyncio.create_task(call.run())
    calls = _find_calls_of_loop()
    calls.add(call, task)
    try:
        sent_at = 0.0
        while True:
            event = await call.events.get()
            following = None
            if event[0] == "text":
                await asyncio.sleep(max(0.0, sent_at + calls.pause - time.monotonic()))
                event, following = _join_texts(event, call.events)
                sent_at = time.monotonic()
            for next_event in (event, following):
                if next_event is not None:
                    yield next_event
                    if next_event[0] in _FINAL:
                        return
    finally:
        if not task.done():
            task.cancel()
            await asyncio.wait([task])


def _join_texts(event: Event, events: "asyncio.Queue[Event]") -> tuple[Event, Event | None]:
    """Join a piece of text with the queued ones after it; also return the next other event, if already queued."""
    texts = [event[1]["text"]]
    while not events.empty():
        following = events.get_nowait()
        if following[0] != "text":
            return ("text", {"text": "".join(texts)}), following
        texts.append(following[1]["text"])
    return ("text", {"text": "".join(texts)}), None


async def _follow(actor: Actor, column_id: int) -> AsyncGenerator[Event, None]:
    """The events of a reply that another stream writes, or of one that is over."""
    sent = ""
    while True:
        progress = await run_in_thread(replies.read_progress, actor, column_id)
        if progress.ended is not None:
            yield _build_final_event(progress.ended)
            return
        if sent and progress.text.startswith(sent):
            if len(progress.text) > len(sent):
                yield "text", {"text": progress.text[len(sent) :]}
        elif progress.text:
            yield "text", {"text": progress.text, "replace": True}
        sent = progress.text
        await asyncio.sleep(_POLL)


def _build_final_event(column: dict[str, Any]) -> Event:
    if column["state"] == PlaygroundColumn.FAILED:
        return "failed", {**(column["problem"] or {"detail": "", "retry_after": None}), "column": column}
    return column["state"], column


class _Call:
    """One call of a model, from the wait for its turn to the last write."""

    def __init__(self, actor: Actor, column_id: int) -> None:
        self.column_id = column_id
        self.events: asyncio.Queue[Event] = asyncio.Queue()
        self.reply = PartialReply()
        self.is_stop_asked = False
        self._is_refused = False  # whether the provider rejected the last request
        self._actor = actor
        self._model = ""  # its name, once it is known
        self._sent_at: float | None = None
        self._first_at: float | None = None

    async def run(self) -> None:
        """Call the model and store the outcome; cancellation stops the reply."""
        # The connection's slot is released after the end is stored: until then its cost is not counted.
        async with contextlib.AsyncExitStack() as place:
            await self._end(await self._ask_and_judge(place))

    async def _ask_and_judge(self, place: contextlib.AsyncExitStack) -> Outcome:
        try:
            async with asyncio.timeout(_MAX_CALL_SECONDS):
                await self._ask(place)
            return self._build_outcome(PlaygroundColumn.DONE)
        except asyncio.CancelledError:
            problem = "" if self.is_stop_asked else _CLOSED
            return self._build_outcome(PlaygroundColumn.STOPPED, problem, is_refused=self._is_refused)
        except TimeoutError:
            return self._build_outcome(PlaygroundColumn.FAILED, f"The reply took longer than {_MAX_CALL_SECONDS:g} s.")
        except ModelError as error:
            return self._describe_failure(error)
        except PromptuaryError as error:
            retry_after = error.facts.get("retry_after") if isinstance(error, TooMany) else None
            seconds = float(retry_after) if isinstance(retry_after, int | float) else None
            return self._build_outcome(PlaygroundColumn.FAILED, error.message, seconds, is_refused=True)
        except Exception:  # in every case the column must end and its spending be counted
            logger.exception("the reply of column %s failed", self.column_id)
            return self._build_outcome(PlaygroundColumn.FAILED, "This failed in a way it should not; the log has it.")

    async def _end(self, outcome: Outcome) -> None:
        """Store the end even if this task is cancelled meanwhile."""
        writing = asyncio.ensure_future(run_in_thread(replies.end_reply, self.column_id, self.reply, outcome))
        while not writing.done():
            try:
                await asyncio.shield(writing)
            except asyncio.CancelledError:
                continue
            except Exception:  # noqa: BLE001  # looked at below
                break
        for call in self.reply.tool_calls.values():
            self.events.put_nowait(("tool", {"name": call.name, "arguments": call.arguments}))
        if error := writing.exception():  # the row is ended later, like one that lost its process
            logger.error("the end of column %s was not written", self.column_id, exc_info=error)
            self.events.put_nowait(("failed", {"detail": _NOT_WRITTEN, "retry_after": None, "column": None}))
        else:
            self.events.put_nowait(_build_final_event(writing.result()))

    async def _ask(self, place: contextlib.AsyncExitStack) -> None:
        endpoint = await run_in_thread(replies.find_call_endpoint, self._actor, self.column_id)
        self._model = endpoint.name
        find_slots = _find_calls_of_loop().find_slots(endpoint)
        if find_slots.locked():
            detail = f"{endpoint.name} is writing {endpoint.concurrency} replies; this one waits for its turn."
            self.events.put_nowait(("waiting", {"seconds": None, "detail": detail}))
        await place.enter_async_context(find_slots)
        try:
            await self._ask_once(endpoint)
        except ModelError as error:
            if error.status not in _BUSY or self.reply.text or (error.retry_after or 0) > _MAX_PAUSE:
                raise
            seconds = _SHORT_PAUSE if error.retry_after is None else error.retry_after
            self._is_refused = True
            detail = f"The model is busy ({error.status}). Retrying in {seconds:.0f} s."
            self.events.put_nowait(("waiting", {"seconds": seconds, "detail": detail}))
            await asyncio.sleep(seconds)
            await self._ask_once(endpoint)

    async def _ask_once(self, endpoint: Endpoint) -> None:
        sent = await run_in_thread(replies.send_call, self._actor, self.column_id, endpoint)
        self._sent_at, self._is_refused = time.monotonic(), False
        async for piece in sent.model.stream(sent.request, self.reply):
            self._first_at = self._first_at or time.monotonic()
            self.events.put_nowait(("text", {"text": piece}))

    def _describe_failure(self, error: ModelError) -> Outcome:
        refused_by_status = error.status is not None and not self.reply.text
        never_sent = isinstance(error.__cause__, httpx.ConnectError | httpx.ConnectTimeout)
        sentence = end_sentence(self._describe_refusal(error) or self._capitalise(str(error)))
        is_refused = refused_by_status or never_sent
        return self._build_outcome(PlaygroundColumn.FAILED, sentence[:2000], error.retry_after, is_refused=is_refused)

    def _describe_refusal(self, error: ModelError) -> str:
        """A sentence for a status that is self-explanatory, else empty."""
        if error.status in _BUSY:
            busy = f"The model is busy ({error.status})"
            return f"{busy}: {error.reason}" if error.reason else busy
        if error.status == 403 and error.reason:
            return f"The endpoint forbids this call: {error.reason}"
        return _REJECTED if error.status in (401, 403) else ""

    def _capitalise(self, text: str) -> str:
        """Capitalise the first letter, unless the text begins with the model's name."""
        return text if self._model and text.startswith(self._model) else text[:1].upper() + text[1:]

    def _build_outcome(
        self, state: str, problem: str = "", retry_after: float | None = None, *, is_refused: bool = False
    ) -> Outcome:
        now = time.monotonic()
        duration = None if self._sent_at is None else int((now - self._sent_at) * 1000)
        first = (
            None if self._sent_at is None or self._first_at is None else int((self._first_at - self._sent_at) * 1000)
        )
        return Outcome(state, problem, retry_after, is_refused, duration, first)


_REJECTED = "The key was rejected. An admin of the namespace can change it."


class _LoopCalls:
    """The calls of one event loop: the task that stores their progress, and the slots of each connection."""

    def __init__(self) -> None:
        self._calls: dict[int, tuple[_Call, asyncio.Task[None]]] = {}
        self._places: dict[tuple[str, str, int], asyncio.Semaphore] = {}
        self._beating: asyncio.Task[None] | None = None

    def add(self, call: _Call, task: "asyncio.Task[None]") -> None:
        """Store this call's reply periodically until its task is over."""
        self._calls[call.column_id] = (call, task)
        task.add_done_callback(lambda _task: self._calls.pop(call.column_id, None))
        if self._beating is None or self._beating.done():
            self._beating = asyncio.create_task(self._record_heartbeats())

    @property
    def pause(self) -> float:
        """Seconds between two pieces of text of one reply."""
        return max(_PIECE, len(self._calls) / _PIECES_A_SECOND)

    def find_slots(self, endpoint: Endpoint) -> asyncio.Semaphore:
        """The slots of a connection: as many as it takes concurrent calls per process."""
        key = (endpoint.name, endpoint.digest, endpoint.concurrency)
        return self._places.setdefault(key, asyncio.Semaphore(endpoint.concurrency))

    async def _record_heartbeats(self) -> None:
        while self._calls:
            await asyncio.sleep(_BEAT)
            calls = dict(self._calls)
            try:
                stopping = await run_in_thread(
                    replies.write_progress, {column_id: call.reply for column_id, (call, _) in calls.items()}
                )
            except Exception:  # a brief outage of the database must not end the replies
                logger.exception("what came of the replies was not written")
                continue
            for column_id in stopping:
                call, task = calls[column_id]
                call.is_stop_asked = True
                task.cancel()


_loops: "weakref.WeakKeyDictionary[asyncio.AbstractEventLoop, _LoopCalls]" = weakref.WeakKeyDictionary()


def _find_calls_of_loop() -> _LoopCalls:
    return _loops.setdefault(asyncio.get_running_loop(), _LoopCalls())
