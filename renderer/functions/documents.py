"""Documents and answers in prompts: plain mappings, printed through a pattern.

A document is `{"content": str, "id": str, "meta": {...}, "score": float | None}`, of which only `content` is required;
an answer is `{"answer": str, "meta": {...}, ...}`. Both are Haystack's forms for retrieval and question answering.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any

from promptuary.renderer.errors import InputError, LimitError
from promptuary.renderer.functions.murmur3 import hash_text
from promptuary.renderer.values.printing import print_value

__all__ = ["MAX_TEXT", "check_pattern", "read_content", "read_id", "replace", "show", "show_all"]

MAX_TEXT = 8_000_000
"""The longest text, in characters, that a shaping function may return."""

_PLACEHOLDER = re.compile(
    r"\$(?:(?P<escaped>\$)|(?P<named>[_a-z][_a-z0-9]*)|\{(?P<braced>[_a-z][_a-z0-9]*)\}|(?P<alone>))",
    re.ASCII | re.IGNORECASE,
)
_Piece = tuple[str, str]  # literal text, then the name of the placeholder after it ("" at the end)


@lru_cache(maxsize=256)
def _parse_pattern(pattern: str) -> tuple[_Piece, ...]:
    pieces: list[_Piece] = []
    literal, end = "", 0
    for match in _PLACEHOLDER.finditer(pattern):
        literal += pattern[end : match.start()]
        end = match.end()
        if match["alone"] is not None:
            raise InputError(
                f"the pattern has a `$` at character {match.start() + 1} that starts no placeholder; "
                "write `$$` for a dollar sign"
            )
        if match["escaped"]:
            literal += "$"
        else:
            pieces.append((literal, match["named"] or match["braced"]))
            literal = ""
    pieces.append((literal + pattern[end:], ""))
    return tuple(pieces)


def check_pattern(pattern: str) -> tuple[str, ...]:
    """Return the names of the placeholders in `pattern`. Raises InputError for a `$` that doesn't start one."""
    return tuple(name for _, name in _parse_pattern(pattern) if name)


def replace(text: str, str_replace: Mapping[str, str] | None = None) -> str:
    """Replace each key by its value, one pair after the other, so later pairs also apply to earlier replacements."""
    for old, new in _list_pairs(str_replace):
        if len(text) + text.count(old) * (len(new) - len(old)) > MAX_TEXT:
            raise LimitError(f"a replacement would make a text of more than {MAX_TEXT:,} characters")
        text = text.replace(old, new)
    return text


def _list_pairs(str_replace: Any) -> Iterable[tuple[str, str]]:
    if not str_replace:
        return ()
    if not isinstance(str_replace, Mapping):
        raise InputError(f"the replacements must be a mapping from text to text, not {_name_kind(str_replace)}")
    for old, new in str_replace.items():
        if not isinstance(old, str) or not isinstance(new, str):
            raise InputError("a replacement must be text on both sides")
    return str_replace.items()


def read_content(item: Any) -> str:
    """Return the text of a document, an answer or a plain string."""
    if isinstance(item, str):
        return item
    if isinstance(item, Mapping):
        for field in ("content", "answer"):
            if field in item:
                return "" if item[field] is None else print_value(item[field])
        raise InputError("a document needs `content` and an answer needs `answer`; this item has neither")
    raise InputError(f"documents must be text or mappings with `content`, not {_name_kind(item)}")


def read_id(document: Any) -> str:
    """Return the document's id; without one, the fingerprint of its content, as in Haystack."""
    document_id = document.get("id") if isinstance(document, Mapping) else None
    return hash_text(read_content(document)) if document_id is None else str(document_id)


def _read_placeholder(item: Any, name: str, index: int) -> str:
    """The value of the placeholder `name`; empty for a meta field that the item lacks."""
    answer = isinstance(item, Mapping) and "content" not in item and "answer" in item
    if name == "idx":
        return str(index)
    if name == ("answer" if answer else "content"):
        return read_content(item)
    if name == "id" and not answer:
        return read_id(item)
    if not isinstance(item, Mapping):
        return ""
    meta = item.get("meta") or {}
    value = meta[name] if isinstance(meta, Mapping) and name in meta else item.get(name, "") if name == "score" else ""
    return print_value(value)


def show(item: Any, pattern: str | None = None, str_replace: Mapping[str, str] | None = None, idx: int = 1) -> str:
    """Print one document, answer or string through `pattern`.

    Placeholders: `$content` (`$answer` for answers), `$idx` (from 1), `$id`, `$score` and every field of `meta`;
    `${idx}x` before a letter, `$$` for a dollar sign. Replacements apply to the values, never to the pattern.
    """
    if pattern is not None and not isinstance(pattern, str):
        raise InputError(f"the pattern must be text, not {_name_kind(pattern)}")
    if not pattern:
        return replace(read_content(item), str_replace)
    read_content(item)  # rejects anything but documents and answers, whatever the pattern uses
    blocks: list[str] = []
    length = 0
    for literal, name in _parse_pattern(pattern):
        blocks.append(literal)
        if name:
            value = _read_placeholder(item, name, idx)
            blocks.append(value if name == "idx" else replace(value, str_replace))
            length += len(literal) + len(blocks[-1])
            if length > MAX_TEXT:
                raise LimitError(f"the pattern makes a text of more than {MAX_TEXT:,} characters")
    return "".join(blocks)


def show_all(
    items: Sequence[Any], pattern: str | None = None, str_replace: Mapping[str, str] | None = None
) -> list[str]:
    """Print each item, numbered from 1. Raises if the total exceeds MAX_TEXT characters."""
    if isinstance(items, str | Mapping) or not isinstance(items, Sequence):
        raise InputError(f"documents must be given as a list, not {_name_kind(items)}")
    texts, length = [], 0
    for index, item in enumerate(items, start=1):
        texts.append(show(item, pattern, str_replace, index))
        length += len(texts[-1])
        if length > MAX_TEXT:
            raise LimitError(f"the documents make a text of more than {MAX_TEXT:,} characters")
    return texts


_KINDS = {bool: "true or false", int: "a number", float: "a number", str: "text", type(None): "null"}


def _name_kind(value: Any) -> str:
    if isinstance(value, Mapping):
        return "a mapping"
    if isinstance(value, Sequence) and not isinstance(value, str):
        return "a list"
    return _KINDS.get(type(value), type(value).__name__)
