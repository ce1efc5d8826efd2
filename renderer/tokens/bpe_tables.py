"""The tokens and merges of a byte pair vocabulary as sorted tables in one run of bytes, as a file holds them.

They are looked up where they are: 8 MB for 200,000 tokens, ready when read. Building the hash tables of the library
from them takes half a second and 45 MB. The numbers are in this machine's byte order, as the file never leaves it.
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

# Each section with the type of its numbers ("B" is text), in the order of the file.
_SECTIONS: tuple[tuple[str, Literal["B", "I", "Q"]], ...] = (
    ("pairs", "Q"),  # of each merge its two ids as one number, sorted
    ("pair_ranks", "I"),  # beside it, the place of the merge among all merges
    ("merged", "I"),  # by place among the merges: the id that the two become
    ("checksums", "I"),  # of each token the CRC-32 of its spelling, sorted
    ("places", "I"),  # beside it, the place of the token among all tokens
    ("ids", "I"),  # by place among the tokens: its id, ascending,
    ("starts", "I"),  # and where its spelling begins; one number more says where the last one ends
    ("spellings", "B"),
)


class BpeTables:
    """Tokens by spelling and by id, merges by their two ids. Threads may share it."""

    def __init__(self, data: bytes | memoryview) -> None:
        """`data` is what `pack` made; it is not copied. Raises TokenizerError for anything else."""
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
        """The tables of {token: id} and of merges, first come first merged. Raises KeyError for a merge of or into
        what is no token.
        """
        tokens = sorted(vocab, key=vocab.__getitem__)
        spelled = [token.encode() for token in tokens]
        by_checksum = sorted((zlib.crc32(spelling), place) for place, spelling in enumerate(spelled))
        lefts = [vocab[left] for left, _ in merges]
        rights = [vocab[right] for _, right in merges]
        # The last of two equal merges counts, as in the library.
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
        """The id of a token, or None."""
        wanted = spelling.encode()
        checksum = zlib.crc32(wanted)
        at = bisect_left(self._checksums, checksum)
        while at < len(self._checksums) and self._checksums[at] == checksum:
            place = self._places[at]
            if self._spellings[self._starts[place] : self._starts[place + 1]] == wanted:
                return int(self._ids[place])
            at += 1
        return None

    def find_merge(self, left: int, right: int) -> int | None:
        """The place among the merges of the one that joins two ids, or None; the lower comes first."""
        pair = left << 32 | right
        at = bisect_left(self._pairs, pair)
        return int(self._pair_ranks[at]) if at < len(self._pairs) and self._pairs[at] == pair else None

    def merged_id(self, rank: int) -> int:
        """The id that a merge gives."""
        return int(self._merged[rank])

    def spelling_of(self, token: int) -> str | None:
        """The spelling of an id, or None."""
        place = bisect_left(self._ids, token)
        if place == len(self._ids) or self._ids[place] != token:
            return None
        return str(self._spellings[self._starts[place] : self._starts[place + 1]], "utf-8")

    def unpack(self) -> tuple[dict[str, int], list[tuple[str, str]]]:
        """Every token with its id, and every merge, the first first: what `pack` was given."""
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
        raise TokenizerError("These are no tables of a vocabulary.") from error
    return head, len(line) + len(newline)
