"""One part of a prompt as the author wrote it: read once from YAML nodes, then filled with values many times."""

import re
from collections.abc import Callable, Container, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from renderer import yaml_text
from renderer.environment import FragmentText
from renderer.prompt import Mark, Part, Site

__all__ = ["ROLES", "Fault", "Recipe", "Slots", "Text", "read_part"]

ROLES = ("system", "developer", "user", "assistant", "tool")

_SHRINK = ("start", "middle", "end")
_KEYS = (
    "name",
    "role",
    "content",
    "truncation_priority",
    "sections",
    "expected_template_data_keys",
    "shrink",
    "min_tokens",
)
_WHOLE = re.compile(r"[-+]?[0-9]{1,9}")


class Fault(Exception):
    """Something is wrong at an offset of the marked text, or with the value in slot number `slot`."""

    def __init__(self, message: str, code: str, index: int, slot: int | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.code = code
        self.index = index
        self.slot = slot


class Slots:
    """The values of one rendering with their sites; a recipe counts its slots from `base`."""

    __slots__ = ("base", "given", "sites", "values")

    def __init__(self, values: Sequence[str], sites: Sequence[Site], given: Container[str]) -> None:
        self.values = values
        self.sites = sites
        self.given = given
        self.base = 0


Piece = str | int
"""The author's text, or the number of a slot."""


def _split(text: str, marker: str) -> tuple[Piece, ...]:
    """`a M3M b` to ("a ", 3, " b")."""
    found = text.split(marker)
    pieces: list[Piece] = [found[0]] if found[0] else []
    for index in range(1, len(found), 2):
        pieces.append(int(found[index]))
        if found[index + 1]:
            pieces.append(found[index + 1])
    return tuple(pieces)


def _cook(text: str) -> str:
    """The author's spellings for a kept space and for line ends."""
    if "<|space|>" in text:
        text = text.replace("<|space|>", " ")
    return text.replace("\\n", "\n").replace("\\r", "\r") if "\\" in text else text


def _strip(pieces: Sequence[Piece], slots: Slots | None, characters: str | None = None) -> list[Piece]:
    """Drop the author's white space at both ends; an empty value has nothing to protect and is looked through."""
    kept = list(pieces)
    for last in (False, True):
        index = -1 if last else 0
        while kept:
            piece = kept[index]
            if isinstance(piece, int):
                if slots is None or slots.values[slots.base + piece]:
                    break
                kept.pop(index)
                continue
            text = piece.rstrip(characters) if last else piece.lstrip(characters)
            if text:
                kept[index] = text
                break
            kept.pop(index)
    return kept


def _cook_all(pieces: Sequence[Piece]) -> list[Piece]:
    return [_cook(piece) if isinstance(piece, str) else piece for piece in pieces]


Sections = Sequence[Sequence[Piece]]


def _tidy_content(sections: Sections, slots: Slots | None) -> list[Piece]:
    """The rules for content: white space at the ends goes, then the author's spellings are replaced."""
    return _cook_all(_strip(sections[0], slots))


def _tidy_sections(sections: Sections, slots: Slots | None) -> list[Piece]:
    """The rules for sections: each loses blanks at its ends, they are joined by nothing, and the whole is stripped."""
    pieces = [piece for section in sections for piece in _cook_all(_strip(section, slots, " \t"))]
    return _strip(pieces, slots)


class Text:
    """A text with slots in it. `tidy` applies the rules for white space; without it the text is taken as it is."""

    __slots__ = ("constant", "ends", "margin", "pieces", "raw", "tidy")

    def __init__(
        self, raw: Sections, tidy: Callable[[Sections, Slots | None], list[Piece]] | None = None, margin: int = 0
    ) -> None:
        self.raw = raw
        self.tidy = tidy
        # The indentation of the block the text stands in, which an author's `| indent` means to meet.
        self.margin = margin
        self.pieces: tuple[Piece, ...] = tuple(raw[0] if tidy is None else tidy(raw, None))
        # Where one of these values is empty, the white space next to it is at an end after all.
        outer = [_strip(section, None) for section in (*raw, self.pieces)] if tidy else []
        self.ends = tuple({piece for found in outer for piece in (*found[:1], *found[-1:]) if isinstance(piece, int)})
        only_text = [piece for piece in self.pieces if isinstance(piece, str)]
        self.constant = "".join(only_text) if len(only_text) == len(self.pieces) else None

    def slots(self) -> list[int]:
        """The numbers of its slots."""
        return [piece for piece in self.pieces if isinstance(piece, int)]

    def fill(self, slots: Slots) -> str:
        """The text alone."""
        if self.constant is not None:
            return self.constant
        values, base = slots.values, slots.base
        return "".join([piece if type(piece) is str else values[base + piece] for piece in self.pieces])  # type: ignore[operator]  # mypy does not narrow by type()

    def fill_marked(self, slots: Slots) -> tuple[str, tuple[Mark, ...]]:
        """The text and which stretches of it are values."""
        if self.constant is not None:
            return self.constant, ()
        values, base, pieces = slots.values, slots.base, self.pieces
        for end in self.ends:
            if self.tidy is not None and not values[base + end]:
                pieces = tuple(self.tidy(self.raw, slots))
                break
        texts: list[str] = []
        marks: list[Mark] = []
        at = 0
        for piece in pieces:
            if type(piece) is str:
                texts.append(piece)
                at += len(piece)
                continue
            value = values[base + piece]  # type: ignore[operator]  # as above
            if value:
                size = len(value)
                site = slots.sites[base + piece]  # type: ignore[operator]  # as above
                if site.indented and self.margin:
                    value = _outdented(value, self.margin)
                    size = len(value)
                if type(value) is FragmentText:
                    marks.extend(_fragment_marks(value, at, site))
                    value = str(value)
                else:
                    marks.append(Mark(at, at + size, site))
                texts.append(value)
                at += size
        return "".join(texts), tuple(marks)


def _outdented(value: str, margin: int) -> str:
    """Take the block's indentation off the lines that `| indent` gave it to, as reading the YAML would."""
    first, *rest = value.split("\n")
    return "\n".join([first, *(line[margin:] if line[:margin].isspace() else line for line in rest)])


def _fragment_marks(value: FragmentText, at: int, outer: Site) -> list[Mark]:
    """A fragment's own text and the inputs printed inside it, as stretches that do not overlap."""
    marks, done = [], 0
    for start, end, inner in value.marks:
        if start > done:
            marks.append(Mark(at + done, at + start, outer))
        site = Site(inner.expression, outer.line, outer.column, inner.kind, inner.names)
        marks.append(Mark(at + start, at + end, site))
        done = end
    if done < len(value):
        marks.append(Mark(at + done, at + len(value), outer))
    return marks


@dataclass(frozen=True, slots=True)
class Recipe:
    """A part with its slots still open. `content` is a Text, or a list for content items."""

    name: Text
    content: Text | list[Any]
    role: Text | None = None
    priority: Text | None = None
    expected: tuple[str, ...] = ()
    shrink: Literal["start", "middle", "end"] | None = None
    min_tokens: int = 0
    starts: tuple[int, int, int] = (0, 0, 0)
    """Offsets of the part, its role and its priority, for faults."""

    def fill(self, slots: Slots, line: int) -> Part:
        """The part with values in place. Raises Fault for a value that the author put where it does not fit."""
        for key in self.expected:
            if key not in slots.given:
                raise Fault(f"the part expects `{key}`, which is not given", "PT401", self.starts[0])
        if isinstance(self.content, Text):
            content, marks = self.content.fill_marked(slots)
        else:
            content, marks = _fill_items(self.content, slots), ()
        role = "user" if self.role is None else self.role.constant
        if role is None:
            role = self._role(slots)
        priority = 0 if self.priority is None else self._priority(slots)
        return Part(
            self.name.fill(slots), role, content, priority, None, None, marks, self.shrink, self.min_tokens, line
        )

    def _role(self, slots: Slots) -> str:
        text = self.role.fill(slots) if self.role else "user"
        if text not in ROLES:
            raise Fault(_bad_role(text), "PT305", self.starts[1], _first(self.role, slots))
        return text

    def _priority(self, slots: Slots) -> int:
        text = self.priority.fill(slots) if self.priority else "0"
        if not _WHOLE.fullmatch(text):
            raise Fault(_bad_priority(text), "PT306", self.starts[2], _first(self.priority, slots))
        return int(text)


def _first(text: Text | None, slots: Slots) -> int | None:
    found = text.slots() if text else []
    return slots.base + found[0] if found else None


def _bad_role(text: str) -> str:
    return f"`{text[:40]}` is not a role; the roles are {', '.join(ROLES)}"


def _bad_priority(text: str) -> str:
    return f"`truncation_priority` must be a whole number, not `{text[:40]}`"


def _fill_items(value: Any, slots: Slots) -> Any:
    if isinstance(value, Text):
        return value.fill(slots)
    if isinstance(value, list):
        return [_fill_items(item, slots) for item in value]
    if isinstance(value, dict):
        return {key: _fill_items(item, slots) for key, item in value.items()}
    return value


def read_part(node: yaml_text.Node, marker: str, text: str) -> Recipe:
    """The recipe of one list item; `text` is what the node was read from. Raises Fault."""
    if not isinstance(node, yaml_text.Mapping):
        raise Fault("each item of the list must be a part: a mapping with name and content", "PT301", node.start)
    fields = {item.key.value: item for item in node.items}
    for key, item in fields.items():
        if marker in key:
            raise Fault("a value cannot be a key", "PT309", item.key.start)
        if key == "tokens":
            raise Fault("`tokens` is not taken; parts are always counted from their content", "PT304", item.key.start)
        if key not in _KEYS:
            raise Fault(f"`{key}` is not a field of a part", "PT304", item.key.start)
    if "name" not in fields:
        raise Fault("this part has no `name`", "PT302", node.start)
    reader = _Fields({key: item.value for key, item in fields.items()}, marker)
    if "sections" in fields:
        if "content" in fields:
            raise Fault("a part has either `content` or `sections`", "PT310", fields["sections"].key.start)
        content: Text | list[Any] = _sections(reader.nodes["sections"], marker, text)
    elif "content" in fields:
        content = _content(reader.nodes["content"], marker, text)
    else:
        raise Fault("this part has no `content`", "PT303", node.start)
    starts = (node.start, reader.start("role", node), reader.start("truncation_priority", node))
    return Recipe(
        reader.name("name"),
        content,
        reader.role(),
        reader.priority(),
        reader.expected(),
        reader.shrink(),
        reader.whole("min_tokens"),
        starts,
    )


class _Fields:
    """The fields of a part that are not content, each read with its own check."""

    def __init__(self, nodes: dict[str, yaml_text.Node], marker: str) -> None:
        self.nodes = nodes
        self.marker = marker

    def start(self, key: str, part: yaml_text.Node) -> int:
        return self.nodes[key].start if key in self.nodes else part.start

    def scalar(self, key: str, code: str) -> yaml_text.Scalar:
        node = self.nodes[key]
        if not isinstance(node, yaml_text.Scalar):
            raise Fault(f"`{key}` must be a single value", code, node.start)
        return node

    def name(self, key: str) -> Text:
        node = self.scalar(key, "PT302")
        if node.style == "plain" and node.value in ("", "~", "null", "Null", "NULL"):
            raise Fault("`name` is empty", "PT302", node.start)
        return Text([_split(node.value, self.marker)])

    def role(self) -> Text | None:
        if "role" not in self.nodes:
            return None
        node = self.scalar("role", "PT305")
        text = Text([_split(node.value, self.marker)])
        if text.constant is not None and text.constant not in ROLES:
            raise Fault(_bad_role(text.constant), "PT305", node.start)
        return text

    def priority(self) -> Text | None:
        if "truncation_priority" not in self.nodes:
            return None
        node = self.scalar("truncation_priority", "PT306")
        text = Text([_split(node.value, self.marker)])
        if node.style != "plain":
            raise Fault(
                _bad_priority(f'"{node.value}"' if text.constant is not None else "a text"), "PT306", node.start
            )
        if text.constant is not None and not _WHOLE.fullmatch(text.constant):
            raise Fault(_bad_priority(text.constant), "PT306", node.start)
        return text

    def expected(self) -> tuple[str, ...]:
        node = self.nodes.get("expected_template_data_keys")
        if node is None:
            return ()
        value = yaml_text.value_of(node)
        if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
            raise Fault("`expected_template_data_keys` must be a list of names", "PT304", node.start)
        return tuple(value)

    def shrink(self) -> Any:
        if "shrink" not in self.nodes:
            return None
        node = self.scalar("shrink", "PT312")
        if node.value not in _SHRINK:
            raise Fault(f"`shrink` must be one of {', '.join(_SHRINK)}", "PT312", node.start)
        return node.value

    def whole(self, key: str) -> int:
        if key not in self.nodes:
            return 0
        node = self.scalar(key, "PT312")
        if node.style != "plain" or not node.value.isdecimal() or len(node.value) > 9:
            raise Fault(f"`{key}` must be a whole number of at least 0", "PT312", node.start)
        return int(node.value)


def _content(node: yaml_text.Node, marker: str, text: str) -> Text | list[Any]:
    if isinstance(node, yaml_text.Sequence):
        return [_item(item, marker) for item in node.items]
    return Text([_content_pieces(node, marker)], _tidy_content, _margin(node, text))


def _margin(node: yaml_text.Node, text: str) -> int:
    """How far the text of a block scalar is indented."""
    if not isinstance(node, yaml_text.Scalar) or node.style not in ("literal", "folded"):
        return 0
    lines = text[node.start : node.end].split("\n")[1:]
    return next((len(line) - len(line.lstrip(" ")) for line in lines if line.strip()), 0)


def _content_pieces(node: yaml_text.Node, marker: str) -> tuple[Piece, ...]:
    if not isinstance(node, yaml_text.Scalar):
        raise Fault("`content` must be text, or a list of content items", "PT307", node.start)
    if node.style == "plain" and node.value in ("~", "null", "Null", "NULL"):
        raise Fault('`content` is null; write "" for an empty text', "PT307", node.start)
    return _split(node.value, marker)


def _item(node: yaml_text.Node, marker: str) -> dict[str, Any]:
    if not isinstance(node, yaml_text.Mapping) or not any(item.key.value == "type" for item in node.items):
        raise Fault("a content item must be a mapping with a `type`", "PT307", node.start)
    value = _open(node, marker)
    if not isinstance(value["type"], Text) or not value["type"].constant:
        raise Fault("the `type` of a content item must be written out", "PT307", node.start)
    return value  # type: ignore[no-any-return]  # a mapping gives a dict


def _open(node: yaml_text.Node, marker: str) -> Any:
    """Values of a content item: texts with slots; plain literals keep their type."""
    if isinstance(node, yaml_text.Sequence):
        return [_open(item, marker) for item in node.items]
    if isinstance(node, yaml_text.Mapping):
        for item in node.items:
            if marker in item.key.value:
                raise Fault("a value cannot be a key", "PT309", item.key.start)
        return {item.key.value: _open(item.value, marker) for item in node.items}
    if node.style == "plain" and marker not in node.value:
        try:
            value = yaml_text.value_of(node)
        except yaml_text.YamlError as error:
            raise Fault(error.message, error.code, error.index) from error
        return Text([(value,)]) if isinstance(value, str) else value
    return Text([_split(node.value, marker)])


def _sections(node: yaml_text.Node, marker: str, text: str) -> Text:
    if not isinstance(node, yaml_text.Sequence) or not node.items:
        raise Fault("`sections` must be a list of sections, each with name and content", "PT310", node.start)
    sections: list[tuple[Piece, ...]] = []
    margin = 0
    for section in node.items:
        keys = {item.key.value: item for item in section.items} if isinstance(section, yaml_text.Mapping) else {}
        if "name" not in keys or "content" not in keys:
            raise Fault("a section needs `name` and `content`", "PT310", section.start)
        for key, item in keys.items():
            if key not in ("name", "content", "truncation_priority"):
                raise Fault(f"`{key}` is not a field of a section", "PT304", item.key.start)
        sections.append(_content_pieces(keys["content"].value, marker))
        margin = max(margin, _margin(keys["content"].value, text))
    return Text(sections, _tidy_sections, margin)
