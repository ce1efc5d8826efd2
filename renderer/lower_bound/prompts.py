"""The smallest prompt of a document, by format."""

from collections.abc import Sequence
from typing import Any

from promptuary.renderer.errors import ProfileError
from promptuary.renderer.formats.jinja_body import JinjaBody
from promptuary.renderer.formats.parts.parser import PartsParser
from promptuary.renderer.formats.prompter.body import PrompterBody
from promptuary.renderer.formats.shaped.format import ShapedBody
from promptuary.renderer.formats.shaped.parser import Text as Literal
from promptuary.renderer.jinja import Choice, Loop, Seq, Text, Value, build_outline
from promptuary.renderer.lower_bound.items import Reader
from promptuary.renderer.lower_bound.rulers import Cast, Hole, MarkupRuler, Piece, Ruler
from promptuary.renderer.lower_bound.variants import TooMany, Variant, list_variants
from promptuary.renderer.output import targets, turns
from promptuary.renderer.part import Part
from promptuary.renderer.template import Template
from promptuary.renderer.tokens.base import Tokenizer
from promptuary.renderer.tokens.lazy import LazyTokenizer

__all__ = ["count_least_prompt"]

_SPEAKERS = ("user", "assistant", "tool")


def count_least_prompt(template: Template, tokenizer: Tokenizer) -> int:
    """Return the fewest tokens of any prompt of the template, after everything that may be cut is gone.

    Raises MissingVocabularyError if the tokenizer's vocabulary isn't available.
    """
    loaded = tokenizer.loaded() if isinstance(tokenizer, LazyTokenizer) else tokenizer
    try:
        return _Least(template, loaded).prompt()
    except ProfileError:
        return 0  # the family doesn't support these parts at all, which a rendering reports


class _Least:
    def __init__(self, template: Template, tokenizer: Tokenizer) -> None:
        profile = template.checked_profile
        self.body: Any = template.body
        self.profile = profile
        self.tokenizer = tokenizer
        self.ruler = Ruler(tokenizer, trims=bool(profile and profile.markup and profile.markup.trim))
        self.markup = MarkupRuler(profile, tokenizer)
        self.fragments: dict[int, int] = {}

    def prompt(self) -> int:
        body = self.body
        if isinstance(body, PrompterBody):
            return min(map(self._measure_prompter, body.list_sure_parts()))
        if isinstance(body, ShapedBody):
            pieces = [piece.text if isinstance(piece, Literal) else Hole() for piece in body.pieces]
            return self.ruler.content(pieces, tidied=False) + self._measure_turn()
        if isinstance(body, JinjaBody) and isinstance(body.assembly, PartsParser):
            reader = self._build_reader(body, body.assembly)
            bound = reader.read(build_outline(body.unit))
            return bound.tokens + self.markup.least(Cast(bound.roles, bound.may_hold, bound.last))
        return self._measure_text(body, whole=True) + self._measure_turn() if isinstance(body, JinjaBody) else 0

    def _measure_turn(self) -> int:
        return self.markup.least(Cast(("user",), frozenset(("user",)), last=True))

    def _build_reader(self, body: JinjaBody, structure: PartsParser, *, every: bool = False) -> Reader:
        cost = None if every else self.markup.cost
        return Reader(self.ruler, structure.marker, lambda ref: self._measure_fragment(body, ref), cost, every)

    def _measure_fragment(self, body: JinjaBody, ref: str) -> int:
        """The fewest tokens that start in the text of a fragment, wherever it is used."""
        inner = body.fragments.get(ref)
        if inner is None:
            return 0
        if id(inner) not in self.fragments:
            if isinstance(inner.assembly, PartsParser):
                tokens = self._build_reader(inner, inner.assembly, every=True).read(build_outline(inner.unit)).tokens
            else:
                tokens = self._measure_text(inner, whole=False)
            self.fragments[id(inner)] = tokens
        return self.fragments[id(inner)]

    def _measure_text(self, body: JinjaBody, *, whole: bool) -> int:
        """The fewest tokens of a body of format text, as a whole content or as a stretch of another."""
        pieces = build_outline(body.unit)
        try:
            ways = [self._list_pieces(body, variant) for variant in list_variants(pieces)]
        except TooMany:
            return self._measure_stretch(body, pieces)
        return min(self.ruler.content(way, tidied=False) if whole else self.ruler.inside(way) for way in ways)

    def _list_pieces(self, body: JinjaBody, variant: Variant) -> list[Piece]:
        return [piece if isinstance(piece, str) else self._build_hole(body, piece) for piece in variant]

    def _build_hole(self, body: JinjaBody, piece: object) -> Hole:
        ref = piece.fragment if isinstance(piece, Value) else None
        return Hole(self._measure_fragment(body, ref) if ref is not None else 0)

    def _measure_stretch(self, body: JinjaBody, pieces: Seq) -> int:
        """The fewest tokens of a stretch. Each choice is measured separately, so there may be any number of them."""
        tokens = 0
        for piece in pieces:
            if isinstance(piece, Text):
                tokens += self.ruler.inside([piece.text])
            elif isinstance(piece, Choice):
                tokens += min(self._measure_stretch(body, branch) for branch in piece.branches)
            elif isinstance(piece, Loop):
                tokens += min(self._measure_stretch(body, piece.body), self._measure_stretch(body, piece.otherwise))
            else:
                tokens += self._build_hole(body, piece).least
        return tokens

    def _measure_prompter(self, parts: Sequence[Part]) -> int:
        """The fewest tokens of a prompter's prompt, with empty values and its history cut."""
        sure = [part for part in parts if part.truncation_priority <= 0]
        own_pieces = [_list_own_pieces(part) for part in sure]
        tokens = sum(self.ruler.content(pieces, tidied=False) for pieces in own_pieces)
        if turns.uses_own_layout(sure, self.profile):
            return tokens + sum(targets.count_frames(sure, self.profile, self.tokenizer))
        roles: list[str] = []
        spoken = False
        for part, pieces in zip(sure, own_pieces, strict=True):
            has_text = any(isinstance(piece, str) for piece in pieces)
            glue = part.frame.glue if part.frame else None
            if glue is None or not roles:
                roles.append(part.role)
                spoken = False
            elif glue and has_text and spoken:
                tokens += targets.count_pieces([glue], self.profile, self.tokenizer)
            spoken = spoken or has_text
        may_hold = frozenset((*(part.role for part in parts), *(_SPEAKERS if len(sure) < len(parts) else ())))
        return tokens + self.markup.least(Cast(roles, may_hold, last=parts[-1] is sure[-1]))


def _list_own_pieces(part: Part) -> list[Piece]:
    """A part's content with a hole for each value."""
    text, at = str(part.content), 0
    pieces: list[Piece] = []
    for mark in part.marks:
        pieces += [text[at : mark.start], Hole()]
        at = mark.end
    return [piece for piece in (*pieces, text[at:]) if piece != ""]
