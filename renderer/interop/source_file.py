"""A file of another system: its text, its JSON, YAML or TOML value, and the lines of its texts.

Foreign YAML may have anchors, aliases, merge keys and tags, which Promptuary documents don't allow. They are read
within limits: an alias counts as many nodes as what it repeats. A tagged value becomes a `Tagged`; its tag is never
interpreted.
"""

import codecs
import json
import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import PurePosixPath
from typing import Any

import yaml
from yaml import CSafeLoader

from promptuary.renderer.interop.imported import LossError
from promptuary.renderer.syntax.yaml_reader import parse_core_value

__all__ = ["MAX_BYTES", "SourceFile", "TaggedValue", "read_foreign_yaml", "read_source_file"]

MAX_BYTES = 2_000_000
"""The most bytes of one file."""
_LOOKS_LIKE_JSON = re.compile(
    r"\s*[{\[](?=\s*[{\[\"]).*?\"(?:role|messages|content|prompt|template|_type)\"\s*:", re.DOTALL
)
_DEPTH = 64
_NODES = 100_000


@dataclass(frozen=True)
class TaggedValue:
    """A YAML value with a tag for another program, such as `!function utils.process`."""

    tag: str
    value: Any


@dataclass(frozen=True)
class SourceFile:
    """A file's text with line feeds only; `path` is its name, with folders if any.

    `had_other_line_ends` tells whether it had other line ends, such as those of Windows.
    """

    path: str
    text: str
    had_other_line_ends: bool = False

    @property
    def stem(self) -> str:
        """The file's name up to its first dot."""
        return PurePosixPath(self.path).name.partition(".")[0] or PurePosixPath(self.path).name.strip(".")

    @property
    def suffix(self) -> str:
        """The last suffix in lower case, with its dot."""
        return PurePosixPath(self.path).suffix.lower()

    @cached_property
    def value(self) -> Any:
        """The file's value; None unless it is JSON, TOML or YAML of a mapping or a list."""
        try:
            return self.read_value()
        except LossError:
            return None

    def read_value(self) -> Any:
        """Parse the mapping or list in the file: JSON, JSON Lines, TOML or YAML. Raises LossError with the line."""
        if self.suffix == ".toml":
            return self._read_toml()
        if self.text.lstrip()[:1] in ("{", "["):
            try:
                return json.loads(self.text, parse_constant=_refuse_constant)
            except RecursionError:
                raise LossError("it is nested too deeply") from None
            except ValueError as error:
                lines = self._read_json_lines()
                if lines is not None:
                    return lines
                if self.suffix in (".json", ".jsonl"):
                    raise _describe_bad_json(error) from None
        elif self.suffix in (".json", ".jsonl") and self.text.lstrip().startswith(("//", "/*")):
            line = self.text.count("\n", 0, len(self.text) - len(self.text.lstrip())) + 1
            raise LossError("this isn't valid JSON: it has comments; take them out", line)
        value = read_foreign_yaml(self.text)
        if not isinstance(value, dict | list):
            raise LossError("it is neither a mapping nor a list")
        return value

    def _read_toml(self) -> dict[str, Any]:
        try:
            return tomllib.loads(self.text)
        except (ValueError, RecursionError) as error:
            raise LossError(f"this isn't valid TOML: {error}") from None

    def find_json_error(self) -> LossError | None:
        """Explain why a text that looks like a JSON export isn't valid JSON; None if it is, or isn't meant to be."""
        if not _LOOKS_LIKE_JSON.match(self.text) or self._read_json_lines() is not None:
            return None
        try:
            json.loads(self.text)
        except (ValueError, RecursionError) as error:
            is_followed = isinstance(error, json.JSONDecodeError) and error.msg == "Extra data"
            return None if is_followed else _describe_bad_json(error)
        return None

    def find_line(self, text: str) -> int | None:
        """Return the file's line on which a text, or its JSON form, starts; None if neither is found."""
        first = next((line.strip() for line in text.split("\n") if line.strip()), "")
        if not first:
            return None
        for spelled in (first, json.dumps(first)[1:-1], json.dumps(first, ensure_ascii=False)[1:-1]):
            index = self.text.find(spelled)
            if index >= 0:
                return self.text.count("\n", 0, index) + 1
        return None

    def _read_json_lines(self) -> list[Any] | None:
        lines = [line for line in self.text.split("\n") if line.strip()]
        try:
            values = [json.loads(line) for line in lines]
        except (ValueError, RecursionError):
            return None
        return values if len(values) > 1 else None


