"""One part of a prompt as the author wrote it: parsed once from YAML nodes, then filled with values many times."""

import re
from dataclasses import dataclass
from typing import Any, Literal

from promptuary.renderer.formats.parts.errors import (
    ROLES,
    PartError,
    build_unknown_key_error,
    build_unknown_role_error,
    describe_bad_given_priority,
    describe_bad_given_role,
    describe_bad_priority,
)
from promptuary.renderer.formats.parts.slot_text import Piece, Slots, SlotText, split_marks, tidy_content, tidy_sections
from promptuary.renderer.part import Mark, Part
from promptuary.renderer.syntax import yaml_reader

__all__ = ["PART_FIELDS", "PartTemplate", "read_part"]

_SHRINK = ("start", "middle", "end")
PART_FIELDS = (
    "name",
    "role",
    "content",
    "truncation_priority",
    "sections",
    "expected_template_data_keys",
    "shrink",
    "min_tokens",
)
_WHOLE = re.compile(r"[-+]?[0-9]{1,15}")
_OTHER_WHOLE = re.compile(r"0x[0-9a-fA-F]{1,12}|0o[0-7]{1,15}")


@dataclass(frozen=True, slots=True)
class PartTemplate:
    """A part with unfilled slots. `content` is a Text, or a list for content items."""

    name: SlotText
    content: SlotText | list[Any]
    role: SlotText | None = None
    priority: SlotText | int = 0
    expected: tuple[str, ...] = ()
    shrink: Literal["start", "middle", "end"] | None = None
    min_tokens: int = 0
    starts: tuple[int, int, int] = (0, 0, 0)
    """Offsets of the part, its role and its priority, for errors."""

    def fill(self, slots: Slots, line: int) -> Part:
        """Return the part with its slots filled. Raises PartError for a value that doesn't fit."""
        for key in self.expected:
            if key not in slots.given:
                raise PartError(f"the part expects `{key}`, which is not given", "PT401", self.starts[0])
        if isinstance(self.content, SlotText):
            content, marks = self.content.fill_marked(slots)
        else:
            # The texts inside have no offsets in one content, but the origin of their values must be recorded.
            content = _fill_items(self.content, slots)
            marks = tuple(Mark(0, 0, slots.sites[slots.base + slot]) for slot in _find_item_slots(self.content))
        role = "user" if self.role is None else self.role.constant or self._resolve_role(slots)
        priority = self.priority if isinstance(self.priority, int) else self._resolve_priority(slots, self.priority)
        name, label = self.name.fill(slots), self.name.shown()
        shrink, least = self.shrink, self.min_tokens
        return Part(name, role, content, priority, None, None, marks, shrink, least, line, None, label)

    def _resolve_role(self, slots: Slots) -> str:
        text = self.role.fill(slots) if self.role else "user"
        if text not in ROLES:
            raise PartError(describe_bad_given_role(), "PT305", self.starts[1], _find_first_slot(self.role, slots))
        return text

    def _resolve_priority(self, slots: Slots, priority: SlotText) -> int:
        text = priority.fill(slots)
        if not _WHOLE.fullmatch(text):
            raise PartError(describe_bad_given_priority(), "PT306", self.starts[2], _find_first_slot(priority, slots))
        return int(text)


def _find_first_slot(text: SlotText | None, slots: Slots) -> int | None:
    slot_list = text.slots() if text else []
    return slots.base + slot_list[0] if slot_list else None


def _find_item_slots(value: Any) -> list[int]:
    if isinstance(value, SlotText):
        return value.slots()
    items = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return [slot for item in items for slot in _find_item_slots(item)]


def _fill_items(value: Any, slots: Slots) -> Any:
    if isinstance(value, SlotText):
        return value.fill(slots)
    if isinstance(value, list):
        return [_fill_items(item, slots) for item in value]
    if isinstance(value, dict):
        return {key: _fill_items(item, slots) for key, item in value.items()}
    return value


