"""Background work of a client: refreshing labels, following label moves, and reporting usage."""

import json
import logging
import time
from dataclasses import dataclass
from urllib.parse import urlencode

from promptuary import renderer
from promptuary._daemon_thread import DaemonThread
from promptuary._fetching import IDLE, ClientState, error_of_answer, mark_stale, refresh_template
from promptuary._outcomes import Outcomes
from promptuary._transport import Request, Transport, run_flow
from promptuary.bundles import decode_object
from promptuary.errors import BadAnswer, NotAllowed, NotFound, PromptuaryError, Refused, Unavailable

__all__ = ["LabelRefresher", "MoveListener", "Moved"]

REPORT_EVERY = 60.0  # seconds; the registry takes one report a minute
LONGEST_PAUSE = 60.0
SHORTEST_PAUSE = 0.01
WAIT = 25  # seconds that the registry may hold a question for moves
SETTLED = 1.5  # seconds after which every process of the registry knows of a move
AGAIN = 0.1  # seconds between two questions until then
_log = logging.getLogger("promptuary")


@dataclass(frozen=True)
class Moved:
    """What a label points to by now: the digest, None if it was removed, `""` if only that is known that it may
    have moved.

    One process of the registry may tell of a move that the next one to be asked has not heard of: until `settled`,
    seconds of the client's clock, another answer than this is not the last word.
    """

    digest: str | None
    settled: float


class LabelRefresher:
    """Asks for the labels whose time is over, so that no caller waits for it, and sends reports."""

    def __init__(self, state: ClientState, transport: Transport, daemon: DaemonThread) -> None:
        self._state = state
        self.transport = transport
        self._report_at = state.clock() + REPORT_EVERY
        self.moved: dict[tuple[str, str], Moved] = {}
        self._unsettled: dict[tuple[str, str], tuple[float, Moved]] = {}
        self.daemon = daemon
        daemon.attach(self.step)

    def step(self) -> float:
        """Do what is due, and say in how many seconds there is more."""
        self.refresh_due()
        if self._state.clock() >= self._report_at:
            self.report()
        return self._pause()

    def refresh_due(self) -> None:
        """Confirm or replace the labels that moved, and those whose time is over as long as somebody asks for them."""
        state = self._state
        now = state.clock()
        moves = self._take_moved(now)
        outage: Unavailable | None = None
        for name, ref, entry in state.memory.labels():
            move = moves.get((name, ref))
            is_due = state.ttl > 0 and entry.fresh_until <= now and now - entry.asked <= IDLE
            if self.daemon.stopping or not (is_due or move is not None):
                continue
            try:
                if outage is not None:
                    raise outage  # the others are not asked for: each would wait for as long
                entry_or_error = run_flow(refresh_template(state, name, ref, entry), self.transport)
            except (NotAllowed, NotFound) as error:
                _log.warning("%s@%s is not served any more: %s", name, ref, error)
            except (PromptuaryError, renderer.RenderError) as error:
                outage = error if isinstance(error, Unavailable) else outage
                mark_stale(state, name, ref, entry, error)
            else:
                self._settle((name, ref), move, entry_or_error.digest)

    def _take_moved(self, now: float) -> dict[tuple[str, str], Moved]:
        """Label moves since the last call, and the labels that are due to be checked again."""
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
        """Send what was counted, within the client's bound if no other is given.

        What does not arrive goes into the next report; what is refused is forgotten. `may_load` lets prompts be counted
        with a vocabulary that has to be read from disk first.
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
        seconds = max(ends - time.monotonic(), SHORTEST_PAUSE)
        headers = {"Accept": "application/json", "Content-Type": "application/json"}
        answer = self.transport.send(Request("POST", path, seconds, headers, json.dumps(content).encode()))
        if not 200 <= answer.status < 300:
            raise error_of_answer(answer)

    def finish(self, seconds: float, *, may_load: bool) -> None:
        """Stop, and send the last report, both within these seconds."""
        ends = time.monotonic() + seconds
        self.daemon.stop(seconds)
        self.report(max(ends - time.monotonic(), SHORTEST_PAUSE), may_load=may_load)

    def renew(self) -> None:
        """Start again, in a child after a fork."""
        self.daemon.renew()
        self._report_at = self._state.clock() + REPORT_EVERY
        self._unsettled.clear()

    def _pause(self) -> float:
        now = self._state.clock()
        due_times = [entry.fresh_until for _, _, entry in self._state.memory.labels() if now - entry.asked <= IDLE]
        until = min(due_times, default=now + LONGEST_PAUSE) if self._state.ttl > 0 else now + LONGEST_PAUSE
        until = min([until, *(again for again, _ in self._unsettled.values())])
        if self._state.usage is not None:
            until = min(until, self._report_at)
        return min(max(until - now, SHORTEST_PAUSE), LONGEST_PAUSE)


class MoveListener:
    """Waits for the moves of one namespace's labels, and has the keeper fetch what moved at once."""

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
        """Ask once, and say in how many seconds to ask again."""
        try:
            moves = self._ask()
        except PromptuaryError as error:
            self._failures += 1
            if self._failures == 1:
                _log.warning("label moves of %s are not told at the moment: %s", self._namespace, error)
            return min(2.0 ** min(self._failures - 1, 10), LONGEST_PAUSE)
        if self._failures:
            _log.warning("label moves of %s are told again", self._namespace)
        self._failures = 0
        return moves

    def renew(self) -> None:
        """Start again, in a child after a fork."""
        self.daemon.renew()
        self.cursor = None

    def _ask(self) -> float:
        query = {"after": self.cursor, "wait": WAIT} if self.cursor is not None else {}
        path = f"/api/v1/namespaces/{self._namespace}/moves" + (f"?{urlencode(query)}" if query else "")
        timeout = WAIT + 5.0 if query else self._state.timeout
        answer = self._transport.send(Request("GET", path, timeout, {"Accept": "application/json"}))
        if answer.status != 200:
            raise error_of_answer(answer)
        answer_fields = decode_object(answer.body, "the registry")
        try:
            cursor, again = str(answer_fields["cursor"]), float(answer_fields["again"])
            # Where a rollout changed the digest stays, so the digest cannot show that the answer is the newest.
            moves = {
                (str(move["name"]), str(move["label"])): "" if move.get("rollout") else move["digest"]
                for move in answer_fields["moves"]
            }
        except (KeyError, TypeError, ValueError):
            raise BadAnswer("the registry: these are no label moves") from None
        if answer_fields.get("reset") or self.cursor is None:
            # Moves up to this point were not announced to this client.
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
        return min(max(again, 0.0), LONGEST_PAUSE)
