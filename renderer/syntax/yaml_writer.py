"""Plain JSON values as YAML that is easy to read and to diff: deterministic, and it parses to the same value."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from promptuary.renderer.syntax.yaml_reader import parse_core_value

__all__ = ["write_yaml"]

_PLAIN = re.compile(r"[A-Za-z](?:[A-Za-z0-9_./@ -]*[A-Za-z0-9_./@-])?", re.ASCII)
_PLAIN_KEY = re.compile(r"[A-Za-z][A-Za-z0-9_./-]{0,99}", re.ASCII)
_UNREADABLE = re.compile("[^\t\n\x20-\x7e\xa0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd\U00010000-\U0010ffff]")
_MAX_KEY_LENGTH = 500  # characters; YAML requires a longer one to be written as `? key`
_MAX_PLAIN_LENGTH = 400


def write_yaml(value: Any, *, sort_keys: bool = True) -> str:
    """Write a mapping or list in block style, ending with a newline.

    sort_keys: whether the keys of the outermost mapping are sorted, which makes the text deterministic. Inner keys
    always are.
    """
    if not sort_keys and isinstance(value, Mapping) and value:
        return "".join(f"{line}\n" for key, item in value.items() for line in _write_entry(str(key), item, ""))
    return "\n".join(_write_lines(value, "")) + "\n"


def _write_lines(value: Any, indent: str) -> Iterator[str]:
    if isinstance(value, Mapping) and value:
        for key, item in sorted(value.items()):
            yield from _write_entry(str(key), item, indent)
    elif isinstance(value, list | tuple) and value:
        for item in value:
            yield from _write_item(item, indent)
    else:
        yield indent + _write_scalar(value, indent)


def _write_entry(key: str, value: Any, indent: str) -> Iterator[str]:
    name = key if _PLAIN_KEY.fullmatch(key) and isinstance(parse_core_value(key), str) else _quote_text(key)
    if len(name) > _MAX_KEY_LENGTH:
        yield f"{indent}? {name}"
        yield f"{indent}:"
        yield from _write_lines(value, indent + "  ")
    elif _is_block(value):
        yield f"{indent}{name}:"
        yield from _write_lines(value, indent + "  ")
    else:
        yield f"{indent}{name}: {_write_scalar(value, indent)}"


def _write_item(value: Any, indent: str) -> Iterator[str]:
    if not _is_block(value):
        yield f"{indent}- {_write_scalar(value, indent)}"
        return
    first = True
    for line in _write_lines(value, indent + "  "):
        yield f"{indent}- {line[len(indent) + 2 :]}" if first else line
        first = False


def _is_block(value: Any) -> bool:
    return isinstance(value, Mapping | Sequence) and not isinstance(value, str) and bool(value)


def _write_scalar(value: Any, indent: str) -> str:
    if not isinstance(value, str):
        return json.dumps(value) if value not in ([], {}, ()) else ("{}" if isinstance(value, Mapping) else "[]")
    if _PLAIN.fullmatch(value) and len(value) <= _MAX_PLAIN_LENGTH and isinstance(parse_core_value(value), str):
        return value
    if _is_literal(value):
        mark = "|" if value.endswith("\n") else "|-"
        body = value.removesuffix("\n").split("\n")
        return "\n".join([mark, *(f"{indent}  {line}" if line else "" for line in body)])
    return _quote_text(value)


def _is_literal(text: str) -> bool:
    """Whether a block scalar preserves the text: several lines, none of only blanks, nothing unprintable."""
    if "\n" not in text or _UNREADABLE.search(text):
        return False
    lines = text.removesuffix("\n").split("\n")
    return bool(lines[0] and lines[-1]) and not lines[0][0].isspace() and not any(line.isspace() for line in lines)


def _quote_text(text: str) -> str:
    escaped = json.dumps(text, ensure_ascii=False)
    return _UNREADABLE.sub(lambda match: f"\\u{ord(match[0]):04x}", escaped)
