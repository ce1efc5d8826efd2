"""Alignment of two sequences of numbers: the runs that both share, in order, found in a bounded number of steps.

Equal ends are trimmed, items that occur once on either side split the rest (patience diff), and Myers' algorithm
compares what is left until its steps are used up.
"""

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from heapq import nlargest
from typing import NamedTuple

__all__ = ["STEPS", "Effort", "Match", "align_sequences"]

STEPS = 1_000_000
"""The step limit of one comparison, beyond a few passes over each side: well below half a second."""
_MAX_EDITS = 400
"""The number of edits that Myers' algorithm follows from one place before it settles for the furthest point."""
_EACH_RANGE = 20
"""The minimum cost of a stretch."""
_MAX_RUNS = 4_000
"""The maximum number of pieces: beyond that, an alignment is unreadable, and the smallest ones count as changed."""


class Match(NamedTuple):
    """A run of `size` equal items that begins at `old` on one side and at `new` on the other, both 0-based."""

    old: int
    new: int
    size: int


@dataclass
class Effort:
    """A budget of steps, which several comparisons can share."""

    left: int = STEPS

    def spend(self, count: int) -> bool:
        """Spend these steps. Returns False if there are fewer, and then none are left."""
        is_enough = count <= self.left
        self.left = self.left - count if is_enough else 0
        return is_enough


class _Range(NamedTuple):
    """A stretch of both sides still to be compared."""

    old_start: int
    old_end: int
    new_start: int
    new_end: int


def align_sequences(old: Sequence[str], new: Sequence[str], effort: Effort) -> list[Match]:
    """The runs that both sequences share, in order. What the budget doesn't allow to compare counts as different."""
    numbers: dict[str, int] = {}
    a = [numbers.setdefault(item, len(numbers)) for item in old]
    b = [numbers.setdefault(item, len(numbers)) for item in new]
    pairs: list[Match] = []
    waiting = [_Range(0, len(a), 0, len(b))]
    while waiting:
        box = waiting.pop()
        inner = _trim_equal_ends(a, b, box, pairs)
        if inner.old_start == inner.old_end or inner.new_start == inner.new_end:
            continue
        if not effort.spend(_EACH_RANGE + inner.old_end - inner.old_start + inner.new_end - inner.new_start):
            continue
        anchors = _find_anchors(a, b, inner)
        if anchors:
            pairs += [Match(i, j, 1) for i, j in anchors]
            waiting += _list_ranges_between(anchors, inner)
        else:
            rest = _walk_range(a, b, inner, effort, pairs)
            if rest is not None:
                waiting.append(rest)
    runs = list(_join_pairs(sorted(pairs)))
    if len(runs) > _MAX_RUNS:
        runs = sorted(nlargest(_MAX_RUNS, runs, key=lambda run: (run.size, -run.old)))
    return runs


def _trim_equal_ends(a: list[int], b: list[int], box: _Range, pairs: list[Match]) -> _Range:
    """The rest of a range without its equal head and tail, which are recorded."""
    i1, i2, j1, j2 = box
    size = min(i2 - i1, j2 - j1)
    head = next((k for k in range(size) if a[i1 + k] != b[j1 + k]), size)
    size -= head
    tail = next((k for k in range(size) if a[i2 - 1 - k] != b[j2 - 1 - k]), size)
    if head:
        pairs.append(Match(i1, j1, head))
    if tail:
        pairs.append(Match(i2 - tail, j2 - tail, tail))
    return _Range(i1 + head, i2 - tail, j1 + head, j2 - tail)


def _find_anchors(a: list[int], b: list[int], inner: _Range) -> list[tuple[int, int]]:
    """Items that occur once on either side of the range: the longest sequence of them in the same order."""
    i1, i2, j1, j2 = inner
    in_old, in_new = Counter(a[i1:i2]), Counter(b[j1:j2])
    places = {b[j]: j for j in range(j1, j2) if in_new[b[j]] == 1}
    both = [(i, places[a[i]]) for i in range(i1, i2) if in_old[a[i]] == 1 and a[i] in places]
    ends: list[int] = []
    tops: list[int] = []
    below = [-1] * len(both)
    for place, (_, j) in enumerate(both):
        pile = bisect_left(ends, j)
        if pile == len(ends):
            ends.append(j)
            tops.append(place)
        else:
            ends[pile], tops[pile] = j, place
        below[place] = tops[pile - 1] if pile else -1
    longest: list[tuple[int, int]] = []
    at = tops[-1] if tops else -1
    while at >= 0:
        longest.append(both[at])
        at = below[at]
    return longest[::-1]


