"""A pool of threads that call a model for the rows of a run, and one thread that counts what they spend.

The pool's threads don't use the database. Before each attempt a thread waits until the pool's owner has checked the
spending caps and counted the attempt, so that a cap is exceeded at most by the attempts in flight.
"""

import json
import queue
import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any

from promptuary.evaluation import ModelError
from promptuary.evaluation.models import Model, Reply
from registry.connections.counted_calls import CountedCall, ask_with_tries
from registry.connections.endpoint import Endpoint
from registry.evaluations.models import Run
from registry.evaluations.row_calls import RowCall

__all__ = ["CallPool"]

_MAX_LENGTH = 1024 * 1024  # the most characters of a reply that are kept
_Prompt = Mapping[str, Any]


@dataclass(frozen=True)
class _Messages:
    """The messages for a model, from the bounded child's result."""

    messages: list[dict[str, Any]]


@dataclass(frozen=True)
class _Ask:
    """One prompt of a row, asked in a thread, and its count."""

    row: RowCall
    prompt: _Prompt
    count: CountedCall


@dataclass(frozen=True)
class _Try:
    """An attempt that waits for permission: None, or the error that refuses it. spent: by the attempts before it."""

    ask: _Ask
    spent: Sequence[Reply]
    permission: "Future[None]" = field(default_factory=Future)


@dataclass(frozen=True)
class _End:
    """The end of a call: what a provider may bill for it."""

    ask: _Ask
    billed: Sequence[Reply]


class CallPool:
    """Calls one model for rows of a run. find_known: returns a prompt's cached reply, if there is one."""

    def __init__(
        self, run: Run, endpoint: Endpoint, model: Model, find_known: Callable[[_Prompt], Reply | None]
    ) -> None:
        self._run, self._endpoint, self._model, self._find_known = run, endpoint, model, find_known
        self._events: queue.SimpleQueue[_Try | _End] = queue.SimpleQueue()
        self._refusal: BaseException | None = None

    def ask(self, batch: Sequence[RowCall]) -> None:
        """Fill in each row's replies; the prompts of a row are asked in sequence.

        Raises TooMany if a spending cap is reached and Conflict if the price can't be counted against it, once the
        calls in flight are over.
        """
        waiting, in_flight = deque(row for row in batch if row.prompts and not row.problem), 0
        with ThreadPoolExecutor(self._endpoint.concurrency) as pool:
            while in_flight or (waiting and self._refusal is None):
                try:
                    if waiting and in_flight < self._endpoint.concurrency and self._refusal is None:
                        pool.submit(self._ask_once, self._prepare(waiting.popleft()))
                        in_flight += 1
                        continue
                    event = self._events.get()
                    if isinstance(event, _Try):
                        self._obtain_permit(event)
                        continue
                    in_flight -= 1
                    row = self._settle(event)
                    if row is not None:
                        waiting.appendleft(row)
                except BaseException as error:  # noqa: BLE001  # raised once no thread waits for this one any more
                    self._refusal = self._refusal or error
        if self._refusal is not None:
            raise self._refusal

    def _prepare(self, row: RowCall) -> _Ask:
        """Prepare the row's next prompt."""
        prompt = row.prompts[len(row.replies)]
        text = json.dumps(prompt["messages"], ensure_ascii=False)
        space, person = self._run.template.namespace, self._run.started_by
        return _Ask(row, prompt, CountedCall(space, person, self._endpoint, text, prompt["token_count"]))

    def _obtain_permit(self, event: _Try) -> None:
        """Check the caps and count the try. After one refusal all later ones are refused too."""
        try:
            event.ask.count.settle(event.spent)
            if self._refusal is None:
                event.ask.count.count_try()
        except BaseException as error:
            self._refusal = error
            raise
        finally:
            if self._refusal is None:
                event.permission.set_result(None)
            else:
                event.permission.set_exception(self._refusal)

    def _settle(self, end: _End) -> RowCall | None:
        """Count what was billed. Return the row if it has more prompts to ask."""
        end.ask.count.settle(end.billed)
        row = end.ask.row
        return row if not row.problem and len(row.replies) < len(row.prompts) else None

    def _ask_once(self, ask: _Ask) -> None:
        """Fill in the row's reply to the prompt and report what was billed for it. Runs in a thread."""
        row, began, spent = ask.row, time.monotonic(), list[Reply]()
        try:
            reply = self._find_known(ask.prompt) or self._ask_model(ask)
            row.faults += reply.faults
            spent += reply.spent
            if len(reply.text) > _MAX_LENGTH:
                spent.append(reply)
                raise ModelError(f"the reply has {len(reply.text)} characters; at most {_MAX_LENGTH} are kept")
            row.replies.append(reply)
        except Exception as error:  # noqa: BLE001  # whatever a model's client raises is this row's failure
            row.faults += getattr(error, "faults", ())
            spent += getattr(error, "spent", ())
            row.stop("model", error)
        row.spent += spent
        row.milliseconds += int((time.monotonic() - began) * 1000)
        billed = spent if row.problem else [*spent, row.replies[-1]]
        self._events.put(_End(ask, [reply for reply in billed if not reply.cached]))

    def _ask_model(self, ask: _Ask) -> Reply:
        def wait_for_permission(spent: Sequence[Reply]) -> None:
            waiting = _Try(ask, tuple(spent))
            self._events.put(waiting)
            waiting.permission.result()

        settings = ask.prompt["settings"] or {}
        return ask_with_tries(
            self._endpoint, self._model, _Messages(ask.prompt["messages"]), settings, wait_for_permission
        )
