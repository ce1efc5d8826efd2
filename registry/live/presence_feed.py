"""The pages of one process that show who is in the editor, and the tabs that it heard of.

All of them share one round every ROUND_SECONDS: one statement says which tabs are still there, and four questions who
is where and which sessions and roles hold. So nothing is written or asked for a single heartbeat or page.
"""

import asyncio
import functools
import logging
from collections.abc import Mapping
from dataclasses import dataclass, field

from django.db import DatabaseError

from registry.live.journal_feed import Readers, Subscription, load_readers
from registry.live.requests import run_in_thread
from registry.templates import presence

__all__ = ["ROUND_SECONDS", "PresenceFeed", "Watcher", "presence_feed"]

ROUND_SECONDS = 2.0
logger = logging.getLogger(__name__)


@dataclass(eq=False)
class Watcher:
    """One page: its reader, its template, and the lists of names it has still to send; None in the queue ends it."""

    reader: Subscription
    template: str
    queue: asyncio.Queue[list[str] | None] = field(default_factory=asyncio.Queue)
    told: list[str] | None = None

    def tell(self, people: Mapping[int, str]) -> None:
        """Tell the names of the others, where they are other names than before."""
        names = sorted(name for person, name in people.items() if person != self.reader.user.pk)
        if names != self.told:
            self.told = names
            self.queue.put_nowait(names)


class PresenceFeed:
    """The watchers and tabs of one process. Its methods belong to the event loop."""

    def __init__(self) -> None:
        self._watchers: set[Watcher] = set()
        self._tabs: dict[tuple[int, str], str] = {}  # those whose rows this process knows, with their template
        self._heard: set[tuple[int, str]] = set()
        self._rounds: asyncio.Task[None] | None = None

    def __len__(self) -> int:
        return len(self._watchers)

    def add(self, watcher: Watcher) -> None:
        """Tell it who is there from now on."""
        self._watchers.add(watcher)
        self._start()

    def remove(self, watcher: Watcher) -> None:
        """Tell it no more."""
        self._watchers.discard(watcher)

    def hear(self, person: int, tab: str, template: str) -> bool:
        """Note that a tab is still there; False where this process does not know its row, which then has to be made."""
        if self._tabs.get((person, tab)) != template:
            return False
        self._heard.add((person, tab))
        self._start()
        return True

    def learn(self, person: int, tab: str, template: str) -> None:
        """Know that the tab's row was made."""
        self._tabs[(person, tab)] = template

    def forget(self, person: int, tab: str) -> None:
        """Know the tab no more."""
        self._tabs.pop((person, tab), None)
        self._heard.discard((person, tab))

    def _start(self) -> None:
        if self._rounds is None or self._rounds.done():
            self._rounds = asyncio.get_running_loop().create_task(self._run())

    async def _run(self) -> None:
        while self._watchers or self._heard:
            heard, self._heard = self._heard, set()
            watchers = list(self._watchers)
            try:
                await self._refresh(heard)
                if watchers:
                    people, readers = await run_in_thread(_load, watchers)
                    for watcher in watchers:
                        _hand_over(watcher, people, readers)
            except DatabaseError:
                logger.warning("pages are not told who is in the editor: the database can't be asked", exc_info=True)
            await asyncio.sleep(ROUND_SECONDS)
        self._tabs.clear()

    async def _refresh(self, heard: set[tuple[int, str]]) -> None:
        if heard and await run_in_thread(presence.refresh_presence, heard) < len(heard):
            for tab in heard:  # a row is gone: each tab makes its own again
                self._tabs.pop(tab, None)


@functools.cache
def presence_feed() -> PresenceFeed:
    """The one of this process."""
    return PresenceFeed()


def _load(watchers: list[Watcher]) -> tuple[Mapping[str, Mapping[int, str]], Readers]:
    names = {watcher.template for watcher in watchers}
    namespaces = {name.partition("/")[0] for name in names}
    readers = load_readers([watcher.reader for watcher in watchers], namespaces)
    return presence.list_people_in_editor(names), readers


def _hand_over(watcher: Watcher, people: Mapping[str, Mapping[int, str]], readers: Readers) -> None:
    member = (watcher.reader.user.pk, watcher.template.partition("/")[0])
    if readers.is_signed_in(watcher.reader) and member in readers.members:
        watcher.tell(people[watcher.template])
    else:
        watcher.queue.put_nowait(None)
