"""Layouts of prompters: the template of each kind, and the wrapping of the instruction. Alpaca and chat are data."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files
from typing import Any, NamedTuple

from promptuary.renderer.errors import PrompterError
from promptuary.renderer.functions import describe_nearest
from promptuary.renderer.prompters import slots
from promptuary.renderer.prompters.slots import Piece, Slot
from promptuary.renderer.syntax import yaml_reader

__all__ = [
    "DIALECTS",
    "FIELDS",
    "KINDS",
    "MARKS",
    "SYSTEM",
    "Field",
    "Instruction",
    "Layout",
    "build_layout",
    "find_layout",
]

SYSTEM = "You are an AI-Agent developed by LazyLLM."
MARKS: Mapping[str, str] = {
    "sos": "<|start_system|>",
    "eos": "<|end_system|>",
    "soh": "<|Human|>:",
    "eoh": "",
    "soa": "<|Assistant|>:",
    "eoa": "",
}
"""The six marks in LazyLLM's documentation: start and end of system, human and assistant."""
FIELDS = ("system", "instruction", "tools", "history", "user", "input", *MARKS)
DIALECTS = ("0.1.2", "0.1.1", "page")
KINDS = ("alpaca", "chat", "custom")

_EXTRA_LEAD = "Here are some extra messages you can referred to:\n\n"


class Field(NamedTuple):
    """A field of a template: one of FIELDS."""

    name: str


@dataclass(frozen=True, slots=True)
class Layout:
    """A validated layout. `template` consists of literals and fields; `before` and `after` wrap the instruction.

    `reply_after` is the text after which a model's reply begins: a mark in braces, or a literal.
    """

    kind: str
    template: tuple[str | Field, ...]
    before: str
    after: str
    user_extra_keys: str
    reply_after: str

    @property
    def fields(self) -> frozenset[str]:
        return frozenset(piece.name for piece in self.template if isinstance(piece, Field))


@dataclass(frozen=True, slots=True)
class Instruction:
    """A wrapped instruction, split into the system's and the user's side, with its slots parsed."""

    system: tuple[Piece, ...]
    user: tuple[Piece, ...]

    @property
    def slots(self) -> list[str]:
        return slots.list_slot_names((*self.system, *self.user))


@cache
def find_layout(kind: str, dialect: str = DIALECTS[0]) -> Layout:
    """Return the layout of `alpaca` or `chat` in a dialect. Raises PrompterError for an unknown dialect."""
    if dialect not in DIALECTS:
        raise PrompterError(f"`{dialect}` is not a dialect; there are {', '.join(DIALECTS)}", cause="dialect")
    text = (files(__package__) / f"{kind}.yml").read_text(encoding="utf-8")
    fields: dict[str, Any] = yaml_reader.read_value(yaml_reader.compose(text))
    fields |= fields.pop("dialects").get(dialect, {})
    return build_layout(kind, **fields)


def build_layout(
    kind: str,
    template: str,
    instruction_template: str = "{instruction}{extra_keys}",
    user_extra_keys: str = "{extra_keys}",
    reply_after: str = "{soa}",
) -> Layout:
    """Validate the parts of a layout. Raises PrompterError for an unknown or missing field, named by its `variable`."""
    pieces = _parse_template(template)
    slot_names = {piece.name for piece in pieces if isinstance(piece, Field)}
    if "instruction" not in slot_names:
        raise PrompterError("the template has no {instruction}", cause="template", variable="instruction")
    before, marker, after = instruction_template.partition("{instruction}")
    if not marker or "{instruction}" in after:
        raise PrompterError(
            "the instruction template must have {instruction} once", cause="template", variable="instruction"
        )
    return Layout(kind, pieces, before, after, user_extra_keys, reply_after)


def _parse_template(text: str) -> tuple[str | Field, ...]:
    pieces: list[str | Field] = []
    for piece in slots.read_slots(text):
        if not isinstance(piece, Slot):
            pieces.append(piece)
            continue
        if piece.name not in FIELDS:
            raise PrompterError(
                f"`{{{piece.name}}}` is not a field of a template; {describe_nearest(piece.name, FIELDS)}",
                cause="template",
                variable=piece.name,
            )
        if Field(piece.name) in pieces and piece.name not in MARKS:
            raise PrompterError(f"the template has {{{piece.name}}} twice", cause="template", variable=piece.name)
        pieces.append(Field(piece.name))
    return tuple(pieces)


_KEY = re.compile(r"\w+")


def _write_extra_keys(extra_keys: Any) -> str:
    """The block that shows each extra key with its own slot; empty without keys."""
    if not extra_keys:
        return ""
    keys = [extra_keys] if isinstance(extra_keys, str) else extra_keys
    if not isinstance(keys, list | tuple) or not all(isinstance(key, str) for key in keys):
        raise PrompterError("`extra_keys` must be a name or a list of names", cause="extra_keys")
    for key in keys:
        if not _KEY.fullmatch(key):
            raise PrompterError(f"the extra key {key!r} is not a name: letters, digits and _", cause="extra_keys")
    return _EXTRA_LEAD + "".join(f"### {key}:\n{{{key}}}\n\n" for key in keys)


def instruct(recipe: Layout, instruction: Any, extra_keys: Any, dialect: str) -> Instruction:
    """Wrap an instruction: a text for the system, or a mapping with `system` and `user`. Raises PrompterError."""
    extra = _write_extra_keys(extra_keys)
    if instruction is None or isinstance(instruction, str):
        after = recipe.after.replace("{extra_keys}", extra)
        return Instruction(
            slots.read_slots(recipe.before) + slots.read_slots(instruction or "") + slots.read_slots(after), ()
        )
    if not isinstance(instruction, Mapping):
        raise PrompterError("the instruction must be text, or a mapping with `system` and `user`", cause="instruction")
    if dialect == "0.1.1":
        raise PrompterError("the dialect 0.1.1 takes an instruction of text only", cause="instruction")
    for name, text in instruction.items():
        if name not in ("system", "user"):
            raise PrompterError(
                f"`{name}` is not a part of an instruction; write `system` and `user`", cause="instruction"
            )
        if not isinstance(text, str):
            raise PrompterError(f"`{name}` of the instruction must be text", cause="instruction")
    if dialect == "page" and recipe.kind == "alpaca" and not instruction.get("system"):
        return instruct(recipe, instruction.get("user"), extra_keys, dialect)  # as printed in LazyLLM's quick start
    user = slots.read_slots(instruction.get("user", ""))
    if extra:
        user += slots.read_slots(recipe.user_extra_keys.replace("{extra_keys}", extra))
    return Instruction(slots.read_slots(recipe.before) + slots.read_slots(instruction.get("system", "")), user)


def with_reply_mark(recipe: Layout, marks: Mapping[str, str]) -> Layout:
    """Return the layout with the mark in `reply_after` replaced by its text."""
    name = recipe.reply_after[1:-1] if recipe.reply_after[:1] == "{" else ""
    return replace(recipe, reply_after=marks[name]) if name in marks else recipe
