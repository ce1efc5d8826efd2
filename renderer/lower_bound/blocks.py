"""Blocks of an outline: it is split where list items begin, so that each block can be parsed by itself.

A `- ` in the first column begins a new item whatever precedes it, unless a quote is still open. So each block can be
understood without the others, as long as it closes its quotes.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from promptuary.renderer.jinja import Choice, Loop, Outline, Seq, Text

__all__ = ["Block", "is_blank", "split_blocks"]

_ITEM = re.compile("(?<=\n)(?=- )")
_LEADING_ITEM = re.compile(r"((?:[ \t]*\n)*)- ")
_BLANK = re.compile(r"[ \t]*(?:\n(?:#[^\n]*|[ \t]*))*")


@dataclass(slots=True)
class Block:
    """Pieces of one item, or of several inseparable ones; `fork` is set for a choice or loop of whole items."""

    pieces: list[Outline] = field(default_factory=list)
    fork: Choice | Loop | None = None

    @property
    def seq(self) -> Seq:
        return (self.fork,) if self.fork is not None else tuple(self.pieces)


def is_blank(pieces: Seq) -> bool:
    """Whether these pieces print only white space, and comments in the first column."""
    return all(isinstance(piece, Text) and _BLANK.fullmatch(piece.text) for piece in pieces)


def split_blocks(pieces: Seq) -> list[Block]:
    """Split an outline into blocks."""
    block_list = [Block()]
    for piece in pieces:
        if isinstance(piece, Text):
            first, *later_items = _ITEM.split(piece.text)
            block_list[-1].pieces.append(Text(first))
            block_list.extend(Block([Text(text)]) for text in later_items)
        elif isinstance(piece, Choice | Loop) and _prints_items(piece, at_start=_is_fresh(block_list)):
            block_list.extend([Block(fork=piece), Block()])
        else:
            block_list[-1].pieces.append(piece)
    return list(_merge_forks(block_list))


def _merge_forks(block_list: list[Block]) -> Iterator[Block]:
    """Merge a block after a fork that continues its last item with the fork and the block before."""
    pending: list[Block] = []
    for block in block_list:
        goes_on = block.fork is None and bool(pending) and pending[-1].fork is not None
        if not goes_on or is_blank(block.seq) or _begins_item_text(block):
            pending.append(block)
            continue
        pieces = list(block.pieces)
        while pending and pending[-1].fork is not None:
            pieces = [*pending.pop().seq, *pieces]
        before = pending.pop().pieces if pending else []
        pending.append(Block([*before, *pieces]))
    return (block for block in pending if block.fork is not None or not is_blank(block.seq))


def _begins_item_text(block: Block) -> bool:
    first = block.pieces[0] if block.pieces else None
    return isinstance(first, Text) and first.text.startswith("- ")


def _is_fresh(block_list: list[Block]) -> bool:
    """Whether a line begins after the last block."""
    block = block_list[-1]
    last = block.pieces[-1] if block.pieces else None
    return isinstance(last, Text) and (last.text.endswith("\n") or (not last.text and len(block_list) == 1))


def _prints_items(piece: Choice | Loop, *, at_start: bool) -> bool:
    """Whether a choice or loop prints whole items only, or nothing."""
    if isinstance(piece, Choice):
        return all(_begins_item(branch, at_start=at_start) for branch in piece.branches)
    last = piece.body[-1] if piece.body else None
    closes = isinstance(last, Text) and last.text.endswith("\n")
    return _begins_item(piece.body, at_start=at_start and closes) and _begins_item(piece.otherwise, at_start=at_start)


def _begins_item(pieces: Seq, *, at_start: bool) -> bool:
    """Whether an item begins before anything else, or nothing is printed at all."""
    for piece in pieces:
        if isinstance(piece, Text):
            if is_blank((piece,)):
                at_start = piece.text.endswith("\n") or (at_start and not piece.text)
                continue
            lead = _LEADING_ITEM.match(piece.text)
            return lead is not None and (at_start or "\n" in lead[1])
        if not isinstance(piece, Choice | Loop) or not _prints_items(piece, at_start=at_start):
            return False
        at_start = False
    return True
