"""Values in Handlebars tags: paths of names in their scopes, literals, and what helpers return."""

import re
from dataclasses import dataclass, field

from promptuary.renderer.interop.handlebars_helpers import (
    HelperCall,
    parse_call,
    write_literal,
    write_usual_helper,
)
from promptuary.renderer.interop.imported import Difference, LossError
from promptuary.renderer.interop.input_names import InputNames

__all__ = ["PATH", "Scope", "ScopedValues"]

PATH = re.compile(r"(?:\.\./)*(?:this(?:[./][\w.\-\[\]/]+)?|@?[^\W\d][\w\-]*(?:[./][\w\-\[\]]+)*|\.)")
_CONSTANTS = {"true": "True", "false": "False", "null": "None", "undefined": "None"}
_COUNTERS = {"@index": "loop.index0", "@first": "loop.first", "@last": "loop.last"}


@dataclass
class Scope:
    """An open section: its tag, what closes it in Jinja, the name of its item, and the names it defines."""

    tag: str
    end: str
    item: str = ""
    key: str = ""
    line: int = 0
    own: dict[str, str] = field(default_factory=dict)


class ScopedValues:
    """The open sections of a text and the line that is read; writes values as Jinja and notes the differences."""

    def __init__(self, names: InputNames) -> None:
        self.names = names
        self.scopes: list[Scope] = []
        self.differences: dict[Difference, None] = {}
        self.line = 1

    def write_value(self, path: str) -> str:
        """The Jinja form of a path, literal or call. Raises LossError."""
        if written := _CONSTANTS.get(path) or write_literal(path):
            return written
        if not PATH.fullmatch(path):
            call = parse_call(path)
            if call is None:
                raise LossError(f"`{path}` is neither a path of names nor a call of a helper", self.line)
            return self.write_usual(call) or self.write_own(call, path.strip("() "))
        scopes = [scope for scope in self.scopes if scope.item]
        is_outer = path.startswith("../")
        while path.startswith("../"):
            path = path.removeprefix("../")
            scopes = scopes[:-1]
        if path in _COUNTERS and is_outer:
            raise LossError(f"`../{path}` is the counter of an outer loop, which has no place here", self.line)
        if path in _COUNTERS:
            return _COUNTERS[path]
        if path.startswith("@root."):
            first, *steps = re.split(r"[./]", path.removeprefix("@root."))
            return _join_path(self.names.input_name(first, line=self.line), steps)
        if path in (".", "this", "@key"):
            if not scopes:
                raise LossError(f"`{path}` is outside a loop", self.line)
            return scopes[-1].key if path == "@key" else scopes[-1].item
        return self._path(path.removeprefix("@"), scopes)

    def _translate_argument(self, argument: HelperCall | str) -> str:
        if isinstance(argument, str):
            return self.write_value(argument)
        return self.write_usual(argument) or self.write_own(argument, str(argument))

    def write_usual(self, call: HelperCall) -> str:
        """The Jinja form of a helper with a usual name; empty for others."""
        written = write_usual_helper(call, self._translate_argument)
        if written and call.name != "lookup":
            self.differences[Difference(f"the helper `{call.name}` is read in its usual meaning")] = None
        return written

    def write_own(self, call: HelperCall, shown: str) -> str:
        """What a helper of the program returns: an input, or a key of the item that the call is about."""
        loops = [scope.item for scope in self.scopes if scope.end == "endfor"]
        values = [self.write_value(path) for path in call.paths() if not write_literal(path)] if loops else []
        name = re.sub(r"\W+", "_", shown).strip("_").lower()[:60]
        for value in values:
            if value in loops or value.startswith("loop."):
                self._add_difference(f"`{shown}` prints its value as it is, without the helper `{call.name}`")
                return value
            item = next((item for item in loops if value.startswith((f"{item}.", f"{item}["))), None)
            if item:
                self._add_difference(f"`{shown}` is the key `{name}` of each item: give there what the helper returns")
                return f"{item}.{name}"
        return self.names.input_name(
            f"{name} ", shown=shown, reason="give what the helper of its program returns", line=self.line
        )

    def _add_difference(self, message: str) -> None:
        self.differences[Difference(message, self.line)] = None

    def _path(self, path: str, scopes: list[Scope]) -> str:
        is_own = path.startswith(("this.", "this/"))
        steps = re.split(r"[./]", path[5:] if is_own else path)
        for scope in reversed(scopes):
            if steps[0] in scope.own:
                return _join_path(scope.own[steps[0]], steps[1:])
        if scopes and (is_own or not scopes[-1].own):
            return _join_path(scopes[-1].item, steps)
        return _join_path(self.names.input_name(steps[0], line=self.line), steps[1:])


def _join_path(first: str, steps: list[str]) -> str:
    path = first
    for step in steps:
        index = step.strip("[]")
        if step == "length":
            path = f"({path} | length)"
            continue
        path += f".{index}" if re.fullmatch(r"[^\W\d]\w*", index) else f"[{index if index.isdigit() else repr(index)}]"
    return path
