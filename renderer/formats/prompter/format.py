"""Format `prompter`: LazyLLM's single prompt for every model. The body is a YAML mapping.

    kind: chat                    # alpaca, chat or custom
    instruction: You help {name}. # text for the system, or {system: …, user: …}; `{name}` is a slot
    extra_keys: [knowledge]       # inputs shown in a block of their own
    input: question               # the input that is the user's message; detected if only one is left over
    tools: []                     # function tools in OpenAI form; defaults to the front matter's
    system: You are …             # instead of the profile's system text
    dialect: "0.1.2"
    template: "{system}…"         # of custom: the fields and literal text of a marked prompt
    instruction_template: "…"     # of custom: what is around {instruction} and {extra_keys}

History is the input `history`; tools can be the input `tools`.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

from promptuary.renderer.document.parser import Document
from promptuary.renderer.errors import DocumentError, PrompterError
from promptuary.renderer.formats.prompter.body import PrompterBody, Setup
from promptuary.renderer.formats.protocol import Functions
from promptuary.renderer.functions import describe_nearest
from promptuary.renderer.part import Site
from promptuary.renderer.problems import Place
from promptuary.renderer.prompters import arguments, layouts, slots
from promptuary.renderer.prompters.layouts import Layout
from promptuary.renderer.syntax import yaml_reader

__all__ = ["KEYS", "Prompter"]

KEYS = (
    "kind",
    "instruction",
    "extra_keys",
    "input",
    "tools",
    "system",
    "dialect",
    "template",
    "instruction_template",
)
"""The keys that a body may have."""
T = TypeVar("T")
_OF_CUSTOM = ("template", "instruction_template")


class Prompter:
    """The format `prompter`."""

    name = "prompter"

    def compile(self, document: Document, fragments: Mapping[str, str], functions: Functions) -> PrompterBody:
        """Compile the body. Raises DocumentError, with its place, for anything that can't work."""
        return PrompterBody(document, _Reading(document).setup())


@dataclass(frozen=True)
class _Given:
    """The body's mapping: its values and their places."""

    values: dict[str, Any]
    nodes: dict[str, yaml_reader.Node]
    keys: dict[str, yaml_reader.Scalar]


