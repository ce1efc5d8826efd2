"""Background work of a client: refreshing labels, listening for label moves, and reporting usage."""

import json
import logging
import time
from dataclasses import dataclass
from urllib.parse import urlencode

from promptuary import renderer
from promptuary._daemon_thread import DaemonThread
from promptuary._fetching import IDLE, ClientState, make_answer_error, mark_stale, refresh_template
from promptuary._outcomes import Outcomes
from promptuary._transport import Request, Transport, run_flow
from promptuary.bundles import decode_object
from promptuary.errors import BadAnswer, NotAllowed, NotFound, PromptuaryError, Refused, Unavailable

__all__ = ["LabelRefresher", "MoveListener", "Moved"]

REPORT_EVERY = 60.0  # seconds; the registry accepts one report a minute
MAX_PAUSE = 60.0
MIN_PAUSE_LENGTH = 0.01
WAIT = 25  # seconds that the registry may hold a long poll for moves
SETTLED = 1.5  # seconds after which every process of the registry has seen a move
AGAIN = 0.1  # seconds between two retries until then
_log = logging.getLogger("promptuary")


@dataclass(frozen=True)
class Moved:
    """The new target of a moved label: its digest, None if the label was removed, `""` if that is not known.

    One registry process may report a move that the next one hasn't seen yet. So until `settled`, in seconds of the
    client's clock, any other digest is checked again.
    """

    digest: str | None
    settled: float


class LabelRefresher:
    """Refreshes expired labels, so that no caller has to wait, and sends reports."""

    def __init__(self, state: ClientState, transport: Transport, daemon: DaemonThread) -> None:
        self._state = state
        self.transport = transport
        self._report_at = state.clock() + REPORT_EVERY
        self.moved: dict[tuple[str, str], Moved] = {}
        self._unsettled: dict[tuple[str, str], tuple[float, Moved]] = {}
        self.daemon = daemon
        daemon.attach(self.step)

    def step(self) -> float:
        """Do what is due and return the seconds until the next step."""
        self.refresh_due()
        if self._state.clock() >= self._report_at:
            self.report()
        return self._pause()

    def refresh_due(self) -> None:
        """Refresh the labels that moved, and the expired ones that were recently in use."""
        state = self._state
        now = state.clock()
        moves = self._take_moved(now)
        outage: Unavailable | None = None
        for name, ref, entry in state.memory.labels():
            move = moves.get((name, ref))
            is_due = state.ttl > 0 and entry.fresh_until <= now and now - entry.used <= IDLE
            if self.daemon.stopping or not (is_due or move is not None):
                continue
            try:
                if outage is not None:
                    raise outage  # skip the others: each would wait for its timeout too
                entry_or_error = run_flow(refresh_template(state, name, ref, entry), self.transport)
            except (NotAllowed, NotFound) as error:
                _log.warning("%s@%s is not served any more: %s", name, ref, error)
            except (PromptuaryError, renderer.RenderError) as error:
                outage = error if isinstance(error, Unavailable) else outage
                mark_stale(state, name, ref, entry, error)
            else:
                self._settle((name, ref), move, entry_or_error.digest)

    def _take_moved(self, now: float) -> dict[tuple[str, str], Moved]:
        """Take the label moves since the last call, and the labels that are due for another check."""
        for target, (ask_at, move) in list(self._unsettled.items()):
            if ask_at <= now:
                del self._unsettled[target]
                self.moved.setdefault(target, move)
        moves = {}
        while self.moved:
            target, move = self.moved.popitem()
            moves[target] = move
        return moves

    def _settle(self, target: tuple[str, str], move: Moved | None, digest: str) -> None:
        """Schedule another check if the fetched version is not the one that was announced."""
        now = self._state.clock()
        if move is None or move.digest == digest or now >= move.settled:
            return
        self._unsettled[target] = (move.settled if move.digest == "" else now + AGAIN), move

    def report(self, timeout: float | None = None, *, may_load: bool = True) -> None:
        """Send the collected counts, within `timeout` seconds or else the client's own timeout.

        Undelivered counts go into the next report; refused ones are dropped. With `may_load`, prompts may be counted
        with a vocabulary that must first be read from disk.
        """
        self._report_at = self._state.clock() + REPORT_EVERY
        usage = self._state.usage
        reports = usage.take(may_load=may_load) if usage is not None else []
        if usage is None:
            return
        ends = time.monotonic() + (self._state.timeout if timeout is None else timeout)
        if reports:
            try:
                self._post("/api/v1/reports", {"reports": reports}, ends)
            except Refused as error:
                usage.failed += 1
                _log.debug("a report of what was rendered was refused: %s", error)
            except PromptuaryError as error:
                usage.give_back(reports)
                _log.debug("a report of what was rendered did not arrive: %s", error)
        self._report_outcomes(usage.outcomes, ends)

    def _report_outcomes(self, outcomes: Outcomes, ends: float) -> None:
        while batch := outcomes.take():
            try:
                self._post("/api/v1/outcomes", {"outcomes": batch}, ends)
            except Refused as error:
                outcomes.dropped += len(batch)
                _log.debug("a report of outcomes was refused: %s", error)
            except PromptuaryError as error:
                outcomes.give_back(batch)
                _log.debug("a report of outcomes did not arrive: %s", error)
                return

    def _post(self, path: str, content: object, ends: float) -> None:
        seconds = max(ends - time.monotonic(), MIN_PAUSE_LENGTH)
        headers = {"Accept": "application/json", "Content-Type": "application/json"}
        answer = self.transport.send(Request("POST", path, seconds, headers, json.dumps(content).encode()))
        if not 200 <= answer.status < 300:
            raise make_answer_error(answer)

    def finish(self, seconds: float, *, may_load: bool) -> None:
        """Stop, and send the last report, both within `seconds`."""
        ends = time.monotonic() + seconds
        self.daemon.stop(seconds)
        self.report(max(ends - time.monotonic(), MIN_PAUSE_LENGTH), may_load=may_load)

    def renew(self) -> None:
        """Reset in a child after a fork."""
        self.daemon.renew()
        self._report_at = self._state.clock() + REPORT_EVERY
        self._unsettled.clear()

    def _pause(self) -> float:
        now = self._state.clock()
        due_times = [entry.fresh_until for _, _, entry in self._state.memory.labels() if now - entry.used <= IDLE]
        until = min(due_times, default=now + MAX_PAUSE) if self._state.ttl > 0 else now + MAX_PAUSE
        until = min([until, *(again for again, _ in self._unsettled.values())])
        if self._state.usage is not None:
            until = min(until, self._report_at)
        return min(max(until - now, MIN_PAUSE_LENGTH), MAX_PAUSE)


