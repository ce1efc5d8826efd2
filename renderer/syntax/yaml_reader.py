"""This project's YAML parser: turns events into nodes with offsets; only text has a type at first.

Events are validated as they arrive, before anything is built from them, so a document of a few hundred bytes can't take
seconds or crash the process. Anchors, aliases, tags, merge keys, duplicate keys, keys other than plain text, a second
document, and exceeding the depth or nodes of `Bounds` are refused. Scalars keep their spelling; `read_value` reads the
core types of YAML 1.2 from plain ones.
"""

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import yaml

__all__ = [
    "Bounds",
    "Item",
    "Mapping",
    "Node",
    "Scalar",
    "Sequence",
    "YamlError",
    "compose",
    "parse_core_value",
    "read_value",
]

# The pure Python scanner is about twenty times slower, so a build without libyaml is refused at import.
from yaml import CSafeLoader


class YamlError(Exception):
    """Invalid YAML. `index` is the offset in the text."""

    def __init__(self, message: str, index: int, code: str = "PT101") -> None:
        super().__init__(message)
        self.message = message
        self.index = index
        self.code = code


@dataclass(frozen=True, slots=True)
class Bounds:
    depth: int = 24
    nodes: int = 20_000


@dataclass(frozen=True, slots=True)
class Scalar:
    value: str
    style: str
    """`plain`, `single`, `double`, `literal` or `folded`."""
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Sequence:
    items: "list[Node]"
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Item:
    key: Scalar
    value: "Node"


@dataclass(frozen=True, slots=True)
class Mapping:
    items: list[Item]
    start: int
    end: int


Node = Scalar | Sequence | Mapping

_STYLES = {"'": "single", '"': "double", "|": "literal", ">": "folded"}


def compose(text: str, bounds: Bounds | None = None) -> Node | None:
    """Parse a one-document text into its root node; None for a text of blanks and comments. Raises YamlError."""
    reader = _Reader(bounds or Bounds())
    try:
        return reader.read(yaml.parse(text, Loader=CSafeLoader))
    except yaml.reader.ReaderError as error:
        index = _find_first_unreadable(text, error)
        raise YamlError(f"YAML cannot have the character U+{ord(text[index]):04X} here", index) from error
    except yaml.MarkedYAMLError as error:
        raise YamlError(_describe_error(error), min(_find_index(error), len(text))) from error
    except yaml.YAMLError as error:
        raise YamlError(f"this is not YAML: {error}", 0) from error


