"""Charts of fetches: a line for each version over the last days, and a row for each service."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from django.utils.formats import date_format
from django.utils.translation import gettext

from registry.templates.models import Template
from registry.usage import queries as usage_queries
from registry.usage.queries import Fetcher

__all__ = [
    "DAYS",
    "FetchChart",
    "FetcherRow",
    "Line",
    "Sparkline",
    "describe_fetchers",
    "draw_fetches",
    "draw_sparklines",
]

DAYS = 7
MAX_LINES = 3
WIDTH, HEIGHT = 246.0, 74.0  # size of the drawing inside its margins, in its own units
LEFT, TOP = 4.0, 8.0
STEP = 13.0  # minimum distance between two names at the right end, so that they don't overlap
SPARK_WIDTH, SPARK_HEIGHT, SPARK_MARGIN = 62.0, 10.0, 2.0


@dataclass(frozen=True)
class Line:
    """One version: its points, and its name and total at the right end. `rank` selects the dash pattern."""

    number: int
    count: int
    points: str
    end: float
    at: float
    rank: int


@dataclass(frozen=True)
class FetcherRow:
    """A service and the version it gets. `behind` counts the versions between a pin and live; `former_names` are
    those that it requests, only those if `is_redirected`, else beside the current name.
    """

    service: str
    person: str
    requested: str
    number: int
    count: int
    behind: int
    last_at: datetime
    former_names: tuple[str, ...] = ()
    is_redirected: bool = False


@dataclass(frozen=True)
class FetchChart:
    """The page's data: lines, the days below them, rows, and sentences about services that are behind."""

    lines: list[Line]
    days: list[tuple[float, str]]
    rows: list[FetcherRow]
    more: int
    stragglers: list[str]
    by_label: Mapping[str, int]
    total: int


@dataclass(frozen=True)
class Sparkline:
    """The fetches of the last seven days in a row of a list: their total, a line, and the height of its last point."""

    total: int
    points: str
    end: float


def draw_sparklines(templates: Iterable[int]) -> dict[int, Sparkline]:
    """Sparklines by template id, for templates with fetches. Each has its own scale, because only the shape matters."""
    counts = usage_queries.count_by_template_and_day(templates, DAYS)
    return {template: _draw_sparkline(per_day) for template, per_day in counts.items()}


def _draw_sparkline(per_day: list[int]) -> Sparkline:
    top = max(per_day) or 1
    heights = [SPARK_MARGIN + SPARK_HEIGHT * (1 - count / top) for count in per_day]
    step = SPARK_WIDTH / (DAYS - 1)
    points = " ".join(f"{SPARK_MARGIN + step * place:.1f},{height:.1f}" for place, height in enumerate(heights))
    return Sparkline(sum(per_day), points, heights[-1])


def draw_fetches(template: Template, live: int | None, label: str, *, most_rows: int = 4) -> FetchChart:
    """The last seven days of a template; `live` is the number of the live version."""
    by_version = usage_queries.count_by_version_and_day(template, DAYS)
    rows = describe_fetchers(usage_queries.list_fetchers(template, DAYS), live)
    return FetchChart(
        lines=_draw_lines(by_version),
        days=_list_days(),
        rows=rows[:most_rows],
        more=max(len(rows) - most_rows, 0),
        stragglers=[_describe_outdated_fetches(row, label) for row in rows if row.behind > 0][:2],
        by_label=usage_queries.count_by_label(template, DAYS),
        total=sum(sum(counts) for counts in by_version.values()),
    )


def describe_fetchers(fetchers: list[Fetcher], live: int | None) -> list[FetcherRow]:
    """A row for each service, kind of ref and version, the busiest first."""
    return [
        FetcherRow(
            service=one.key.name,
            person=one.person.username,
            requested=("digest" if one.ref.startswith("sha256:") else "version") if one.is_pinned else one.ref,
            number=one.version,
            count=one.count,
            behind=live - one.version if one.is_pinned and live is not None and live > one.version else 0,
            last_at=one.last_at,
            former_names=one.former_names,
            is_redirected=one.is_redirected,
        )
        for one in fetchers
    ]


def _draw_lines(by_version: Mapping[int, list[int]]) -> list[Line]:
    drawn_versions = list(by_version.items())[:MAX_LINES]
    top = max((max(counts) for _, counts in drawn_versions), default=0)
    if not top:
        return []
    lines: list[Line] = []
    for rank, (number, counts) in enumerate(drawn_versions):
        heights = [TOP + HEIGHT * (1 - count / top) for count in counts]
        points = " ".join(f"{_compute_x(place):.1f},{height:.1f}" for place, height in enumerate(heights))
        lines.append(Line(number, sum(counts), points, heights[-1], heights[-1], rank))
    return _separate_names(lines)


def _separate_names(lines: list[Line]) -> list[Line]:
    """Move names at the right end apart, and keep the lowest inside the drawing."""
    parted: list[Line] = []
    lowest = TOP + HEIGHT + 4
    for line in sorted(lines, key=lambda line: -line.end):
        at = min(line.end, lowest)
        parted.append(Line(line.number, line.count, line.points, line.end, at, line.rank))
        lowest = at - STEP
    return sorted(parted, key=lambda line: line.rank)


def _compute_x(place: int) -> float:
    return LEFT + WIDTH * place / (DAYS - 1)


def _list_days() -> list[tuple[float, str]]:
    today = datetime.now(UTC).date()
    return [(_compute_x(place), date_format(today - timedelta(days=DAYS - 1 - place), "D")) for place in range(DAYS)]


def _describe_outdated_fetches(row: FetcherRow, label: str) -> str:
    sentence = {
        1: gettext("{service} is pinned to v{number}, one behind {label}."),
        2: gettext("{service} is pinned to v{number}, two behind {label}."),
        3: gettext("{service} is pinned to v{number}, three behind {label}."),
    }.get(row.behind, gettext("{service} is pinned to v{number}, {count} behind {label}."))
    return sentence.format(service=row.service, number=row.number, count=row.behind, label=label)
