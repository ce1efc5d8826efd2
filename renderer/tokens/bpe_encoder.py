"""Byte pair encoding directly on lookup tables, without loading a vocabulary.

HF `tokenizers` normalizes and splits the text, which needs no vocabulary. Only the merging of pieces is done here, with
the library's rules: of all pairs the one with the lowest rank, leftmost first. Long texts are left to the library,
which is faster once it is loaded.
"""

from itertools import pairwise
from typing import Any

from promptuary.renderer.tokens.bpe_tables import BpeTables

__all__ = ["BpeEncoder", "can_encode"]

_MAX_PIECE_LENGTH = 1000
_MAX_REMEMBERED = 20_000


def can_encode(rules: Any) -> bool:
    """Whether a `tokenizers.Tokenizer` without its vocabulary does nothing but split bytes and merge them."""
    model = rules.model
    if type(model).__name__ != "BPE" or model.dropout or model.unk_token or model.byte_fallback:
        return False
    if model.continuing_subword_prefix or model.end_of_word_suffix or rules.get_added_tokens_decoder():
        return False
    if rules.truncation is not None or rules.padding is not None or rules.pre_tokenizer is None:
        return False
    # The last step spells bytes as characters, so each character of a piece is a token.
    return "ByteLevel" in str(rules.pre_tokenizer)


class BpeEncoder:
    """Encodes short texts with a vocabulary's tables. `rules` is its `tokenizers.Tokenizer` without tokens and merges.

    Thread-safe.
    """

    def __init__(self, rules: Any, tables: BpeTables) -> None:
        self._rules = rules
        self._tables = tables
        self._takes_whole = bool(rules.model.ignore_merges)
        self._remembered: dict[str, list[int]] = {}
        self._characters: dict[str, int] = {}

    def encode(self, text: str) -> list[int] | None:
        """Return the ids, or None if the text is left to the library. Raises the library's error for invalid text."""
        rules = self._rules
        normal = text if rules.normalizer is None else rules.normalizer.normalize_str(text)
        ids: list[int] = []
        for piece, _ in rules.pre_tokenizer.pre_tokenize_str(normal):
            piece_ids = self._remembered.get(piece)
            if piece_ids is None:
                piece_ids = self._encode_piece(piece)
                if piece_ids is None:
                    return None
                if len(self._remembered) >= _MAX_REMEMBERED:
                    self._remembered = {}
                self._remembered[piece] = piece_ids
            ids += piece_ids
        return ids

    def _encode_piece(self, piece: str) -> list[int] | None:
        if len(piece) > _MAX_PIECE_LENGTH:
            return None
        if self._takes_whole:
            whole = self._tables.find_token(piece)
            if whole is not None:
                return [whole]
        try:
            return self._merge([self._characters[character] for character in piece])
        except KeyError:
            pass
        for character in piece:
            token = self._tables.find_token(character)
            if token is None:
                return None
            self._characters[character] = token
        return self._merge([self._characters[character] for character in piece])

    def _merge(self, ids: list[int]) -> list[int]:
        find, never = self._tables.find_merge, 1 << 32
        ranks = [_default_rank(find(left, right), never) for left, right in pairwise(ids)]
        while ranks:
            rank = min(ranks)
            if rank == never:
                break
            at = ranks.index(rank)
            ids[at : at + 2] = [self._tables.merged_id(rank)]
            del ranks[at]
            if at:
                ranks[at - 1] = _default_rank(find(ids[at - 1], ids[at]), never)
            if at < len(ranks):
                ranks[at] = _default_rank(find(ids[at], ids[at + 1]), never)
        return ids


def _default_rank(rank: int | None, never: int) -> int:
    return never if rank is None else rank