def read_part(node: yaml_reader.Node, marker: str, text: str) -> PartTemplate:
    """Parse the template of one list item; `text` is what the node was parsed from. Raises PartError."""
    if not isinstance(node, yaml_reader.Mapping):
        raise PartError("each item of the list must be a part: a mapping with name and content", "PT301", node.start)
    fields = {item.key.value: item for item in node.items}
    for key, item in fields.items():
        if marker in key:
            raise PartError("a value cannot be a key", "PT309", item.key.start)
        if key == "tokens":
            raise PartError(
                "`tokens` is not taken; parts are always counted from their content", "PT304", item.key.start
            )
        if key not in PART_FIELDS:
            raise build_unknown_key_error(item.key, "part", PART_FIELDS)
    if "name" not in fields:
        raise PartError("this part has no `name`", "PT302", node.start)
    reader = _Fields({key: item.value for key, item in fields.items()}, marker)
    if "sections" in fields:
        if "content" in fields:
            raise PartError("a part has either `content` or `sections`", "PT310", fields["sections"].key.start)
        content: SlotText | list[Any] = _join_sections(reader.nodes["sections"], marker, text)
    elif "content" in fields:
        content = _read_content(reader.nodes["content"], marker, text)
    else:
        raise PartError("this part has no `content`", "PT303", node.start)
    starts = (node.start, reader.start("role", node), reader.start("truncation_priority", node))
    return PartTemplate(
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
    """The fields of a part other than content, each with its own check."""

    def __init__(self, nodes: dict[str, yaml_reader.Node], marker: str) -> None:
        self.nodes = nodes
        self.marker = marker

    def start(self, key: str, part: yaml_reader.Node) -> int:
        return self.nodes[key].start if key in self.nodes else part.start

    def scalar(self, key: str, code: str) -> yaml_reader.Scalar:
        node = self.nodes[key]
        if not isinstance(node, yaml_reader.Scalar):
            raise PartError(f"`{key}` must be a single value", code, node.start)
        return node

    def name(self, key: str) -> SlotText:
        node = self.scalar(key, "PT302")
        if node.style == "plain" and node.value in ("", "~", "null", "Null", "NULL"):
            raise PartError("`name` is empty", "PT302", node.start)
        return SlotText([split_marks(node.value, self.marker)])

    def role(self) -> SlotText | None:
        if "role" not in self.nodes:
            return None
        node = self.scalar("role", "PT305")
        text = SlotText([split_marks(node.value, self.marker)])
        if text.constant is not None and text.constant not in ROLES:
            raise build_unknown_role_error(text.constant, node)
        return text

    def priority(self) -> SlotText | int:
        if "truncation_priority" not in self.nodes:
            return 0
        node = self.scalar("truncation_priority", "PT306")
        text = SlotText([split_marks(node.value, self.marker)])
        if node.style != "plain":
            raise PartError(
                describe_bad_priority(f'"{node.value}"' if text.constant is not None else "a text"), "PT306", node.start
            )
        if text.constant is None:
            return text
        if _OTHER_WHOLE.fullmatch(text.constant):
            return int(text.constant, 0)
        if not _WHOLE.fullmatch(text.constant):
            raise PartError(describe_bad_priority(text.constant), "PT306", node.start)
        return int(text.constant)

    def expected(self) -> tuple[str, ...]:
        node = self.nodes.get("expected_template_data_keys")
        if node is None:
            return ()
        value = yaml_reader.read_value(node) or []
        if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
            raise PartError("`expected_template_data_keys` must be a list of names", "PT304", node.start)
        return tuple(value)

    def shrink(self) -> Any:
        if "shrink" not in self.nodes:
            return None
        node = self.scalar("shrink", "PT312")
        if node.value not in _SHRINK:
            raise PartError(f"`shrink` must be one of {', '.join(_SHRINK)}", "PT312", node.start)
        return node.value

    def whole(self, key: str) -> int:
        if key not in self.nodes:
            return 0
        node = self.scalar(key, "PT312")
        if node.style != "plain" or not node.value.isdecimal() or len(node.value) > 9:
            raise PartError(f"`{key}` must be a whole number of at least 0", "PT312", node.start)
        return int(node.value)


def _read_content(node: yaml_reader.Node, marker: str, text: str) -> SlotText | list[Any]:
    if isinstance(node, yaml_reader.Sequence):
        return [_read_item(item, marker) for item in node.items]
    return SlotText([_read_content_pieces(node, marker)], tidy_content, _measure_margin(node, text))


def _measure_margin(node: yaml_reader.Node, text: str) -> int:
    """The indentation of a block scalar's text."""
    if not isinstance(node, yaml_reader.Scalar) or node.style not in ("literal", "folded"):
        return 0
    lines = text[node.start : node.end].split("\n")[1:]
    return next((len(line) - len(line.lstrip(" ")) for line in lines if line.strip()), 0)


def _read_content_pieces(node: yaml_reader.Node, marker: str) -> tuple[Piece, ...]:
    if not isinstance(node, yaml_reader.Scalar):
        raise PartError("`content` must be text, or a list of content items", "PT307", node.start)
    if node.style == "plain" and node.value in ("~", "null", "Null", "NULL"):
        raise PartError('`content` is null; write "" for an empty text', "PT307", node.start)
    return split_marks(node.value, marker)


def _read_item(node: yaml_reader.Node, marker: str) -> dict[str, Any]:
    if not isinstance(node, yaml_reader.Mapping) or not any(item.key.value == "type" for item in node.items):
        raise PartError("a content item must be a mapping with a `type`", "PT307", node.start)
    value = _open(node, marker)
    if not isinstance(value["type"], SlotText) or not value["type"].constant:
        raise PartError("the `type` of a content item must be written out", "PT307", node.start)
    if value["type"].constant == "text" and not isinstance(value.get("text"), SlotText):
        raise PartError(
            "a content item of type text needs a `text`; quote one that looks like a number", "PT307", node.start
        )
    return value  # type: ignore[no-any-return]  # a mapping gives a dict


def _open(node: yaml_reader.Node, marker: str) -> Any:
    """The values of a content item: texts with slots; plain literals keep their type."""
    if isinstance(node, yaml_reader.Sequence):
        return [_open(item, marker) for item in node.items]
    if isinstance(node, yaml_reader.Mapping):
        for item in node.items:
            if marker in item.key.value:
                raise PartError("a value cannot be a key", "PT309", item.key.start)
        return {item.key.value: _open(item.value, marker) for item in node.items}
    if node.style == "plain" and marker not in node.value:
        try:
            value = yaml_reader.read_value(node)
        except yaml_reader.YamlError as error:
            raise PartError(error.message, error.code, error.index) from error
        return SlotText([(value,)]) if isinstance(value, str) else value
    return SlotText([split_marks(node.value, marker)])


def _join_sections(node: yaml_reader.Node, marker: str, text: str) -> SlotText:
    if not isinstance(node, yaml_reader.Sequence) or not node.items:
        raise PartError("`sections` must be a list of sections, each with name and content", "PT310", node.start)
    sections: list[tuple[Piece, ...]] = []
    margin = 0
    for section in node.items:
        keys = {item.key.value: item for item in section.items} if isinstance(section, yaml_reader.Mapping) else {}
        if "name" not in keys or "content" not in keys:
            raise PartError("a section needs `name` and `content`", "PT310", section.start)
        for key, item in keys.items():
            if key not in ("name", "content", "truncation_priority"):
                raise build_unknown_key_error(item.key, "section", ("name", "content", "truncation_priority"))
        sections.append(_read_content_pieces(keys["content"].value, marker))
        margin = max(margin, _measure_margin(keys["content"].value, text))
    return SlotText(sections, tidy_sections, margin)
