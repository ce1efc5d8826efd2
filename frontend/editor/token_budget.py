"""The token budget of a rendered prompt: how much of the limit each part uses, compared with another version.

Pure; no database.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from django.contrib.humanize.templatetags.humanize import ordinal
from django.utils.formats import number_format
from django.utils.translation import gettext, ngettext

__all__ = ["BarSegment", "Budget", "PartRow", "build_token_budget"]

# Further parts are summed up in one last row: nobody reads a longer list row by row.
MAX_ROWS = 120


@dataclass(frozen=True)
class BarSegment:
    """A segment of a bar, in percent of its width."""

    kind: Literal["template", "input"]
    start: float
    width: float


@dataclass(frozen=True)
class PartRow:
    """One part of the prompt: its tokens, the change from the other version (None without one), and its truncation
    rule.

    `stretches` share one scale: the largest part is full width. `is_markup` marks the row of the markup between parts.
    """

    name: str
    role: str
    tokens: int
    from_inputs: int
    change: int | None
    rule: str
    stretches: tuple[BarSegment, ...]
    is_markup: bool = False


@dataclass(frozen=True)
class Budget:
    """The whole prompt. `limit` is the maximum for parts and markup together (None: no limit), `room` what is left of
    it (negative when over); `limit_at` and the stretches are percent of the total bar.
    """

    used: int
    limit: int | None
    reserve: int
    room: int | None
    tokenizer: str
    exact: bool
    model: str
    change: int | None
    against: str
    limit_at: float | None
    stretches: tuple[BarSegment, ...]
    rows: tuple[PartRow, ...]

    @property
    def own(self) -> int:
        """Tokens of the template's own text and of the markup, independent of inputs."""
        return self.used - sum(row.from_inputs for row in self.rows)

    @property
    def over(self) -> int:
        """Tokens above the limit, 0 when it fits."""
        return max(0, -(self.room or 0))


def build_token_budget(
    rendered: Mapping[str, Any], compared: Mapping[str, Any] | None = None, against: str = ""
) -> Budget:
    """The budget of a prompt with token counts, compared with another one of the same data.

    Both are as returned by `Prompt.to_dict`; the other is ignored if it has no token count.
    """
    compared = None if compared is None or compared["token_count"] is None else compared
    used = int(rendered["token_count"])
    whole = rendered.get("token_limit")
    reserve = int(rendered.get("reserve") or 0) if whole else 0
    limit = whole - reserve if whole else None
    scale = max(used, whole or 0, 1)
    tokenizer = rendered.get("tokenizer") or {}
    revision = str(tokenizer.get("revision") or "")
    return Budget(
        used=used,
        limit=limit,
        reserve=reserve,
        room=None if limit is None else limit - used,
        tokenizer=f"{tokenizer.get('name') or gettext('no tokenizer')} {revision[:8]}".strip(),
        exact=bool(tokenizer.get("exact")),
        model=str(rendered.get("model") or ""),
        change=None if compared is None else used - int(compared["token_count"]),
        against=against,
        limit_at=None if limit is None else _compute_percent(limit, scale),
        stretches=_build_total(rendered["parts"], used, scale),
        rows=tuple(_build_rows(rendered, used, compared)),
    )


def _compute_percent(part: float, whole: float) -> float:
    return round(100 * part / whole, 3) if whole else 0.0


def _count_tokens(part: Mapping[str, Any]) -> tuple[int, int]:
    """All tokens of a part, and how many of them came from inputs."""
    tokens = int(part.get("token_count") or 0)
    return tokens, min(tokens, int(part.get("input_tokens") or 0))


def _build_segments(start: float, tokens: int, from_inputs: int, scale: float) -> list[BarSegment]:
    own = _compute_percent(tokens - from_inputs, scale)
    stretches = [BarSegment("template", start, own)] if own else []
    if from_inputs:
        stretches.append(BarSegment("input", round(start + own, 3), _compute_percent(from_inputs, scale)))
    return stretches