def _list_ranges_between(anchors: Sequence[tuple[int, int]], inner: _Range) -> list[_Range]:
    i1, i2, j1, j2 = inner
    starts = [(i1, j1), *((i + 1, j + 1) for i, j in anchors)]
    ends = [*anchors, (i2, j2)]
    return [
        _Range(i, i_end, j, j_end)
        for (i, j), (i_end, j_end) in zip(starts, ends, strict=True)
        if i < i_end and j < j_end
    ]


def _walk_range(a: list[int], b: list[int], inner: _Range, effort: Effort, pairs: list[Match]) -> _Range | None:
    """Compare a range by Myers' algorithm and record what is equal. Returns the rest if the edits ran out first."""
    i1, i2, j1, j2 = inner
    in_old, in_new = set(a[i1:i2]), set(b[j1:j2])
    # Items missing from the other side can't be equal to anything there.
    olds = [i for i in range(i1, i2) if a[i] in in_new]
    news = [j for j in range(j1, j2) if b[j] in in_old]
    if not olds or not effort.left:
        return None
    x, y, trace = _find_furthest([a[i] for i in olds], [b[j] for j in news], effort)
    is_whole = x == len(olds) and y == len(news)
    rest = None if is_whole else _Range(olds[x] if x < len(olds) else i2, i2, news[y] if y < len(news) else j2, j2)
    pairs += [Match(olds[i], news[j], 1) for i, j in _trace_path(x, y, trace)]
    return rest if rest and rest != inner and effort.left else None


def _find_furthest(a: list[int], b: list[int], effort: Effort) -> tuple[int, int, list[list[int]]]:
    """Myers' greedy search: how far it got on both sides, and for each number of edits how far each diagonal got.

    Entry d of the trace has the old-side positions of diagonals -d, -d + 2 … d.
    """
    n, m = len(a), len(b)
    trace: list[list[int]] = []
    last: list[int] = []
    for d in range(_MAX_EDITS + 1):
        row: list[int] = []
        walked = 2 * d
        for place in range(d + 1):
            k = 2 * place - d
            # From the diagonal above by an insertion or the one below by a deletion, whichever got further.
            if d == 0:
                x = 0
            elif place == 0 or (place < d and last[place - 1] < last[place]):
                x = last[place]
            else:
                x = last[place - 1] + 1
            y, start = x - k, x
            while x < n and 0 <= y < m and a[x] == b[y]:
                x += 1
                y += 1
            walked += x - start
            row.append(x)
            if x >= n and y >= m:
                trace.append(row)
                effort.spend(walked)
                return n, m, trace
        trace.append(row)
        last = row
        if not effort.spend(walked):
            break
    ends = [(x, x - 2 * place + len(last) - 1) for place, x in enumerate(last)]
    x, y = max((end for end in ends if end[0] <= n and end[1] <= m), key=sum, default=(0, 0))
    return x, y, trace


def _trace_path(x: int, y: int, trace: Sequence[Sequence[int]]) -> Iterator[tuple[int, int]]:
    """The equal pairs on the way to (x, y), which the last entry of the trace reached, last to first."""
    for d in range(len(trace) - 1, 0, -1):
        last, place = trace[d - 1], (x - y + d) // 2
        is_insertion = place == 0 or (place < d and last[place - 1] < last[place])
        start = last[place] if is_insertion else last[place - 1] + 1
        while x > start:
            x, y = x - 1, y - 1
            yield x, y
        x, y = (x, y - 1) if is_insertion else (x - 1, y)
    while x > 0 and y > 0:
        x, y = x - 1, y - 1
        yield x, y


def _join_pairs(pairs: Sequence[Match]) -> Iterator[Match]:
    """Merge ascending runs that are adjacent on both sides."""
    open_run: Match | None = None
    for run in pairs:
        if open_run and open_run.old + open_run.size == run.old and open_run.new + open_run.size == run.new:
            open_run = Match(open_run.old, open_run.new, open_run.size + run.size)
            continue
        if open_run:
            yield open_run
        open_run = run
    if open_run:
        yield open_run
