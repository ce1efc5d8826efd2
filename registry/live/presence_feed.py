"""The editor presence of one process: the pages that show it, and the tabs that sent heartbeats.

All of them share one round every ROUND_SECONDS: one statement refreshes the open tabs and the parts they edit, and four
queries read who is where and which sessions and roles are valid. So single heartbeats and pages cause no queries.
"""

import asyncio
import functools
import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from django.db import DatabaseError

from registry.live.journal_feed import Readers, Subscription, load_readers
from registry.live.requests import run_in_thread
from registry.templates import presence
from registry.templates.presence import EditorTab

__all__ = ["ROUND_SECONDS", "PresenceFeed", "Present", "Watcher", "presence_feed"]

ROUND_SECONDS = 2.0
logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class Present:
    """What is sent to a page: names of the others, the parts that some of them edit, and the reader's own tabs."""

    people: list[str]
    parts: dict[str, str]
    own_tabs: list[str]


@dataclass(eq=False)
class Watcher:
    """One page: its reader, its template, and its unsent states; None in the queue ends it."""

    reader: Subscription
    template: str
    queue: asyncio.Queue[Present | None] = field(default_factory=asyncio.Queue)
    last_sent: Present | None = None

    def send(self, tabs: Sequence[EditorTab]) -> None:
        """Send the current state, unless it equals the last one sent. tabs: the most recently active first."""
        reader = self.reader.user.pk
        others = [tab for tab in tabs if tab.person != reader]
        present = Present(
            people=sorted({tab.username for tab in others}),
            parts={tab.username: tab.part for tab in reversed(others) if tab.part},
            own_tabs=sorted(tab.tab for tab in tabs if tab.person == reader),
        )
        if present != self.last_sent:
            self.last_sent = present
            self.queue.put_nowait(present)


class PresenceFeed:
    """The watchers and tabs of one process. Call its methods in the event loop."""

    def __init__(self) -> None:
        self._watchers: set[Watcher] = set()
        self._tabs: dict[tuple[int, str], str] = {}  # tabs whose rows are known to exist, with their template
        self._heard: dict[tuple[int, str], str] = {}  # since the last round, with the part that each edits
        self._rounds: asyncio.Task[None] | None = None

    def __len__(self) -> int:
        return len(self._watchers)

    def add(self, watcher: Watcher) -> None:
        """Subscribe a stream to the presence on its template."""
        self._watchers.add(watcher)
        self._start()

    def remove(self, watcher: Watcher) -> None:
        """Unsubscribe a stream."""
        self._watchers.discard(watcher)

    def record_heartbeat(self, person: int, tab: str, template: str, part: str) -> bool:
        """Record a heartbeat of a tab; False if this process does not know its row, which then has to be created."""
        if self._tabs.get((person, tab)) != template:
            return False
        self._heard[(person, tab)] = part
        self._start()
        return True

    def add_tab(self, person: int, tab: str, template: str) -> None:
        """Record that the tab's row exists."""
        self._tabs[(person, tab)] = template

    def remove_tab(self, person: int, tab: str) -> None:
        """Forget the tab."""
        self._tabs.pop((person, tab), None)
        self._heard.pop((person, tab), None)

    def _start(self) -> None:
        if self._rounds is None or self._rounds.done():
            self._rounds = asyncio.get_running_loop().create_task(self._run())

    async def _run(self) -> None:
        while self._watchers or self._heard:
            heard, self._heard = self._heard, {}
            watchers = list(self._watchers)
            try:
                await self._refresh(heard)
                if watchers:
                    tabs, readers = await run_in_thread(_load, watchers)
                    for watcher in watchers:
                        _deliver(watcher, tabs, readers)
            except DatabaseError:
                logger.warning("pages are not told who is in the editor: the database can't be asked", exc_info=True)
            await asyncio.sleep(ROUND_SECONDS)
        self._tabs.clear()

    async def _refresh(self, heard: Mapping[tuple[int, str], str]) -> None:
        if heard and await run_in_thread(presence.refresh_presence, heard) < len(heard):
            for tab in heard:  # a row is gone: each tab's next heartbeat creates its own again
                self._tabs.pop(tab, None)


@functools.cache
def presence_feed() -> PresenceFeed:
    """The feed of this process."""
    return PresenceFeed()


def _load(watchers: list[Watcher]) -> tuple[Mapping[str, list[EditorTab]], Readers]:
    names = {watcher.template for watcher in watchers}
    namespaces = {name.partition("/")[0] for name in names}
    readers = load_readers([watcher.reader for watcher in watchers], namespaces)
    return presence.list_tabs_in_editor(names), readers


def _deliver(watcher: Watcher, tabs: Mapping[str, list[EditorTab]], readers: Readers) -> None:
    member = (watcher.reader.user.pk, watcher.template.partition("/")[0])
    if readers.is_signed_in(watcher.reader) and member in readers.members:
        watcher.send(tabs[watcher.template])
    else:
        watcher.queue.put_nowait(None)