def _build_total(parts: Sequence[Mapping[str, Any]], used: int, scale: float) -> tuple[BarSegment, ...]:
    stretches: list[BarSegment] = []
    at = 0.0
    for part in parts:
        tokens, from_inputs = _count_tokens(part)
        stretches += _build_segments(round(at, 3), tokens, from_inputs, scale)
        at += 100 * tokens / scale
    markup = used - sum(_count_tokens(part)[0] for part in parts)
    if markup > 0:
        stretches.append(BarSegment("template", round(at, 3), _compute_percent(markup, scale)))
    return tuple(stretches)


def _build_rows(rendered: Mapping[str, Any], used: int, compared: Mapping[str, Any] | None) -> list[PartRow]:
    parts = rendered["parts"]
    rules = _list_cut_order(parts)
    before = _index_by_name(compared["parts"]) if compared else {}
    largest = max((_count_tokens(part)[0] for part in parts), default=1)
    rows = []
    for (key, part), rule in zip(_index_by_name(parts).items(), rules, strict=True):
        tokens, from_inputs = _count_tokens(part)
        change = tokens - _count_tokens(before.get(key, {}))[0] if compared else None
        stretches = tuple(_build_segments(0.0, tokens, from_inputs, max(largest, 1)))
        rows.append(PartRow(key[0], str(part.get("role") or ""), tokens, from_inputs, change, rule, stretches))
    markup = used - sum(row.tokens for row in rows)
    if len(rows) > MAX_ROWS:
        rows = [*rows[:MAX_ROWS], _build_rest(rows[MAX_ROWS:])]
    if markup:
        rows.append(_build_markup_row(markup, largest, compared))
    return rows


def _build_rest(rows: Sequence[PartRow]) -> PartRow:
    change = None if rows[0].change is None else sum(row.change or 0 for row in rows)
    tokens, from_inputs = sum(row.tokens for row in rows), sum(row.from_inputs for row in rows)
    name = ngettext("{count} more part", "{count} more parts", len(rows))
    count = number_format(len(rows), force_grouping=True)
    return PartRow(name.format(count=count), "", tokens, from_inputs, change, gettext("each by its own rule"), ())


def _build_markup_row(tokens: int, largest: int, compared: Mapping[str, Any] | None) -> PartRow:
    change = None
    if compared is not None:
        change = tokens - (int(compared["token_count"]) - sum(_count_tokens(part)[0] for part in compared["parts"]))
    width = min(100.0, _compute_percent(tokens, max(largest, 1)))
    bar = (BarSegment("template", 0.0, width),)
    return PartRow(gettext("chat markup"), "", tokens, 0, change, gettext("fixed"), bar, is_markup=True)


def _list_cut_order(parts: Sequence[Mapping[str, Any]]) -> list[str]:
    """The order in which parts are cut: highest priority first, then in template order; priority 0 is never cut."""
    priorities = [int(part.get("truncation_priority") or 0) for part in parts]
    order = sorted((place for place, rank in enumerate(priorities) if rank > 0), key=lambda place: -priorities[place])
    turns = {place: turn for turn, place in enumerate(order, start=1)}
    return [_describe_turn(turns.get(place)) for place in range(len(parts))]


def _describe_turn(turn: int | None) -> str:
    return gettext("never cut") if turn is None else gettext("cut {turn}").format(turn=ordinal(turn))


def _index_by_name(parts: Sequence[Mapping[str, Any]]) -> dict[tuple[str, int], Mapping[str, Any]]:
    """Parts by (name, occurrence), because a name can occur more than once."""
    named: dict[tuple[str, int], Mapping[str, Any]] = {}
    turns: dict[str, int] = {}
    for part in parts:
        name = str(part.get("name") or "")
        named[name, turns.get(name, 0)] = part
        turns[name] = turns.get(name, 0) + 1
    return named
