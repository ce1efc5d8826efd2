"""A compiled prompter: turns data into parts with a layout for a marked prompt and one for messages."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from promptuary.renderer.document.parser import Document
from promptuary.renderer.errors import PrompterError
from promptuary.renderer.formats import untrusted
from promptuary.renderer.jinja import Use
from promptuary.renderer.part import Frame, Mark, Part, Site
from promptuary.renderer.problems import Place, Problem
from promptuary.renderer.profiles import Profile
from promptuary.renderer.prompters import arguments, layouts
from promptuary.renderer.prompters.layouts import Field, Instruction, Layout
from promptuary.renderer.prompters.slots import Piece, Slot

__all__ = ["PrompterBody", "Setup"]

HISTORY_PRIORITY = 1
"""History turns may be cut, oldest first; everything else of a prompter is kept."""
_ROLES = ("user", "assistant", "tool")
_ASIDE = ("history", "tools", "token_limit")


@dataclass(frozen=True, slots=True)
class Setup:
    """The content of a body. `input` names the input that is the user's message, None if it depends on the data.

    `says` tells whether the author wrote anything that is sent.
    """

    recipe: Layout
    instruction: Instruction
    tools: list[Any]
    system: str | None
    input: str | None
    sites: Mapping[str, Site]
    history: Site
    says: bool = True


class PrompterBody:
    """A compiled body of format prompter. `profile` has the marks and the system text; None means LazyLLM's own."""

    def __init__(self, document: Document, setup: Setup, profile: Profile | None = None) -> None:
        self._document = document
        self._setup = setup
        marks = layouts.MARKS if profile is None else dict.fromkeys(layouts.MARKS, "")
        profile_marks = profile.lazyllm if profile else {}
        self._untrusted = frozenset(name for name, schema in (document.inputs or {}).items() if schema.get("untrusted"))
        self._marks = {**marks, **{name: mark for name, mark in profile_marks.items() if name in marks}}
        self._system = profile_marks.get("system", layouts.SYSTEM) if setup.system is None else setup.system

    def bind_profile(self, profile: Profile | None) -> "PrompterBody":
        """Return the same body with a profile's marks and system text."""
        return PrompterBody(self._document, self._setup, profile)

    @property
    def slots(self) -> list[str]:
        """The names of the slots in its instruction."""
        return self._setup.instruction.slots

    def list_names(self) -> set[str]:
        """The inputs that the body uses, including `history` and `tools` if they are declared and used."""
        names = set(self._setup.instruction.slots) | ({self._setup.input} if self._setup.input else set())
        inputs, fields = self._document.inputs or {}, self._setup.recipe.fields
        if "history" in inputs and "history" in fields:
            names.add("history")
        if "tools" in inputs and "tools" in fields and not self._setup.tools:
            names.add("tools")
        return names

    def list_uses(self) -> list[Use]:
        """The place of each slot."""
        return [Use(name, Place(site.line, site.column)) for name, site in self._setup.sites.items()]

    def find_problems(self) -> list[Problem]:
        """Find untrusted inputs that would end up in the system instruction."""
        body_problems = []
        for name in dict.fromkeys(piece.name for piece in self._setup.instruction.system if isinstance(piece, Slot)):
            if name in self._untrusted:
                site = self._setup.sites[name]
                message = (
                    f"the system's instruction may not use the untrusted input `{name}`; "
                    "move it to the user's: `instruction: {system: …, user: …}`"
                )
                body_problems.append(Problem("PT408", "error", message, site.line, site.column, variable=name))
        return body_problems

    def build_tools(self, data: Mapping[str, Any]) -> tuple[Any, ...]:
        """The tools of a prompt: the document's own, or those in the data."""
        call_tools = data.get("tools") if "tools" not in self._setup.instruction.slots else None
        return tuple(arguments.choose_tools(self._setup.tools, call_tools))

    def build_parts(self, data: Mapping[str, Any]) -> list[list[Part]]:
        """Return the parts of one prompt: system, instruction, tools, history turns, the user's part and input."""
        try:
            return [self._build_parts(data)]
        except PrompterError as error:
            site = self._setup.sites.get(error.variable or "", self._setup.history)
            error.located(Place(site.line, site.column))
            raise

    @property
    def says_something(self) -> bool:
        """Whether its author wrote any text, or data can supply some."""
        setup, inputs = self._setup, self._document.inputs
        takes_input = "input" in setup.recipe.fields and (inputs is None or setup.input is not None)
        has_text = setup.says or setup.tools or takes_input or self._takes("history")
        return bool(has_text)

    def list_sure_parts(self) -> list[list[Part]]:
        """The parts of a prompt with `x` for each value, once for each combination of history and tools being given."""
        fields, setup = self._setup.recipe.fields, self._setup
        query = arguments.Query(dict.fromkeys(setup.instruction.slots, "x"), "x" if "input" in fields else "")
        tools_text = arguments.write_tools(arguments.choose_tools(setup.tools, None))
        tools = [tools_text, "x"] if self._takes("tools") and not tools_text else [tools_text]
        turn = {"role": "user", "content": "x"}
        histories: list[list[dict[str, Any]]] = [[], [turn]] if self._takes("history") else [[]]
        return [self._assemble_parts(query, turns, text) for turns in histories for text in tools]

    def _takes(self, name: str) -> bool:
        """Whether the data may contain history or tools."""
        inputs, setup = self._document.inputs, self._setup
        has_field = name in setup.recipe.fields and name not in setup.instruction.slots
        return has_field and (inputs is None or name in inputs)

    def _build_parts(self, data: Mapping[str, Any]) -> list[Part]:
        query = self._read_query(data)
        fields = self._setup.recipe.fields
        if "input" not in fields and query.input not in ("", None):
            raise PrompterError("everything given must fill a slot of the instruction or an extra key", cause="input")
        history = data.get("history") if "history" not in query.values else None
        if history and "history" not in fields:
            raise PrompterError("this prompter has no place for a history", cause="history", variable="history")
        parts = self._assemble_parts(query, self._read_turns(history), arguments.write_tools(self.build_tools(data)))
        untrusted.check_parts(parts, self._untrusted)
        return parts

    def _read_query(self, data: Mapping[str, Any]) -> arguments.Query:
        names, setup = self._setup.instruction.slots, self._setup
        values = {name: _format_value(name, data[name]) for name in names if name in data}
        if setup.input is not None:
            remaining_data = (
                {setup.input: data[setup.input]} if setup.input in data and setup.input not in values else {}
            )
        else:
            remaining_data = {name: value for name, value in data.items() if name not in values and name not in _ASIDE}
        return arguments.read_query(values | remaining_data, names, strict=True)

    def _read_turns(self, history: Any) -> list[dict[str, Any]]:
        turns = arguments.list_history_messages(history)
        for number, turn in enumerate(turns, start=1):
            if turn.get("role") not in _ROLES or set(turn) - {"role", "content"}:
                raise PrompterError(
                    f"turn {number} of the history must be a message of {', '.join(_ROLES)} with role and content only",
                    cause="history",
                    variable="history",
                )
        return turns

    def _assemble_parts(self, query: arguments.Query, turns: Sequence[Mapping[str, Any]], tools: str) -> list[Part]:
        line = _Line(self._document.body_line)
        for piece in self._setup.recipe.template:
            if not isinstance(piece, Field):
                line.mark(piece)
            elif piece.name in self._marks:
                line.mark(self._marks[piece.name])
            elif piece.name == "history":
                line.turns(turns, self._marks, self._setup.history)
            else:
                self._add(line, piece.name, query, tools)
        return line.finish()

    def _add(self, line: "_Line", name: str, query: arguments.Query, tools: str) -> None:
        fields = self._setup.recipe.fields
        if name == "system":
            line.add("system", "system", self._system)
        elif name == "instruction":
            line.add("instruction", "system", *self._fill_pieces(self._setup.instruction.system, query), glue="\n")
        elif name == "tools" and tools:
            line.add("tools", "system", tools, glue="\n", spoken=False)
        elif name == "user" and (self._setup.instruction.user or "input" not in fields):
            line.add("user", "user", *self._fill_pieces(self._setup.instruction.user, query), glue="")
        elif name == "input":
            text = _read_user_text(query.input)
            name = self._setup.input or "input"
            site = Site(name, self._setup.history.line, self._setup.history.column, names=frozenset((name,)))
            marks = (Mark(0, len(text), site),) if text else ()
            line.add("input", "user", text, marks, glue="")

    def _fill_pieces(self, pieces: Sequence[Piece], query: arguments.Query) -> tuple[str, tuple[Mark, ...]]:
        texts, marks, end = [], [], 0
        for piece in pieces:
            text = query.values[piece.name] if isinstance(piece, Slot) else piece
            if isinstance(piece, Slot) and text:
                marks.append(Mark(end, end + len(text), self._setup.sites[piece.name]))
            texts.append(text)
            end += len(text)
        return "".join(texts), tuple(marks)


