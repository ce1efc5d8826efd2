"""The state of the mirror and its remotes, for operators and the page that shows it."""

from dataclasses import dataclass
from datetime import datetime

from django.conf import settings
from django.db.models import Max
from django.utils import timezone

from registry.journal import mirror_paths
from registry.journal.event import to_microseconds
from registry.journal.models import Commit, Event
from registry.mirror import fill
from registry.mirror.errors import Diverged, MirrorError
from registry.mirror.models import Remote
from registry.mirror.repository import Head, Repository

__all__ = ["Pushed", "Status", "list_remotes", "read_noted_lag", "read_status"]


@dataclass(frozen=True)
class Pushed:
    """A remote's progress; `behind` in events of the journal, `lag` in seconds since the oldest event it lacks."""

    name: str
    url: str
    pushed: int
    behind: int
    lag: float
    diverged: bool
    failures: int
    error: str
    retry_at: datetime | None


@dataclass(frozen=True)
class Status:
    """The state of journal and mirror; `behind` in events, `lag` in seconds since the oldest event not mirrored,
    `chain` the hash of the last mirrored event. `unreadable` says why the mirror can't be read; then nothing counts as
    mirrored.
    """

    path: str
    head: str | None
    mirrored: int
    journal: int
    lag: float
    chain: str | None
    diverged: str | None
    unreadable: str | None = None
    remotes: tuple[Pushed, ...] = ()

    @property
    def behind(self) -> int:
        """How many events the mirror lacks."""
        return max(0, self.journal - self.mirrored)


def read_status() -> Status:
    """Read the current state of Git and the journal, without writing or locking."""
    repository = Repository(settings.MIRROR_PATH)
    last = Event.objects.order_by("-number").values_list("number", flat=True).first() or 0
    heads: dict[str, Head] = {}
    unreadable, diverged = None, None
    try:
        heads = fill.read_heads(repository)
        fill.find_resume_point(heads)
    except Diverged as error:
        diverged = str(error)
    except MirrorError as error:
        unreadable = str(error)
    main = heads.get(mirror_paths.MAIN)
    mirrored = main.stamp.number if main and main.stamp else 0
    return Status(
        path=str(repository.path),
        head=main.commit if main else None,
        mirrored=mirrored,
        journal=last,
        lag=_compute_lag(mirrored),
        chain=main.stamp.chain if main and main.stamp else None,
        diverged=diverged,
        unreadable=unreadable,
        remotes=tuple(list_remotes()),
    )


def list_remotes() -> list[Pushed]:
    """Each remote's progress according to its row, without network access."""
    last = Event.objects.order_by("-number").values_list("number", flat=True).first() or 0
    return [
        Pushed(
            name=row.name,
            url=row.url,
            pushed=row.pushed,
            behind=max(0, last - row.pushed),
            lag=_compute_lag(row.pushed),
            diverged=row.diverged,
            failures=row.failures,
            error=row.error,
            retry_at=row.retry_at,
        )
        for row in Remote.objects.order_by("name")
    ]


def read_noted_lag() -> float:
    """Seconds since the oldest event without a recorded commit, from the database alone."""
    return _compute_lag(Commit.objects.aggregate(last=Max("event_id"))["last"] or 0)


def _compute_lag(mirrored: int) -> float:
    waiting = Event.objects.filter(number__gt=mirrored).order_by("number").values_list("at", flat=True).first()
    return 0.0 if waiting is None else max(0.0, (to_microseconds(timezone.now()) - waiting) / 1_000_000)
