"""The fewest tokens of a content with unknown values, and of the markup around such contents.

Each token is counted where it starts. A token that starts in one of the author's texts is counted there only, so the
texts of a content can be counted separately and added up.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby

from promptuary.renderer.output import targets
from promptuary.renderer.output.turns import convert_role
from promptuary.renderer.profiles import Profile
from promptuary.renderer.tokens.base import Estimate, Tokenizer
from promptuary.renderer.tokens.tokenizers import VocabularyTokenizer

__all__ = ["Cast", "Hole", "MarkupRuler", "Piece", "Ruler"]


@dataclass(frozen=True, slots=True)
class Hole:
    """A value in which at least `least` tokens start."""

    least: int = 0


Piece = str | Hole

# Where a vocabulary that separates words always has a token boundary: letters, digits and signs, then a space.
_BORDER = re.compile("(?<=[\\w!-~“”‘’…–—]) ")


class Ruler:
    """Counts with one tokenizer. `trims`: white space at the ends of a content is not sent."""

    def __init__(self, tokenizer: Tokenizer, *, trims: bool = False) -> None:
        self.tokenizer = tokenizer
        self.trims = trims

    def content(self, pieces: Sequence[Piece], *, tidied: bool) -> int:
        """Return the fewest tokens of a whole content. `tidied`: empty values at its ends lose adjacent white space."""
        merged = _join_pieces(pieces)
        if len(merged) == 1 and isinstance(merged[0], str):
            return self.tokenizer.count(merged[0].strip() if self.trims else merged[0])
        return self._sum(merged, whole=True, tidied=tidied or self.trims)

    def inside(self, pieces: Sequence[Piece]) -> int:
        """Return the fewest tokens that start in these pieces, wherever they are."""
        return self._sum(_join_pieces(pieces), whole=False, tidied=True)

    def _sum(self, pieces: Sequence[Piece], *, whole: bool, tidied: bool) -> int:
        tokens = 0
        for index, piece in enumerate(pieces):
            if isinstance(piece, Hole):
                tokens += piece.least
                continue
            starts, ends = whole and index == 0, whole and index == len(pieces) - 1
            text = piece
            if tidied:
                text = text if starts and not self.trims else text.lstrip()
                text = text if ends and not self.trims else text.rstrip()
            tokens += self.text(text, starts=starts, ends=ends)
        return tokens

    def text(self, text: str, *, starts: bool = False, ends: bool = False) -> int:
        """Return the fewest tokens that start in a text. `starts`: nothing before it; `ends`: nothing after it."""
        if not text or (starts and ends):
            return self.tokenizer.count(text) if text else 0
        if isinstance(self.tokenizer, Estimate):
            return self.tokenizer.least(text)
        boundaries = self._find_boundaries(text)
        first = 0 if starts else boundaries[0] if boundaries else None
        last = len(text) if ends else boundaries[-1] if boundaries else None
        if first is None or last is None:
            # There is text at the start of a content, so a token starts there.
            return int(starts)
        count = self._count(text[first:last], after_word=not starts)
        return count + (last < len(text))

    def _find_boundaries(self, text: str) -> list[int]:
        if isinstance(self.tokenizer, VocabularyTokenizer) and self.tokenizer.separates_words:
            return [match.start() for match in _BORDER.finditer(text)]
        return []

    def _count(self, text: str, *, after_word: bool) -> int:
        if after_word and text and isinstance(self.tokenizer, VocabularyTokenizer):
            return self.tokenizer.count_after_word(text)
        return self.tokenizer.count(text)


def _join_pieces(pieces: Iterable[Piece]) -> list[Piece]:
    """Join adjacent texts of the pieces."""
    merged: list[Piece] = []
    for piece in pieces:
        if isinstance(piece, str) and merged and isinstance(merged[-1], str):
            merged[-1] += piece
        elif piece != "":
            merged.append(piece)
    return merged


_SYSTEM = ("system", "developer")


@dataclass(frozen=True, slots=True)
class Cast:
    """The roles of a prompt; None for a role that is printed.

    `roles` are those of the parts that are certain to stay, in order. `may_hold` are those of all possible parts, None
    for an unknown one. `last` says that the last of `roles` is certain to end the prompt.
    """

    roles: Sequence[str | None]
    may_hold: frozenset[str | None]
    last: bool = False

    def may_speak(self, *roles: str) -> bool:
        return None in self.may_hold or any(role in self.may_hold for role in roles)


class MarkupRuler:
    """Counts the markup of one profile."""

    def __init__(self, profile: Profile | None, tokenizer: Tokenizer) -> None:
        self.profile = profile
        self.tokenizer = tokenizer

    @property
    def cost(self) -> Callable[[str | None], int] | None:
        """Return what a part of each role costs besides its content; None if that depends on its neighbours."""
        profile = self.profile
        if profile is None or profile.markup is None:
            return lambda _role: 0
        if profile.merge or profile.system != "native":
            return None
        return lambda role: self._turn(None if role is None else convert_role(role, profile))

    def least(self, cast: Cast) -> int:
        """Return the fewest tokens of markup for a prompt with these roles.

        Another part never makes it less: it adds a turn, becomes part of one, or keeps two turns apart.
        """
        profile = self.profile
        if profile is None or profile.markup is None:
            return 0
        roles = [role if role is None else convert_role(role, profile) for role in cast.roles]
        turns = self._count_turns(profile, roles)
        tokens = targets.count_pieces([profile.markup.start], profile, self.tokenizer)
        tokens += sum(map(self._turn, turns))
        tokens += self._count_default_system(profile, cast, turns)
        reply = targets.count_pieces([profile.markup.reply], profile, self.tokenizer)
        ends_open = profile.prefill and cast.may_speak("assistant")
        if ends_open and not (cast.last and cast.roles and cast.roles[-1] not in (None, "assistant")):
            after = profile.markup.roles.get("assistant", ("", ""))[1]
            closing = targets.count_pieces([after], profile, self.tokenizer)
            return tokens + min(reply, -closing)
        return tokens + reply

    def _count_turns(self, profile: Profile, roles: list[str | None]) -> list[str | None]:
        """The turns that these parts form by themselves."""
        if profile.system != "native":
            spoken_roles = [role for role in roles if role not in _SYSTEM]
            has_system = len(spoken_roles) < len(roles)
            if has_system and profile.system == "first":
                spoken_roles = ["system", *spoken_roles]
            elif has_system and not spoken_roles:
                spoken_roles = ["user"]
            roles = spoken_roles
        if not profile.merge and profile.system == "native":
            return roles
        # A part with a printed role may join another's turn.
        known_roles: list[str | None] = [role for role in roles if role is not None]
        return [role for role, _ in groupby(known_roles)] if profile.merge else known_roles

    def _turn(self, role: str | None) -> int:
        # Used only by `least`, which has both.
        assert self.profile is not None and self.profile.markup is not None  # noqa: S101, PT018
        around = self.profile.markup.roles
        pairs = list(around.values()) if role is None else [around.get(role, ("", ""))]
        return min(targets.count_pieces(pair, self.profile, self.tokenizer) for pair in pairs)

    def _count_default_system(self, profile: Profile, cast: Cast, turns: list[str | None]) -> int:
        """The turn that the profile adds if there is no system part."""
        if profile.default_system is None or "system" in turns or None in turns:
            return 0
        text = [] if cast.may_speak(*_SYSTEM) else [profile.default_system]
        before, after = profile.markup.roles.get("system", ("", "")) if profile.markup else ("", "")
        return targets.count_pieces([before, *text, after], profile, self.tokenizer)