_UNREADABLE = re.compile("[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def _find_first_unreadable(text: str, error: yaml.reader.ReaderError) -> int:
    match = _UNREADABLE.search(text)
    return match.start() if match else min(max(int(error.position), 0), len(text) - 1)


def _find_index(error: yaml.MarkedYAMLError) -> int:
    """The offset to report: an unclosed quote or bracket is detected far from where it was opened."""
    opening = error.context_mark
    mark = error.problem_mark or opening
    unclosed = (error.context or "").startswith(("while scanning a quoted", "while parsing a flow"))
    reached_end = (error.problem or "").endswith("end of stream")
    if opening and mark and unclosed and (reached_end or mark.line > opening.line):
        mark = opening
    return int(mark.index) if mark else 0


def _describe_error(error: yaml.MarkedYAMLError) -> str:
    parts = [part for part in (error.context, error.problem) if part]
    return "this is not YAML: " + ", ".join(parts)


class _Reader:
    """Builds nodes from events, checking the depth before Python's stack overflows."""

    def __init__(self, bounds: Bounds) -> None:
        self.bounds = bounds
        self.count = 0

    def read(self, events: Iterator[Any]) -> Node | None:
        root: Node | None = None
        documents = 0
        for event in events:
            if isinstance(event, yaml.DocumentStartEvent):
                documents += 1
                if documents > 1:
                    raise YamlError("a second document starts here; only one is allowed", _start(event), "PT103")
                self._refuse_directives(event)
            elif isinstance(event, yaml.NodeEvent):
                root = self._read_node(event, events, 1)
        if isinstance(root, Scalar) and root.style == "plain" and root.value == "" and root.start == root.end:
            return None
        return root

    def _refuse_directives(self, event: Any) -> None:
        if event.version or event.tags:
            raise YamlError("YAML directives (%YAML, %TAG) are not allowed", _start(event), "PT103")

    def _read_node(self, event: Any, events: Iterator[Any], depth: int) -> Node:
        start = _start(event)
        self.count += 1
        if self.count > self.bounds.nodes:
            raise YamlError(f"more than {self.bounds.nodes} YAML nodes", start, "PT106")
        if depth > self.bounds.depth:
            raise YamlError(f"YAML nested deeper than {self.bounds.depth} levels", start, "PT106")
        if isinstance(event, yaml.AliasEvent):
            raise YamlError(f"aliases are not allowed (*{event.anchor}); write the value out", start, "PT103")
        if event.anchor is not None:
            raise YamlError(f"anchors are not allowed (&{event.anchor}); write the value out", start, "PT103")
        if event.tag is not None:
            raise YamlError(f"tags are not allowed ({event.tag}); quote the text if it starts with !", start, "PT103")
        if isinstance(event, yaml.ScalarEvent):
            return Scalar(event.value, _STYLES.get(event.style or "", "plain"), start, _end(event))
        if isinstance(event, yaml.SequenceStartEvent):
            return self._read_sequence(start, events, depth)
        return self._read_mapping(start, events, depth)

    def _read_sequence(self, start: int, events: Iterator[Any], depth: int) -> Sequence:
        items: list[Node] = []
        for event in events:
            if isinstance(event, yaml.SequenceEndEvent):
                return Sequence(items, start, _end(event))
            items.append(self._read_node(event, events, depth + 1))
        raise YamlError("this list does not end", start)

    def _read_mapping(self, start: int, events: Iterator[Any], depth: int) -> Mapping:
        items: list[Item] = []
        key_names: set[str] = set()
        for event in events:
            if isinstance(event, yaml.MappingEndEvent):
                return Mapping(items, start, _end(event))
            key = self._read_key(self._read_node(event, events, depth + 1), key_names)
            items.append(Item(key, self._read_node(next(events), events, depth + 1)))
        raise YamlError("this mapping does not end", start)

    def _read_key(self, key: Node, key_names: set[str]) -> Scalar:
        if not isinstance(key, Scalar):
            raise YamlError("a key must be plain text, not a list or a mapping", key.start, "PT103")
        if key.style == "plain" and key.value == "<<":
            raise YamlError("merge keys (<<) are not allowed; write the values out", key.start, "PT103")
        if key.value in key_names:
            raise YamlError(f"the key `{_shorten(key.value)}` occurs here twice", key.start, "PT102")
        key_names.add(key.value)
        return key


def _start(event: Any) -> int:
    return int(event.start_mark.index)


def _end(event: Any) -> int:
    return int(event.end_mark.index)


def _shorten(text: str) -> str:
    return text if len(text) <= 60 else text[:57] + "..."


_NULL = frozenset(("", "~", "null", "Null", "NULL"))
_TRUE = frozenset(("true", "True", "TRUE"))
_FALSE = frozenset(("false", "False", "FALSE"))
_INTEGER = re.compile(r"[-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+")
_FLOAT = re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?")
_NOT_FINITE = re.compile(r"[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)")


def parse_core_value(text: str) -> Any:
    """The value of a plain scalar in YAML 1.2's core schema. Raises ValueError for a number that JSON doesn't have."""
    if text in _NULL:
        return None
    if text in _TRUE:
        return True
    if text in _FALSE:
        return False
    if text[0] not in "+-.0123456789":
        return text
    if _INTEGER.fullmatch(text):
        if len(text) > 300:
            raise ValueError("an integer of more than 300 digits")
        return int(text, 0) if text[:2] in ("0o", "0x") else int(text)
    if _FLOAT.fullmatch(text):
        number = float(text)
        if math.isfinite(number):
            return number
        raise ValueError(f"the number {_shorten(text)} is too large")
    if _NOT_FINITE.fullmatch(text):
        raise ValueError(f"{text} has no JSON form")
    return text


def read_value(node: Node | None) -> Any:
    """Convert a node to plain JSON values. Raises YamlError if a number has no JSON form."""
    if node is None:
        return None
    if isinstance(node, Sequence):
        return [read_value(item) for item in node.items]
    if isinstance(node, Mapping):
        return {item.key.value: read_value(item.value) for item in node.items}
    if node.style != "plain":
        return node.value
    try:
        return parse_core_value(node.value)
    except ValueError as error:
        raise YamlError(str(error), node.start, "PT105") from error
