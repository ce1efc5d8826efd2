"""The inputs that a document uses and does not declare, found by reading its text, and the edit that declares them."""

import inspect
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from promptuary.renderer import formats
from promptuary.renderer.document import parser as documents
from promptuary.renderer.document.parser import Document
from promptuary.renderer.errors import RenderError
from promptuary.renderer.formats import fragments as document_fragments
from promptuary.renderer.formats.jinja_body import JinjaBody, parse_units
from promptuary.renderer.functions import FUNCTIONS
from promptuary.renderer.inputs import declarations
from promptuary.renderer.jinja import Unit, Usage, Use, infer_usages, used_names
from promptuary.renderer.problems import Fix, Place
from promptuary.renderer.validation import fixes

__all__ = [
    "UndeclaredInput",
    "UndeclaredInputs",
    "find_undeclared_inputs",
    "find_undeclared_of",
    "infer_inputs",
]

_OFFERED = frozenset(("token_limit",))


@dataclass(frozen=True)
class UndeclaredInput:
    """A name that the text takes from outside: the schema that fits its uses, why, and the place of its first use."""

    name: str
    schema: dict[str, Any]
    reason: str
    place: Place

    def to_dict(self) -> dict[str, Any]:
        """The JSON form that the API gives."""
        return {
            "name": self.name,
            "schema": self.schema,
            "reason": self.reason,
            "line": self.place.line,
            "column": self.place.column,
        }


@dataclass(frozen=True)
class UndeclaredInputs:
    """All of them in the order of their first use. `fix` declares them all; None if that is not a small edit, or
    if there is nothing to declare. `used` are the names of all inputs the text uses, declared or not; None if
    the text can't be read.
    """

    inputs: list[UndeclaredInput] = field(default_factory=list)
    fix: Fix | None = None
    used: frozenset[str] | None = None

    def to_dict(self) -> dict[str, Any]:
        """The JSON form that the API gives."""
        return {
            "inputs": [undeclared.to_dict() for undeclared in self.inputs],
            "fix": self.fix.to_dict() if self.fix else None,
        }


def find_undeclared_inputs(text: str, fragments: Mapping[str, str] | None = None) -> UndeclaredInputs:
    """Read a document for the names it uses; nothing of it is run. `fragments` are the texts by reference as written.

    A document that can't be read or parsed has none: its errors come first. Never raises for what authors write.
    """
    document, _ = documents.inspect_document(text)
    return UndeclaredInputs() if document is None else find_undeclared_of(document, fragments or {})


def find_undeclared_of(
    document: Document, fragments: Mapping[str, str], body: formats.Body | None = None
) -> UndeclaredInputs:
    """The same for a document that is read already, and perhaps compiled to `body`."""
    try:
        return _choose_undeclared(document, fragments, infer_inputs(document, fragments, body))
    except (LookupError, RecursionError, RenderError):  # LookupError: a fragment that could not be had
        return UndeclaredInputs()


def _choose_undeclared(
    document: Document, fragments: Mapping[str, str], used: Mapping[str, tuple[Use, Usage]]
) -> UndeclaredInputs:
    inherited = _fragment_inputs(fragments)
    declared = document.inputs or {}
    undeclared = [
        UndeclaredInput(name, inherited.get(name) or usage.schema(), usage.reason, use.place)
        for name, (use, usage) in used.items()
        if name not in declared and name not in _OFFERED and name not in declarations.RESERVED
    ]
    schemas = {each.name: each.schema for each in undeclared}
    fix = fixes.declare_all(document, schemas) if undeclared else None
    return UndeclaredInputs(undeclared, fix, frozenset(used))


def infer_inputs(
    document: Document, fragments: Mapping[str, str], body: formats.Body | None = None
) -> dict[str, tuple[Use, Usage]]:
    """Every name that the document and its fragments take from outside, with its first use and how it is used.

    Names that only one branch of an `if` binds are left out: there the text may mean its own variable. Raises
    DocumentError for a body that can't be parsed. body: the document's, if it is compiled already; then it is not
    parsed again.
    """
    if isinstance(body, JinjaBody):
        return _inputs_of_units(body.units())
    if document_fragments.can_have_fragments(document):
        known = {name: function.call for name, function in FUNCTIONS.items()}
        return _inputs_of_units(parse_units(document, fragments, known))
    offered = {name: function.call for name, function in FUNCTIONS.items()}
    body = formats.find_format(document.format).compile(document, fragments, offered)
    uses: list[Use] = list(body.uses()) if isinstance(body, formats.WithUses) else []
    found: dict[str, tuple[Use, Usage]] = {}
    for use in uses:
        usage = Usage(items=Usage()) if use.name in _LISTS else Usage(is_printed=True)
        found.setdefault(use.name, (use, usage))
    for name in sorted(body.names()):  # names that stand nowhere in the text, such as a prompter's input
        found.setdefault(name, (Use(name, Place(document.body_line, 1)), Usage(is_printed=True)))
    return found


# What functions such as `join` take first, and what a prompter takes for the turns before: lists by convention.
_LISTS = frozenset(
    name
    for function in FUNCTIONS.values()
    for name in list(inspect.signature(function.call).parameters)[:1]
    if name.endswith("s")
) | {"documents", "history"}


def _inputs_of_units(units: Iterable[Unit]) -> dict[str, tuple[Use, Usage]]:
    uses: dict[str, tuple[Use, Usage]] = {}
    for unit in units:
        usages = infer_usages(unit)
        for use in used_names(unit):
            if use.sure and use.name not in unit.sandbox.globals:
                uses.setdefault(use.name, (use, usages.get(use.name, Usage(is_printed=True))))
    return uses


def _fragment_inputs(fragments: Mapping[str, str]) -> dict[str, dict[str, Any]]:
    """What fragments declare: their includer has to declare it alike."""
    return {
        name: declarations.without_annotations(schema)
        for text in fragments.values()
        for name, schema in (documents.parse_document(text).inputs or {}).items()
    }
