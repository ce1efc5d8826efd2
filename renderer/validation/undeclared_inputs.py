"""Finds inputs that a document uses without declaring them, and the edit that declares them."""

import inspect
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from promptuary.renderer import formats
from promptuary.renderer.document import parser as documents
from promptuary.renderer.document.parser import Document
from promptuary.renderer.errors import RenderError
from promptuary.renderer.formats import fragments as document_fragments
from promptuary.renderer.formats.jinja_body import JinjaBody, find_input_uses, parse_units
from promptuary.renderer.functions import FUNCTIONS
from promptuary.renderer.inputs import declarations
from promptuary.renderer.jinja import Unit, Usage, Use, infer_usages
from promptuary.renderer.problems import Fix, Place
from promptuary.renderer.validation import fixes

__all__ = [
    "InputUses",
    "UndeclaredInput",
    "UndeclaredInputs",
    "find_undeclared_inputs",
    "find_undeclared_names",
    "infer_inputs",
    "list_fragment_inputs",
    "try_to_infer_inputs",
]

InputUses = Mapping[str, tuple[Use, Usage]]
"""By name what a text takes from outside: the first use, and what the uses say of the value."""

_OFFERED = frozenset(("token_limit",))


@dataclass(frozen=True)
class UndeclaredInput:
    """A name that the text takes from outside: a schema that fits its uses, the reason, and its first use's place."""

    name: str
    schema: dict[str, Any]
    reason: str
    place: Place

    def to_dict(self) -> dict[str, Any]:
        """Return the API's JSON form."""
        return {
            "name": self.name,
            "schema": self.schema,
            "reason": self.reason,
            "line": self.place.line,
            "column": self.place.column,
        }


@dataclass(frozen=True)
class UndeclaredInputs:
    """All undeclared inputs in the order of their first use.

    `fix` declares them all; None if that isn't a small edit, or if there is nothing to declare. `used` are the names of
    all inputs the text uses, declared or not; None if the text can't be parsed.
    """

    inputs: list[UndeclaredInput] = field(default_factory=list)
    fix: Fix | None = None
    used: frozenset[str] | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return the API's JSON form."""
        return {
            "inputs": [undeclared.to_dict() for undeclared in self.inputs],
            "fix": self.fix.to_dict() if self.fix else None,
        }


def find_undeclared_inputs(text: str, fragments: Mapping[str, str] | None = None) -> UndeclaredInputs:
    """Find the undeclared names in a document without running it. `fragments` are the texts by reference as written.

    The result is empty for a document that can't be parsed, since its errors come first. Never raises for what authors
    write.
    """
    document, _ = documents.inspect_document(text)
    if document is None:
        return UndeclaredInputs()
    fragment_texts = fragments or {}
    return find_undeclared_names(document, fragment_texts, try_to_infer_inputs(document, fragment_texts))


def find_undeclared_names(document: Document, fragments: Mapping[str, str], used: InputUses | None) -> UndeclaredInputs:
    """As `find_undeclared_inputs`, for a parsed document and what `try_to_infer_inputs` says of it."""
    if used is None:
        return UndeclaredInputs()
    try:
        return _choose_undeclared(document, fragments, used)
    except RenderError:
        return UndeclaredInputs()


def _choose_undeclared(document: Document, fragments: Mapping[str, str], used: InputUses) -> UndeclaredInputs:
    inherited = list_fragment_inputs(fragments)
    declared = document.inputs or {}
    undeclared = [
        UndeclaredInput(name, inherited.get(name) or usage.schema(), usage.reason, use.place)
        for name, (use, usage) in used.items()
        if name not in declared and name not in _OFFERED and name not in declarations.RESERVED
    ]
    schemas = {undeclared_input.name: undeclared_input.schema for undeclared_input in undeclared}
    fix = fixes.declare_all(document, schemas) if undeclared else None
    return UndeclaredInputs(undeclared, fix, frozenset(used))


def try_to_infer_inputs(
    document: Document, fragments: Mapping[str, str], body: formats.Body | None = None
) -> InputUses | None:
    """As `infer_inputs`; None for a body that can't be parsed, or without one of its fragments."""
    try:
        return infer_inputs(document, fragments, body)
    except (LookupError, RecursionError, RenderError):  # LookupError: a missing fragment
        return None


def infer_inputs(document: Document, fragments: Mapping[str, str], body: formats.Body | None = None) -> InputUses:
    """Return every name that the document and its fragments take from outside, with its first use and its usage.

    Names that only one branch of an `if` binds are left out, since the text may mean its own variable. Raises
    DocumentError for a body that can't be parsed. body: the document's, if compiled already; it is then not parsed
    again.
    """
    if isinstance(body, JinjaBody):
        return _list_inputs_of_units(body.list_unit_uses())
    if document_fragments.can_have_fragments(document):
        functions = {name: function.call for name, function in FUNCTIONS.items()}
        return _list_inputs_of_units(
            (unit, find_input_uses(unit)) for unit in parse_units(document, fragments, functions)
        )
    offered = {name: function.call for name, function in FUNCTIONS.items()}
    body = formats.find_format(document.format).compile(document, fragments, offered)
    uses: list[Use] = list(body.list_uses()) if isinstance(body, formats.WithUses) else []
    inputs: dict[str, tuple[Use, Usage]] = {}
    for use in uses:
        usage = Usage(items=Usage()) if use.name in _LISTS else Usage(is_printed=True)
        inputs.setdefault(use.name, (use, usage))
    for name in sorted(body.list_names()):  # names that don't occur in the text, such as a prompter's input
        inputs.setdefault(name, (Use(name, Place(document.body_line, 1)), Usage(is_printed=True)))
    return inputs


# The first argument of functions such as `join`, and a prompter's history, are lists by convention.
_LISTS = frozenset(
    name
    for function in FUNCTIONS.values()
    for name in list(inspect.signature(function.call).parameters)[:1]
    if name.endswith("s")
) | {"documents", "history"}


def _list_inputs_of_units(unit_uses: Iterable[tuple[Unit, Sequence[Use]]]) -> dict[str, tuple[Use, Usage]]:
    inputs: dict[str, tuple[Use, Usage]] = {}
    for unit, uses in unit_uses:
        usages = infer_usages(unit)
        for use in uses:
            if use.sure:
                inputs.setdefault(use.name, (use, usages.get(use.name, Usage(is_printed=True))))
    return inputs


def list_fragment_inputs(fragments: Mapping[str, str]) -> dict[str, dict[str, Any]]:
    """The inputs declared by fragments, which their includer has to declare identically."""
    return {
        name: declarations.strip_annotations(schema)
        for text in fragments.values()
        for name, schema in (documents.parse_document(text).inputs or {}).items()
    }
