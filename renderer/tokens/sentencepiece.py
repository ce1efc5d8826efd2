"""Converts SentencePiece BPE models (Mistral's `tokenizer.model` files) to the JSON of HF `tokenizers`.

The file is a protobuf message of which three fields matter: `pieces` (1) of the model, and of a piece its text (1),
score (2) and type (3). A few lines here parse them, so no protobuf package is needed.
"""

import struct
from collections.abc import Iterator
from typing import Any, NamedTuple

from promptuary.renderer.errors import TokenizerError

__all__ = ["build_sentencepiece_tokenizer", "read_pieces"]

_NORMAL, _UNKNOWN, _CONTROL, _USER_DEFINED, _BYTE = 1, 2, 3, 4, 6
_SPACE = "▁"


class Piece(NamedTuple):
    text: str
    score: float
    kind: int


def _read_varint(data: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, at
        shift += 7


def _read_fields(data: bytes) -> Iterator[tuple[int, bytes | int]]:
    """Yield (field number, value) of one protobuf message."""
    at = 0
    while at < len(data):
        key, at = _read_varint(data, at)
        wire = key & 7
        if wire == 0:
            number, at = _read_varint(data, at)
            yield key >> 3, number
            continue
        if wire == 2:
            length, at = _read_varint(data, at)
        else:
            length = {1: 8, 5: 4}[wire]
        yield key >> 3, data[at : at + length]
        at += length


def _read_piece(data: bytes) -> Piece:
    text, score, kind = "", 0.0, _NORMAL
    for number, value in _read_fields(data):
        if number == 1 and isinstance(value, bytes):
            text = value.decode()
        elif number == 2 and isinstance(value, bytes):
            score = struct.unpack("<f", value)[0]
        elif number == 3 and isinstance(value, int):
            kind = value
    return Piece(text, score, kind)


def read_pieces(data: bytes) -> list[Piece]:
    """Read the pieces of a SentencePiece model; a piece's id is its index."""
    try:
        return [_read_piece(value) for number, value in _read_fields(data) if number == 1 and isinstance(value, bytes)]
    except (IndexError, KeyError, UnicodeDecodeError, struct.error) as error:
        raise TokenizerError("The SentencePiece model can't be read: it is not such a protobuf message.") from error


def _find_merges(pieces: list[Piece]) -> list[list[str]]:
    """All ways to build a normal piece from two normal pieces, best score first."""
    normal = {piece.text: place for place, piece in enumerate(pieces) if piece.kind == _NORMAL}
    merges: list[tuple[float, str, str]] = []
    for text, place in normal.items():
        splits = [(text[:at], text[at:]) for at in range(1, len(text)) if text[:at] in normal and text[at:] in normal]
        splits.sort(key=lambda pair: (normal[pair[0]], normal[pair[1]]))
        merges.extend((-pieces[place].score, left, right) for left, right in splits)
    merges.sort(key=lambda merge: merge[0])
    return [[left, right] for _, left, right in merges]


def build_sentencepiece_tokenizer(pieces: list[Piece]) -> tuple[dict[str, Any], dict[str, int]]:
    """Build the JSON for HF `tokenizers`, and separately the control pieces with their ids."""
    marks = {piece.text: place for place, piece in enumerate(pieces) if piece.kind in (_CONTROL, _USER_DEFINED)}
    unknown = next((piece.text for piece in pieces if piece.kind == _UNKNOWN), None)
    replace = {"type": "Replace", "pattern": {"String": " "}, "content": _SPACE}
    model = {
        "type": "BPE",
        "dropout": None,
        "unk_token": unknown,
        "continuing_subword_prefix": None,
        "end_of_word_suffix": None,
        "fuse_unk": True,
        "byte_fallback": True,
        "ignore_merges": False,
        "vocab": {piece.text: place for place, piece in enumerate(pieces)},
        "merges": _find_merges(pieces),
    }
    tokenizer: dict[str, Any] = {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": [],
        "normalizer": {"type": "Sequence", "normalizers": [{"type": "Prepend", "prepend": _SPACE}, replace]},
        "pre_tokenizer": None,
        "post_processor": None,
        "decoder": {"type": "Sequence", "decoders": [{"type": "ByteFallback"}, {"type": "Fuse"}]},
        "model": model,
    }
    return tokenizer, marks