class MoveListener:
    """Long-polls for moves of one namespace's labels, and has the refresher fetch them immediately."""

    def __init__(self, state: ClientState, transport: Transport, keeper: LabelRefresher, namespace: str) -> None:
        self._state = state
        self._transport = transport
        self._keeper = keeper
        self._namespace = namespace
        self._failures = 0
        self.cursor: str | None = None
        self.daemon = DaemonThread(f"promptuary-moves-{namespace}")
        self.daemon.attach(self.step)

    def step(self) -> float:
        """Poll once and return the seconds until the next poll."""
        try:
            moves = self._ask()
        except PromptuaryError as error:
            self._failures += 1
            if self._failures == 1:
                _log.warning("label moves of %s are not told at the moment: %s", self._namespace, error)
            return min(2.0 ** min(self._failures - 1, 10), MAX_PAUSE)
        if self._failures:
            _log.warning("label moves of %s are told again", self._namespace)
        self._failures = 0
        return moves

    def renew(self) -> None:
        """Reset in a child after a fork."""
        self.daemon.renew()
        self.cursor = None

    def _ask(self) -> float:
        query = {"after": self.cursor, "wait": WAIT} if self.cursor is not None else {}
        path = f"/api/v1/namespaces/{self._namespace}/moves" + (f"?{urlencode(query)}" if query else "")
        timeout = WAIT + 5.0 if query else self._state.timeout
        answer = self._transport.send(Request("GET", path, timeout, {"Accept": "application/json"}))
        if answer.status != 200:
            raise make_answer_error(answer)
        answer_fields = decode_object(answer.body, "the registry")
        try:
            cursor, again = str(answer_fields["cursor"]), float(answer_fields["again"])
            # A change of a rollout leaves the digest as it is, so the digest can't show whether an answer is current.
            moves = {
                (str(move["name"]), str(move["label"])): "" if move.get("rollout") else move["digest"]
                for move in answer_fields["moves"]
            }
        except (KeyError, TypeError, ValueError):
            raise BadAnswer("the registry: these aren't label moves") from None
        if answer_fields.get("reset") or self.cursor is None:
            # Any label may have moved before this cursor without this client being notified.
            labels = [(name, ref) for name, ref, _ in self._state.memory.labels()]
            moves = {
                **{target: "" for target in labels if target[0].startswith(f"{self._namespace}/")},
                **moves,
            }
        self.cursor = cursor
        if moves:
            settled = self._state.clock() + SETTLED
            self._keeper.moved.update({target: Moved(digest, settled) for target, digest in moves.items()})
            self._keeper.daemon.wake()
        return min(max(again, 0.0), MAX_PAUSE)