class _Reading:
    """Parses one body."""

    def __init__(self, document: Document) -> None:
        self.document = document
        self.given = self._read_mapping()

    def setup(self) -> Setup:
        values = self.given.values
        self._check_keys()
        recipe = self._read_layout()
        dialect = self._read_text("dialect") or layouts.DIALECTS[0]
        instruction = self._run_at(
            "instruction",
            lambda: layouts.instruct(recipe, values.get("instruction"), values.get("extra_keys"), dialect),
        )
        tools = self._read_tools(recipe)
        if instruction.user and "user" not in recipe.fields:
            raise self._build_error("the template has no {user} for the user's part of the instruction", "template")
        if values.get("extra_keys") and "{extra_keys}" not in recipe.after and not instruction.user:
            raise self._build_error("the instruction template has no {extra_keys}", "instruction_template")
        return Setup(
            recipe=recipe,
            instruction=instruction,
            tools=tools,
            system=self._read_text("system"),
            input=self._find_message_input(recipe, instruction.slots),
            sites=dict(self._find_sites(instruction.slots)),
            history=Site(
                "history", self._place("kind").line, self._place("kind").column, names=frozenset(("history",))
            ),
            says=self._has_own_text(),
        )

    def _has_own_text(self) -> bool:
        """Whether the instruction, the system text or a custom template contains more than white space."""
        values = self.given.values
        instruction = values.get("instruction")
        texts = list(instruction.values()) if isinstance(instruction, Mapping) else [instruction]
        texts_written = [*texts, values.get("system"), values.get("extra_keys")]
        has_own_text = values.get("kind") == "custom" and any(
            isinstance(piece, str) and piece.strip() for piece in slots.read_slots(str(values.get("template")))
        )
        return has_own_text or any(bool(text.strip() if isinstance(text, str) else text) for text in texts_written)

    def _read_mapping(self) -> _Given:
        body = self.document.body
        try:
            node = yaml_reader.compose(body)
            if not isinstance(node, yaml_reader.Mapping):
                place = self.document.body_place(0 if node is None else node.start)
                raise DocumentError("the body of a prompter must be a mapping with `kind`", code="PT920", place=place)
            values = {item.key.value: yaml_reader.read_value(item.value) for item in node.items}
        except yaml_reader.YamlError as error:
            raise DocumentError(error.message, code=error.code, place=self.document.body_place(error.index)) from error
        return _Given(
            values,
            {item.key.value: item.value for item in node.items},
            {item.key.value: item.key for item in node.items},
        )

    def _check_keys(self) -> None:
        values = self.given.values
        for key, scalar in self.given.keys.items():
            if key not in KEYS:
                place = self.document.body_place(scalar.start, scalar.end)
                raise DocumentError(
                    f"`{key}` is not a part of a prompter; {describe_nearest(key, KEYS)}", code="PT920", place=place
                )
        custom = values.get("kind") == "custom"
        for key in ("kind", "instruction", *(_OF_CUSTOM if custom else ())):
            if values.get(key) is None:
                raise self._build_error(f"`{key}` is missing", "kind")
        for key in _OF_CUSTOM:
            if key in values and not custom:
                raise self._build_error(f"`{key}` belongs to `kind: custom`", key)

    def _read_layout(self) -> Layout:
        kind = self.given.values["kind"]
        if kind not in layouts.KINDS:
            raise self._build_error(
                f"`{kind}` is not a kind of prompter; {describe_nearest(str(kind), layouts.KINDS)}", "kind"
            )
        if kind != "custom":
            dialect = self._read_text("dialect") or layouts.DIALECTS[0]
            return self._run_at("dialect", lambda: layouts.find_layout(kind, dialect))
        template, wrapping = self._read_text("template") or "", self._read_text("instruction_template") or ""
        return self._run_at("template", lambda: layouts.build_layout("custom", template, wrapping))

    def _read_tools(self, recipe: Layout) -> list[Any]:
        setup_tools, front = self.given.values.get("tools"), list(self.document.tools)
        if setup_tools and front:
            raise self._build_error("tools are in the front matter too; keep them in one place", "tools")
        tools: list[Any] = self._run_at("tools", lambda: arguments.choose_tools(setup_tools or front or None, None))
        if tools and "tools" not in recipe.fields:
            raise self._build_error(
                "the template has no {tools} for the tools", "template" if setup_tools is None else "tools"
            )
        return tools

    def _find_message_input(self, recipe: Layout, names: list[str]) -> str | None:
        """The input that is the user's message, if it can be determined without data."""
        input_name = self._read_text("input")
        if input_name is not None:
            if "input" not in recipe.fields:
                raise self._build_error(f"a prompter of kind {recipe.kind} takes no input beside its slots", "input")
            return input_name
        if self.document.inputs is None or "input" not in recipe.fields:
            return None
        names_left = [name for name in self.document.inputs if name not in (*names, "history", "tools")]
        if len(names_left) > 1:
            name_list = ", ".join(f"`{name}`" for name in names_left)
            raise self._build_error(f"{name_list}: which of them is the user's message? Say so with `input:`", "kind")
        return names_left[0] if names_left else None

    def _read_text(self, key: str) -> str | None:
        value = self.given.values.get(key)
        if value is not None and not isinstance(value, str):
            raise self._build_error(f"`{key}` must be text{', in quotes' if key == 'dialect' else ''}", key)
        return value

    def _run_at(self, key: str, step: Callable[[], T]) -> T:
        """Run the step; errors are placed at `key`."""
        try:
            return step()
        except PrompterError as error:
            if error.cause in ("extra_keys", "tools", "dialect", "instruction"):
                key = error.cause
            if error.cause == "template" and error.message.startswith("the instruction template"):
                key = "instruction_template"
            place = self._find_field(key, error.variable) or self._place(key)
            raise DocumentError(error.message, code="PT920", place=place, variable=error.variable) from error

    def _build_error(self, message: str, key: str) -> DocumentError:
        return DocumentError(message, code="PT920", place=self._place(key))

    def _place(self, key: str) -> Place:
        node = self.given.nodes.get(key)
        return self.document.body_place(*((node.start, node.end) if node else (0, None)))

    def _find_field(self, key: str, name: str | None) -> Place | None:
        """The place of `{name}` in the text of a key."""
        node = self.given.nodes.get(key)
        at = self.document.body.find(f"{{{name}}}", node.start, node.end) if node and name else -1
        return self.document.body_place(at, at + len(str(name)) + 2) if at >= 0 else None

    def _find_sites(self, names: list[str]) -> Iterator[tuple[str, Site]]:
        """The first place of each slot: in the instruction's source, else at the extra keys."""
        offsets: dict[str, int] = {}
        for key in ("instruction_template", "instruction"):
            node = self.given.nodes.get(key)
            if node is not None:
                for piece in slots.read_slots(self.document.body[node.start : node.end]):
                    if isinstance(piece, slots.Slot):
                        offsets.setdefault(piece.name, node.start + piece.start)
        extra = self.given.nodes.get("extra_keys")
        for name in names:
            at = offsets.get(name)
            if at is None and extra is not None:
                match = re.compile(rf"\b{re.escape(name)}\b").search(self.document.body, extra.start, extra.end)
                at = match.start() if match else extra.start
            place = self.document.body_place(at or 0)
            yield name, Site(name, place.line, place.column, names=frozenset((name,)))
