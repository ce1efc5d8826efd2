"""Converts rank files (the tiktoken and tekken forms) to the JSON of HF `tokenizers`.

A rank file lists every token as bytes with its rank. Byte-level BPE needs the tokens spelled in GPT-2's byte alphabet,
and the merges. A token's merge is found by running BPE on the token's own bytes with the ranks below its own: for every
published vocabulary this ends in exactly two parts.
"""

import base64
import json
from collections.abc import Iterable
from typing import Any

from promptuary.renderer.errors import TokenizerError

__all__ = ["build_byte_level_tokenizer", "read_tekken_ranks", "read_tiktoken_ranks"]


def _build_byte_alphabet() -> dict[int, str]:
    """Map each byte to GPT-2's character for it: printable bytes map to themselves, the rest to U+0100 and up."""
    printable = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    alphabet = {byte: chr(byte) for byte in printable}
    other_bytes = [byte for byte in range(256) if byte not in alphabet]
    alphabet.update({byte: chr(0x100 + place) for place, byte in enumerate(other_bytes)})
    return alphabet


_ALPHABET = _build_byte_alphabet()


def _spell(token: bytes) -> str:
    return token.decode("latin-1").translate(_ALPHABET)


def read_tiktoken_ranks(data: bytes) -> dict[bytes, int]:
    """Read `base64 rank` lines into {token bytes: rank}."""
    ranks = {}
    for line in data.splitlines():
        if line:
            token, rank = line.split()
            ranks[base64.b64decode(token)] = int(rank)
    return ranks


def read_tekken_ranks(data: bytes) -> tuple[dict[bytes, int], str, int]:
    """Read Mistral's tekken JSON: the ranks in use, the splitting pattern, and the offset from rank to token id."""
    tekken = json.loads(data)
    config = tekken["config"]
    offset = int(config["default_num_special_tokens"])
    entries = tekken["vocab"][: int(config["default_vocab_size"]) - offset]
    ranks = {base64.b64decode(entry["token_bytes"]): int(entry["rank"]) for entry in entries}
    return ranks, str(config["pattern"]), offset


def _find_merge(token: bytes, ranks: dict[bytes, int]) -> tuple[bytes, bytes]:
    """Split a token into the two tokens that it is merged from."""
    pieces = [token[at : at + 1] for at in range(len(token))]
    while len(pieces) > 2:
        best, place = -1, -1
        for at in range(len(pieces) - 1):
            rank = ranks.get(pieces[at] + pieces[at + 1])
            if rank is not None and (place < 0 or rank < best):
                best, place = rank, at
        if place < 0:
            raise TokenizerError(f"The rank file is broken: token {token!r} can't be built from shorter tokens.")
        pieces[place : place + 2] = [pieces[place] + pieces[place + 1]]
    return pieces[0], pieces[1]


def _find_merges(ranks: dict[bytes, int]) -> Iterable[list[str]]:
    for token, _ in sorted(ranks.items(), key=lambda item: item[1]):
        if len(token) > 1:
            left, right = _find_merge(token, ranks)
            yield [_spell(left), _spell(right)]


def build_byte_level_tokenizer(
    ranks: dict[bytes, int], pattern: str, *, offset: int = 0, nfc: bool = False
) -> dict[str, Any]:
    """Build the JSON for HF `tokenizers` of a byte-level BPE; a token's id is its rank plus `offset`.

    It deliberately has no control tokens, so text that looks like one is encoded as plain text.
    """
    split = {"type": "Split", "pattern": {"Regex": pattern}, "behavior": "Isolated", "invert": False}
    byte_level = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": False, "use_regex": False}
    return {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": [],
        "normalizer": {"type": "NFC"} if nfc else None,
        "pre_tokenizer": {"type": "Sequence", "pretokenizers": [split, byte_level]},
        "post_processor": None,
        "decoder": byte_level,
        "model": {
            "type": "BPE",
            "dropout": None,
            "unk_token": None,
            "continuing_subword_prefix": None,
            "end_of_word_suffix": None,
            "fuse_unk": False,
            "byte_fallback": False,
            "ignore_merges": True,
            "vocab": {_spell(token): rank + offset for token, rank in ranks.items()},
            "merges": list(_find_merges(ranks)),
        },
    }