def read_source_file(path: str, content: bytes) -> SourceFile:
    """Decode a file's bytes. Raises LossError if they are too many or not UTF-8."""
    if len(content) > MAX_BYTES:
        raise LossError(f"it has {len(content):,} bytes; {MAX_BYTES:,} are read at most")
    is_utf16 = content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))  # as some editors of Windows save it
    try:
        text = content.decode("utf-16" if is_utf16 else "utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise LossError("it isn't text in UTF-8; save it in this encoding", line) from None
    if "\0" in text:
        raise LossError("it has the character U+0000, so it isn't text", text.count("\n", 0, text.index("\0")) + 1)
    return SourceFile(path, text.replace("\r\n", "\n").replace("\r", "\n"), "\r" in text)


def read_foreign_yaml(text: str) -> Any:
    """Parse the value of a YAML text with one document. Raises LossError with the line."""
    try:
        events = yaml.parse(text, Loader=CSafeLoader)
        return _Builder(events).read()
    except yaml.MarkedYAMLError as error:
        line = getattr(error.problem_mark or error.context_mark, "line", -1) + 1
        raise LossError(f"this isn't valid YAML: {error.problem or error.context}", line or None) from None
    except yaml.YAMLError as error:
        raise LossError(f"this isn't valid YAML: {error}") from None


def _describe_bad_json(error: ValueError | RecursionError) -> LossError:
    if isinstance(error, json.JSONDecodeError):
        return LossError(f"this isn't valid JSON: {error.msg}, column {error.colno}", error.lineno)
    return LossError(f"this isn't valid JSON: {error}")


def _refuse_constant(name: str) -> Any:
    raise ValueError(f"{name} isn't a number in JSON")


def _count_lines(event: Any) -> int:
    return int(event.start_mark.line) + 1


class _Builder:
    def __init__(self, events: Iterator[Any]) -> None:
        self.events = events
        self.count = 0
        self.anchors: dict[str, tuple[Any, int]] = {}

    def read(self) -> Any:
        value, documents = None, 0
        for event in self.events:
            if isinstance(event, yaml.DocumentStartEvent):
                documents += 1
                if documents > 1:
                    raise LossError("a second YAML document starts here", _count_lines(event))
            elif isinstance(event, yaml.NodeEvent):
                value = self._build_node(event, 1)
        return value

    def _build_node(self, event: Any, depth: int) -> Any:
        line = _count_lines(event)
        self._add(1, line)
        if depth > _DEPTH:
            raise LossError(f"it is nested deeper than {_DEPTH} levels", line)
        if isinstance(event, yaml.AliasEvent):
            if event.anchor not in self.anchors:
                raise LossError(f"the alias *{event.anchor} has no anchor before it", line)
            value, size = self.anchors[event.anchor]
            self._add(size, line)
            return value
        before = self.count
        value = self._build_tagged(event, self._build_value(event, depth, line))
        if event.anchor is not None:
            self.anchors[event.anchor] = (value, self.count - before)
        return value

    def _add(self, nodes: int, line: int) -> None:
        self.count += nodes
        if self.count > _NODES:
            raise LossError(f"it has more than {_NODES:,} YAML nodes", line)

    def _build_value(self, event: Any, depth: int, line: int) -> Any:
        if isinstance(event, yaml.ScalarEvent):
            if event.style or event.tag:
                return event.value
            try:
                return parse_core_value(event.value)
            except ValueError as error:
                raise LossError(str(error), line) from None
        if isinstance(event, yaml.SequenceStartEvent):
            return [self._build_node(item, depth + 1) for item in self._iterate_until(yaml.SequenceEndEvent)]
        mapping: dict[str, Any] = {}
        merged: dict[str, Any] = {}
        for key_event in self._iterate_until(yaml.MappingEndEvent):
            is_plain = isinstance(key_event, yaml.ScalarEvent) and not key_event.style
            key = self._build_node(key_event, depth + 1)
            value = self._build_node(next(self.events), depth + 1)
            if is_plain and key == "<<":
                merged = self._merge_keys(value, line)
            elif isinstance(key, dict | list | TaggedValue):
                raise LossError("a key of a mapping isn't plain text", line)
            else:
                mapping[key if isinstance(key, str) else json.dumps(key)] = value
        return {**merged, **mapping}

    def _merge_keys(self, value: Any, line: int) -> dict[str, Any]:
        merged: dict[str, Any] = {}
        for part in reversed(value if isinstance(value, list) else [value]):
            if not isinstance(part, dict):
                raise LossError("`<<` takes a mapping", line)
            merged |= part
        return merged

    def _iterate_until(self, end: type) -> Iterator[Any]:
        for event in self.events:
            if isinstance(event, end):
                return
            yield event

    @staticmethod
    def _build_tagged(event: Any, value: Any) -> Any:
        if event.tag in (None, "!", "tag:yaml.org,2002:str", "tag:yaml.org,2002:map", "tag:yaml.org,2002:seq"):
            return value
        return TaggedValue(event.tag, value)
