"""The parts that a body of format parts is certain to have, with the fewest tokens of each."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from promptuary.renderer.formats.parts.errors import PartError
from promptuary.renderer.formats.parts.part_template import PartTemplate, read_part
from promptuary.renderer.formats.parts.slot_text import SlotText as Content
from promptuary.renderer.jinja import Choice, Loop, Seq, Text, Unknown, Value
from promptuary.renderer.lower_bound.blocks import Block, split_blocks
from promptuary.renderer.lower_bound.rulers import Hole, Piece, Ruler
from promptuary.renderer.lower_bound.variants import (
    Edge,
    TooMany,
    Variant,
    are_inert,
    list_variants,
    mark_holes,
    print_variant,
)
from promptuary.renderer.syntax import yaml_reader

__all__ = ["Found", "Reader"]

_BOUNDS = yaml_reader.Bounds(depth=24, nodes=200_000)
_QUOTES = ("'", '"')


@dataclass(frozen=True, slots=True)
class Found:
    """What is certain about parts: the fewest tokens of their contents, and the roles of those that stay.

    `may_hold` are the roles of all possible parts, None for an unknown one. `last` says that the last part is certain
    to be there and to stay. If a quote may be `open` at the end, what follows isn't certain to be a list of parts.
    """

    tokens: int = 0
    roles: tuple[str | None, ...] = ()
    may_hold: frozenset[str | None] = frozenset()
    last: bool = False
    open: bool = False


_UNKNOWN = Found(may_hold=frozenset((None,)))


@dataclass(frozen=True, slots=True)
class Reader:
    """Reads outlines. `cost` is what a part of a role costs besides its content, None if that depends on others.

    `every` counts all parts, whether they may be cut or not, and wherever their text may be: for a fragment.
    """

    ruler: Ruler
    marker: str
    fragment: Callable[[str], int]
    cost: Callable[[str | None], int] | None
    every: bool = False

    def read(self, pieces: Seq) -> Found:
        """Return what is certain about the parts of an outline of whole items."""
        bounds: list[Found] = []
        for block in split_blocks(pieces):
            bounds.append(self._measure_block(block))
            if bounds[-1].open:
                bounds.append(_UNKNOWN)
                break
        roles = tuple(role for bound in bounds for role in bound.roles)
        may_hold = frozenset(role for bound in bounds for role in bound.may_hold)
        is_open = bool(bounds) and any(bound.open for bound in bounds)
        return Found(sum(bound.tokens for bound in bounds), roles, may_hold, bool(bounds) and bounds[-1].last, is_open)

    def _measure_block(self, block: Block) -> Found:
        if isinstance(block.fork, Choice):
            return self._choose_least([self.read(branch) for branch in block.fork.branches])
        if isinstance(block.fork, Loop):
            return self._choose_least([self.read(block.fork.body), self.read(block.fork.otherwise)])
        return self._measure_item(block.seq)

    def _choose_least(self, ways: list[Found]) -> Found:
        """The cheapest of several ways, with only the roles that are certain."""
        may_hold = frozenset(role for way in ways for role in way.may_hold)
        is_open = any(way.open for way in ways)
        last = all(way.last for way in ways) and len({way.roles[-1:] for way in ways}) == 1
        if self.cost is None:
            roles = ways[0].roles if len({way.roles for way in ways}) == 1 else ()
            return Found(min(way.tokens for way in ways), roles, may_hold, last, is_open)
        cost = self.cost
        least = min(ways, key=lambda way: way.tokens + sum(map(cost, way.roles)))
        return Found(least.tokens, least.roles, may_hold, last, is_open)

    def _measure_item(self, pieces: Seq) -> Found:
        """One item, tried in every way that data can change it."""
        if not _is_known(pieces):
            return Found(may_hold=_UNKNOWN.may_hold, open=True)
        quoted = any(quote in text for text in _list_texts(pieces) for quote in _QUOTES)
        unknown = Found(may_hold=_UNKNOWN.may_hold, open=quoted)
        try:
            ways = [self._measure_variant(variant) for variant in list_variants(pieces)]
            if any(isinstance(piece, Loop) for piece in _walk_pieces(pieces)):
                for variant in list_variants(pieces, "none or two"):
                    self._check(variant)
        except (TooMany, PartError, yaml_reader.YamlError):
            return unknown
        return self._choose_least(ways)

    def _check(self, variant: Variant) -> None:
        """Raise PartError if more rounds of a loop could change more than a text."""
        text = print_variant(variant, self.marker)
        if not are_inert(text, yaml_reader.compose(text.text, _BOUNDS)):
            raise PartError("not a text", "PT301", 0)

    def _measure_variant(self, variant: Variant) -> Found:
        values = [piece for piece in variant if isinstance(piece, Value)]
        text = print_variant(variant, self.marker)
        recipes = self._read_part_templates(text.text)
        if any(isinstance(piece, Edge) for piece in variant):
            self._check(variant)
            marked = mark_holes(text, self.marker, len(values))
            with_holes = self._read_part_templates(marked)
            if [_list_facts(recipe, len(values)) for recipe in recipes] != [
                _list_facts(template, len(values)) for template in with_holes
            ]:
                raise PartError("not a text", "PT301", 0)
            recipes = with_holes
        return self._build_found(recipes, values)

    def _read_part_templates(self, text: str) -> list[PartTemplate]:
        node = yaml_reader.compose(text, _BOUNDS)
        if node is None:
            return []
        if not isinstance(node, yaml_reader.Sequence):
            raise PartError("not a list", "PT301", node.start)
        return [read_part(item, self.marker, text) for item in node.items]

    def _build_found(self, recipes: list[PartTemplate], values: list[Value]) -> Found:
        tokens, roles, may_hold, stays = 0, [], set(), False
        for recipe in recipes:
            role = "user" if recipe.role is None else recipe.role.constant
            may_hold.add(role)
            stays = isinstance(recipe.priority, int) and recipe.priority <= 0
            if stays or self.every:
                tokens += self._measure_content(recipe.content, values)
                roles.append(role)
        return Found(tokens, tuple(roles), frozenset(may_hold), stays)

    def _measure_content(self, content: Content | list[Any], values: list[Value]) -> int:
        if isinstance(content, Content):
            pieces = self._list_pieces(content, values)
            return self.ruler.inside(pieces) if self.every else self.ruler.content(pieces, tidied=True)
        texts = [item["text"] for item in content if item["type"].constant == "text" and "text" in item]
        return sum(self._measure_item_text(self._list_pieces(text, values)) for text in texts)

    def _measure_item_text(self, pieces: list[Piece]) -> int:
        """A text in content items: nothing is stripped from it. Line ends may follow, as a block can keep its own."""
        ends_open = bool(pieces) and isinstance(pieces[-1], str) and pieces[-1].endswith("\n")
        return Ruler(self.ruler.tokenizer).content([*pieces, Hole()] if ends_open else pieces, tidied=True)

    def _list_pieces(self, content: Content, values: list[Value]) -> list[Piece]:
        return [piece if isinstance(piece, str) else self._build_hole(piece, values) for piece in content.pieces()]

    def _build_hole(self, slot: int, values: list[Value]) -> Hole:
        ref = values[slot].fragment if slot < len(values) else None
        return Hole(self.fragment(ref) if ref is not None else 0)


def _list_facts(recipe: PartTemplate, values: int) -> tuple[Any, ...]:
    """What must be equal in two readings of an item, holes aside."""
    content = recipe.content
    content_facts = (
        _write_text(content, values)
        if isinstance(content, Content)
        else [_list_item_facts(item, values) for item in content]
    )
    role = "user" if recipe.role is None else _write_text(recipe.role, values)
    priority = recipe.priority if isinstance(recipe.priority, int) else _write_text(recipe.priority, values)
    return content_facts, role, priority, recipe.shrink


def _list_item_facts(item: Any, values: int) -> Any:
    if isinstance(item, Content):
        return _write_text(item, values)
    if isinstance(item, dict):
        return {key: _list_item_facts(value, values) for key, value in item.items()}
    return [_list_item_facts(value, values) for value in item] if isinstance(item, list) else item


def _write_text(content: Content, values: int) -> str:
    pieces = [piece if isinstance(piece, str) else f"\0{piece}\0" for piece in content.pieces()]
    return "".join(piece for piece in pieces if not _is_mark(piece, values))


def _is_mark(piece: str, values: int) -> bool:
    return piece[:1] == "\0" and int(piece[1:-1]) >= values


def _walk_pieces(pieces: Seq) -> Iterator[Any]:
    for piece in pieces:
        yield piece
        inner = (
            piece.branches
            if isinstance(piece, Choice)
            else (piece.body, piece.otherwise)
            if isinstance(piece, Loop)
            else ()
        )
        for seq in inner:
            yield from _walk_pieces(seq)


def _is_known(pieces: Seq) -> bool:
    return not any(isinstance(piece, Unknown) for piece in _walk_pieces(pieces))


def _list_texts(pieces: Seq) -> Iterator[str]:
    return (piece.text for piece in _walk_pieces(pieces) if isinstance(piece, Text))
