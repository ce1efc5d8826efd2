"""Three-way merge of texts by lines, like diff3, used by the pages, the API and the command line.

Other implementations don't fit. `git merge-file` is not on every machine, and the `merge3` package compares by
`difflib.SequenceMatcher`, which takes more than a minute for 256 KB of one repeated line. `sequence_diff` bounds the
work for any text.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from promptuary.renderer.syntax import sequence_diff

__all__ = ["Conflict", "Merged", "merge_texts", "resolve_conflicts", "split_lines"]

Lines = list[str]


@dataclass(frozen=True)
class Conflict:
    """Lines that both sides changed differently. `line` is the 1-based line of the first marker in the merged text."""

    line: int
    base: str
    ours: str
    theirs: str

    @property
    def length(self) -> int:
        """The number of lines in the merged text, including three markers."""
        return 3 + len(split_lines(self.ours)) + len(split_lines(self.theirs))


@dataclass(frozen=True)
class Merged:
    """The merged text. Conflicts have both sides between markers."""

    text: str
    conflicts: tuple[Conflict, ...]

    @property
    def is_clean(self) -> bool:
        """Whether there are no conflicts."""
        return not self.conflicts


def split_lines(text: str) -> Lines:
    """Split a text into lines with their line feeds. Only a line feed ends a line."""
    parts = text.split("\n")
    return [part + "\n" for part in parts[:-1]] + ([parts[-1]] if parts[-1] else [])


def merge_texts(base: str, ours: str, theirs: str, *, our_name: str = "ours", their_name: str = "theirs") -> Merged:
    """Merge the changes of both sides to the base. A change made on both sides is applied once.

    our_name, their_name: the labels after the markers of a conflict.
    """
    old, left, right = split_lines(base), split_lines(ours), split_lines(theirs)
    merged: Lines = []
    conflicts: list[Conflict] = []
    for in_old, in_left, in_right in _list_regions(old, left, right):
        base_lines, our_lines, their_lines = old[in_old], left[in_left], right[in_right]
        if their_lines in (our_lines, base_lines):
            merged += our_lines
        elif our_lines == base_lines:
            merged += their_lines
        else:
            conflicts.append(Conflict(len(merged) + 1, "".join(base_lines), "".join(our_lines), "".join(their_lines)))
            marked = [
                f"<<<<<<< {our_name}\n",
                *_end_lines(our_lines),
                "=======\n",
                *_end_lines(their_lines),
                f">>>>>>> {their_name}\n",
            ]
            merged += marked
    return Merged("".join(merged), tuple(conflicts))


def resolve_conflicts(merged: Merged, texts: Sequence[str]) -> str:
    """Replace each conflict by one of `texts`, in order. Line ends stay as they were."""
    lines, resolved, at = split_lines(merged.text), [], 0
    for conflict, text in zip(merged.conflicts, texts, strict=True):
        start = conflict.line - 1
        resolved += lines[at:start]
        at = start + conflict.length
        text_resolved = text if not text or text.endswith("\n") or at == len(lines) else text + "\n"
        if "\r\n" in conflict.base + conflict.ours + conflict.theirs:
            text_resolved = text_resolved.replace("\r\n", "\n").replace("\n", "\r\n")
        resolved.append(text_resolved)
    return "".join([*resolved, *lines[at:]])


def _list_regions(old: Lines, left: Lines, right: Lines) -> Iterator[tuple[slice, slice, slice]]:
    """The three texts split into matching regions: those that all share, and those in between."""
    at_old = at_left = at_right = 0
    for in_old, in_left, in_right, length in [*_find_shared(old, left, right), (len(old), len(left), len(right), 0)]:
        yield slice(at_old, in_old), slice(at_left, in_left), slice(at_right, in_right)
        at_old, at_left, at_right = in_old + length, in_left + length, in_right + length
        yield slice(in_old, at_old), slice(in_left, at_left), slice(in_right, at_right)


def _find_shared(old: Lines, left: Lines, right: Lines) -> list[tuple[int, int, int, int]]:
    """Runs of lines that are in all three texts: the start in each text, and the length."""
    to_left, to_right = sequence_diff.find_matches(old, left), sequence_diff.find_matches(old, right)
    runs = []
    in_left = in_right = 0
    while in_left < len(to_left) and in_right < len(to_right):
        our_match, their_match = to_left[in_left], to_right[in_right]
        my_end, your_end = our_match.old + our_match.size, their_match.old + their_match.size
        start, end = max(our_match.old, their_match.old), min(my_end, your_end)
        if start < end:
            runs.append(
                (start, our_match.new + start - our_match.old, their_match.new + start - their_match.old, end - start)
            )
        if my_end <= your_end:
            in_left += 1
        else:
            in_right += 1
    return runs


def _end_lines(lines: Lines) -> Lines:
    """The lines with a line feed after the last one, so that a marker can follow."""
    return [*lines[:-1], lines[-1].removesuffix("\n") + "\n"] if lines else []
