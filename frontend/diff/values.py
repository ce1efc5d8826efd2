"""Values in the lines of a rendered part: which runs came from an input, and which lines from a fragment."""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby, pairwise
from typing import Any, Literal

from frontend.diff.text import Entry, Fold, Line, Value

__all__ = ["find_values", "fold_fragments", "mark_values", "read_reference", "split_at_values"]

REFERENCE = re.compile(r"""["']([^"']+@[^"']+)["']""")
Values = Mapping[int, tuple[Value, ...]]


def read_reference(expression: str) -> str:
    """What a fragment's expression names: `support/policy@3`."""
    match = REFERENCE.search(expression)
    return match[1] if match else expression


def find_values(text: str, spans: Sequence[Mapping[str, Any]]) -> Values:
    """The values by line (1-based). spans: as the renderer gives them; one inside another is left to the outer one."""
    starts, at = [], 0
    for line in text.splitlines(keepends=True):
        starts.append((at, at + len(line.rstrip("\r\n"))))
        at += len(line)
    values: defaultdict[int, list[Value]] = defaultdict(list)
    for span in _outer(spans):
        for number, (start, end) in enumerate(starts, 1):
            left, right = max(start, span["start"]), min(end, span["end"])
            if left < right:
                values[number].append(_value(span, left - start, right - start, start <= span["start"]))
    return {number: tuple(found) for number, found in values.items()}


def mark_values(entries: Iterable[Entry], old: Values, new: Values) -> list[Entry]:
    """The entries of a diff with the values of its lines: of removed lines those of the old side."""
    return [_marked(entry, old, new) for entry in entries]


def fold_fragments(entries: Sequence[Entry]) -> list[Entry]:
    """The entries with each run of unchanged lines that is a fragment's folded behind its name."""
    folded: list[Entry] = []
    for reference, run in groupby(entries, _fragment_of):
        if not reference:
            folded.extend(run)
            continue
        lines = [line for entry in run for line in (entry.lines if isinstance(entry, Fold) else [entry])]
        folded.append(Fold(tuple(line for line in lines if isinstance(line, Line)), reference))
    return folded


def split_at_values(line: Line) -> Iterator[tuple[str, bool, Value | None]]:
    """The line in runs: text, whether it is changed, and the value that it is part of."""
    at = 0
    for word in line.words:
        end = at + len(word.text)
        edges = {edge for value in line.values for edge in (value.start, value.end) if at < edge < end}
        cuts = [at, *sorted(edges), end]
        for start, stop in pairwise(cuts):
            value = next((value for value in line.values if value.start <= start < value.end), None)
            yield word.text[start - at : stop - at], word.changed, value
        at = end


def _outer(spans: Sequence[Mapping[str, Any]]) -> Iterator[Mapping[str, Any]]:
    at = 0
    for span in sorted(spans, key=lambda span: (span["start"], -span["end"])):
        if span["start"] >= at and span["end"] > span["start"]:
            yield span
            at = span["end"]


def _value(span: Mapping[str, Any], start: int, end: int, is_first: bool) -> Value:
    kind: Literal["input", "fragment"] = "fragment" if span.get("kind") == "fragment" else "input"
    expression = str(span.get("expression") or "")
    source = read_reference(expression) if kind == "fragment" else expression
    return Value(start, end, kind, source, span.get("line"), is_first)


def _marked(entry: Entry, old: Values, new: Values) -> Entry:
    if isinstance(entry, Fold):
        return Fold(tuple(_with_values(line, old, new) for line in entry.lines), entry.reference)
    return _with_values(entry, old, new) if isinstance(entry, Line) else entry


def _with_values(line: Line, old: Values, new: Values) -> Line:
    values = new.get(line.new, ()) if line.new is not None else old.get(line.old or 0, ())
    return line._replace(values=values) if values else line


def _fragment_of(entry: Entry) -> str:
    """The fragment that an unchanged entry is of and nothing else is in, or an empty text."""
    if isinstance(entry, Fold):
        references = {_fragment_of(line) for line in entry.lines}
        return references.pop() if len(references) == 1 else ""
    if not isinstance(entry, Line) or entry.kind != "same" or len(entry.values) != 1:
        return ""
    value = entry.values[0]
    is_whole = value.kind == "fragment" and value.start == 0 and value.end == len(entry.text)
    return value.source if is_whole else ""