@dataclass(slots=True)
class _Line:
    """Parts under construction: markup joins the part after it, or the last part if a history follows."""

    number: int
    parts: list[Part] = field(default_factory=list)
    waiting: str = ""

    def mark(self, text: str) -> None:
        self.waiting += text

    def add(
        self,
        name: str,
        role: str,
        content: str,
        marks: tuple[Mark, ...] = (),
        *,
        glue: str | None = None,
        spoken: bool = True,
    ) -> None:
        # Only a part on the same side continues the message before it.
        goes_on = self.parts and self.parts[-1].role == role and self.parts[-1].truncation_priority == 0
        frame = Frame(self.waiting, "", glue if goes_on else None, spoken)
        self.parts.append(Part(name, role, content, marks=marks, line=self.number, frame=frame))
        self.waiting = ""

    def turns(self, turns: Sequence[Mapping[str, Any]], marks: Mapping[str, str], site: Site) -> None:
        self._close()
        around = {"user": (marks["soh"], marks["eoh"]), "assistant": (marks["soa"], marks["eoa"])}
        for number, turn in enumerate(turns, start=1):
            before, after = around.get(turn["role"], around["user"])
            content = turn.get("content", "")
            spans = (Mark(0, len(content), site),) if isinstance(content, str) and content else ()
            self.parts.append(
                Part(
                    f"history {number}",
                    turn["role"],
                    content,
                    HISTORY_PRIORITY,
                    marks=spans,
                    line=self.number,
                    frame=Frame(before, after),
                )
            )

    def _close(self) -> None:
        """Add the pending markup after the last part, so that it stays when the following turns are cut."""
        frame = self.parts[-1].frame if self.parts else None
        if frame and self.waiting:
            self.parts[-1] = replace(self.parts[-1], frame=replace(frame, after=frame.after + self.waiting))
            self.waiting = ""

    def finish(self) -> list[Part]:
        if not any(part.role == "user" and part.truncation_priority == 0 for part in self.parts):
            self._close()
            self.parts.append(Part("input", "user", "", line=self.number, frame=Frame()))
        self._close()
        return self.parts


def _format_value(name: str, value: Any) -> str:
    """Format a slot's value: text, number or boolean; lists and mappings have no canonical form here."""
    if isinstance(value, str | int | float):
        return str(value)
    raise PrompterError(f"the value of `{name}` must be text or a number", cause="values", variable=name)


def _read_user_text(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, Mapping) and value.get("role") == "user" and isinstance(value.get("content"), str):
        return str(value["content"])
    if isinstance(value, str | int | float):
        return str(value)
    raise PrompterError("the user's message must be text", cause="input")
