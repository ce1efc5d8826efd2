"""The tokens and merges of a byte pair vocabulary as sorted tables in a single byte string, as stored in a file.

Lookups work on the bytes themselves: 8 MB for 200,000 tokens, with nothing to build. The library's hash tables take
half a second and 45 MB to build. Numbers are in this machine's byte order, since the file never leaves it.
"""

import json
import zlib
from array import array
from bisect import bisect_left
from collections.abc import Mapping, Sequence
from itertools import accumulate, pairwise
from typing import Literal

from promptuary.renderer.errors import TokenizerError

__all__ = ["BpeTables"]

# Each section with the type of its numbers ("B" is text), in file order.
_SECTIONS: tuple[tuple[str, Literal["B", "I", "Q"]], ...] = (
    ("pairs", "Q"),  # each merge's two ids as one number, sorted
    ("pair_ranks", "I"),  # for each of these, the position of the merge among all merges
    ("merged", "I"),  # by position of the merge: the resulting id
    ("checksums", "I"),  # the CRC-32 of each token's spelling, sorted
    ("places", "I"),  # for each of these, the position of the token among all tokens
    ("ids", "I"),  # by position of the token: its id, ascending,
    ("starts", "I"),  # and where its spelling begins; a final number says where the last one ends
    ("spellings", "B"),
)


class BpeTables:
    """Tokens by spelling and by id, and merges by their two ids. Thread-safe."""

    def __init__(self, data: bytes | memoryview) -> None:
        """`data` is the result of `pack`; it isn't copied. Raises TokenizerError for anything else."""
        self._data = memoryview(data)
        sizes, start = _read_head(self._data)
        if start + sum(sizes.values()) != len(self._data):
            raise TokenizerError("The tables of a vocabulary are cut short.")
        views: list[memoryview[int]] = []
        for name, kind in _SECTIONS:
            views.append(self._data[start : start + sizes[name]].cast(kind))
            start += sizes[name]
        self._pairs, self._pair_ranks, self._merged, self._checksums = views[:4]
        self._places, self._ids, self._starts, self._spellings = views[4:]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, BpeTables) and self._data == other._data

    def __hash__(self) -> int:
        return hash(bytes(self._data[:1024]))

    @staticmethod
    def pack(vocab: Mapping[str, int], merges: Sequence[Sequence[str]]) -> bytes:
        """Pack {token: id} and the merges in order of rank. Raises KeyError if a merge involves an unknown token."""
        tokens = sorted(vocab, key=vocab.__getitem__)
        spelled = [token.encode() for token in tokens]
        by_checksum = sorted((zlib.crc32(spelling), place) for place, spelling in enumerate(spelled))
        lefts = [vocab[left] for left, _ in merges]
        rights = [vocab[right] for _, right in merges]
        # Of two equal merges the last one counts, as in the library.
        ranks = {left << 32 | right: rank for rank, (left, right) in enumerate(zip(lefts, rights, strict=True))}
        pairs = sorted(ranks)
        sections = {
            "pairs": array("Q", pairs),
            "pair_ranks": array("I", map(ranks.__getitem__, pairs)),
            "merged": array("I", (vocab[left + right] for left, right in merges)),
            "checksums": array("I", (checksum for checksum, _ in by_checksum)),
            "places": array("I", (place for _, place in by_checksum)),
            "ids": array("I", map(vocab.__getitem__, tokens)),
            "starts": array("I", accumulate(map(len, spelled), initial=0)),
            "spellings": array("B", b"".join(spelled)),
        }
        packed = {name: sections[name].tobytes() for name, _ in _SECTIONS}
        head = json.dumps({name: len(section) for name, section in packed.items()}).encode()
        return b"".join([head, b"\n", *packed.values()])

    def find_token(self, spelling: str) -> int | None:
        """Return a token's id, or None."""
        spelled = spelling.encode()
        checksum = zlib.crc32(spelled)
        at = bisect_left(self._checksums, checksum)
        while at < len(self._checksums) and self._checksums[at] == checksum:
            place = self._places[at]
            if self._spellings[self._starts[place] : self._starts[place + 1]] == spelled:
                return int(self._ids[place])
            at += 1
        return None

    def find_merge(self, left: int, right: int) -> int | None:
        """Return the rank of the merge that joins two ids, or None; the lower rank comes first."""
        pair = left << 32 | right
        at = bisect_left(self._pairs, pair)
        return int(self._pair_ranks[at]) if at < len(self._pairs) and self._pairs[at] == pair else None

    def merged_id(self, rank: int) -> int:
        """Return the id that a merge results in."""
        return int(self._merged[rank])

    def find_spelling(self, token: int) -> str | None:
        """Return an id's spelling, or None."""
        place = bisect_left(self._ids, token)
        if place == len(self._ids) or self._ids[place] != token:
            return None
        return str(self._spellings[self._starts[place] : self._starts[place + 1]], "utf-8")

    def unpack(self) -> tuple[dict[str, int], list[tuple[str, str]]]:
        """Return every token with its id, and every merge by rank: the arguments of `pack`."""
        starts, data = self._starts.tolist(), bytes(self._spellings)
        ids = self._ids.tolist()
        tokens = [data[start:end].decode() for start, end in pairwise(starts)]
        spelling = dict(zip(ids, tokens, strict=True))
        by_rank: list[tuple[str, str] | None] = [None] * len(self._merged)
        for rank, pair in zip(self._pair_ranks.tolist(), self._pairs.tolist(), strict=True):
            by_rank[rank] = spelling[pair >> 32], spelling[pair & 0xFFFFFFFF]
        return dict(zip(tokens, ids, strict=True)), [merge for merge in by_rank if merge is not None]


def _read_head(view: memoryview) -> tuple[dict[str, int], int]:
    """The length of each section in bytes, and where the first begins."""
    line, newline, _ = bytes(view[:1024]).partition(b"\n")
    try:
        head = {name: int(json.loads(line)[name]) for name, _ in _SECTIONS}
    except (ValueError, KeyError, TypeError) as error:
        raise TokenizerError("These aren't tables of a vocabulary.") from error
    return head, len(line) + len(newline)
