"""Notices above the editor that one click resolves: undeclared inputs, and samples that lack a value."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.functional import Promise
from django.utils.translation import gettext, gettext_lazy

from frontend.editor.sample_edits import Samples, read_value
from frontend.editor.undeclared_values import TYPED_KINDS, write_typed_value
from frontend.web.findings import translate_finding
from promptuary.renderer.formats.parts.errors import ROLES
from promptuary.renderer.formats.parts.part_template import PART_FIELDS
from promptuary.renderer.problems import Problem
from promptuary.renderer.validation.undeclared_inputs import UndeclaredInput
from registry.templates.document_check import CheckedDocument

__all__ = [
    "KINDS",
    "MissingValue",
    "Notices",
    "UndeclaredRow",
    "choose_input_kind",
    "describe_kind",
    "list_missing_values",
    "list_notices",
]

KINDS: Mapping[str, tuple[str | Promise, dict[str, Any]]] = {
    "text": (gettext_lazy("Text"), {"type": "string"}),
    "number": (gettext_lazy("Number"), {"type": "number"}),
    "yes-no": (gettext_lazy("Yes or no"), {"type": "boolean"}),
    "list": (gettext_lazy("List of text"), {"type": "array", "items": {"type": "string"}}),
    "group": (gettext_lazy("Group"), {"type": "object"}),
    "groups": (gettext_lazy("List of groups"), {"type": "array", "items": {"type": "object"}}),
    "any": (gettext_lazy("Anything"), {}),
}
"""The kinds of input that the table offers, each with its name and schema."""

MAX_ROWS = 6
_ITEM = re.compile(r"^- ", re.MULTILINE)
_EXPRESSION = re.compile(r"\{[{%].*?[%}]\}")
_NAMED_ITEM = re.compile(r"^ *- +name:[ \t]+(?P<name>.*?)[ \t]*$")
_FIELD = re.compile(r"^(?:-? {0,4}|\t)([A-Za-z_]+):[ \t]*(.*?)[ \t]*$", re.MULTILINE)
_NO_LIST = "PT301"
_UNKNOWN_FIELD = "PT304"
_BROKEN_YAML = ("PT101", "PT102", "PT103")
_ROLE = re.compile(r"^[ \t]*(?:- )?role[ \t]*:", re.MULTILINE)


@dataclass(frozen=True)
class UndeclaredRow:
    """One row of the table of undeclared inputs.

    `line` is its first use in the document, `part` the name of the part that contains it, empty if there isn't one.
    `typed` is the value of the chosen sample as shown in the row's control; `has_control` is False for groups.
    """

    name: str
    part: str
    line: int
    kind: str
    reason: str
    is_required: bool
    typed: str = ""

    @property
    def has_control(self) -> bool:
        return self.kind in TYPED_KINDS


@dataclass(frozen=True)
class MissingValue:
    """An input without a value in some samples. `has_value`: the displayed sample has one that the others can copy.

    `can_be_optional`: it can be given a default, which is possible for inputs but not for their keys.
    """

    path: str
    samples: tuple[str, ...]
    is_shown: bool
    has_value: bool
    can_be_optional: bool

    @property
    def name(self) -> str:
        """The input that the path belongs to."""
        return self.path.split(".")[0]


@dataclass(frozen=True)
class Notices:
    """All notices. `hidden_count` counts the undeclared inputs without a row; `is_error` says that they prevent a save.
    `has_no_part`: the text is a plain pasted prompt that has to be converted to parts. `may_have_no_part`: its list is
    parsed as parts but contains something else, so it may be such a prompt.
    """

    undeclared: tuple[UndeclaredRow, ...] = ()
    hidden_count: int = 0
    is_error: bool = False
    can_declare: bool = False
    missing: tuple[MissingValue, ...] = ()
    has_no_part: bool = False
    may_have_no_part: bool = False

    @property
    def count(self) -> int:
        """How many inputs are undeclared."""
        return len(self.undeclared) + self.hidden_count

    @property
    def lacking_samples(self) -> list[str]:
        """The samples that lack a value, in the order of the inputs."""
        return list(dict.fromkeys(name for value in self.missing for name in value.samples))

    @property
    def can_fill(self) -> bool:
        """Whether the displayed sample has a value that others lack."""
        return any(value.has_value for value in self.missing)

    @property
    def shown_missing(self) -> MissingValue | None:
        """The first input without a value in the displayed sample."""
        return next((value for value in self.missing if value.is_shown), None)

    @property
    def optional_missing(self) -> list[MissingValue]:
        """The missing values that can have a default."""
        return [value for value in self.missing if value.can_be_optional]


def list_notices(
    examined: CheckedDocument, text: str, samples: Samples, sample: str, stopped: Problem | None = None
) -> Notices:
    """The notices of a checked text; `stopped` is the problem that prevented rendering."""
    undeclared, problems = examined.undeclared, examined.problems
    declared = examined.document.inputs if examined.document else None
    parts = text if examined.document and examined.document.format == "parts" else ""
    rows = tuple(_build_row(undeclared_input, parts, samples.get(sample, {})) for undeclared_input in undeclared.inputs)
    has_no_part = _has_no_part(examined, text, stopped)
    return Notices(
        undeclared=rows[:MAX_ROWS],
        hidden_count=max(0, len(rows) - MAX_ROWS),
        is_error=declared is not None,
        can_declare=undeclared.fix is not None,
        missing=tuple(list_missing_values(problems, samples, sample)),
        has_no_part=has_no_part,
        may_have_no_part=not has_no_part and _is_other_list([*problems, *([stopped] if stopped else [])], text),
    )


def _has_no_part(examined: CheckedDocument, text: str, stopped: Problem | None) -> bool:
    """Whether the text is a plain prompt instead of a list of parts: it has an error of any kind, including unreadable
    tags, and no list item in it is a part; or it is YAML but not a list.
    """
    document = examined.document
    if document is not None and document.format != "parts":
        return False
    problems = [*examined.problems, *([stopped] if stopped else [])]
    codes = {problem.code for problem in problems if problem.severity == "error" and not problem.sample}
    if not codes or not text.strip():
        return False
    items = _ITEM.split(document.body if document else text)[1:]
    return _NO_LIST in codes or not any(_is_part("- " + item) for item in items)


def _is_other_list(problems: Sequence[Problem], text: str) -> bool:
    """Whether a list may be the prompt itself instead of a list of parts: an item has a field that no part has and that
    isn't a fixable misspelling; or the list has no roles and isn't valid YAML for a document.
    """
    codes = {problem.code for problem in problems if not problem.sample and problem.fix is None}
    return _UNKNOWN_FIELD in codes or (not codes.isdisjoint(_BROKEN_YAML) and not _ROLE.search(text))


def _is_part(item: str) -> bool:
    """Whether a list item is meant as a part, even if incomplete: it has a name, and text or the beginning of a role.
    Other lists, and messages without names, don't have such items.
    """
    fields = dict(_FIELD.findall(item))
    if "name" not in fields:
        return False
    if not fields.keys().isdisjoint(("content", "sections")):
        return True
    role = fields.get("role")
    return (
        role is not None
        and fields.keys() <= set(PART_FIELDS)
        and any(known_role.startswith(role) for known_role in ROLES)
    )


def list_missing_values(problems: Sequence[Problem], samples: Samples, sample: str) -> list[MissingValue]:
    """One entry for each input that samples lack, with the samples' names in order."""
    lacking: dict[str, list[str]] = {}
    for problem in problems:
        if problem.code == "PT401" and problem.sample in samples and problem.variable:
            names = lacking.setdefault(problem.variable, [])
            if problem.sample not in names:
                names.append(str(problem.sample))
    values = samples.get(sample, {})
    return [
        MissingValue(
            path,
            tuple(names),
            is_shown=sample in names,
            has_value=sample not in names and read_value(values, path) is not None,
            can_be_optional="." not in path,
        )
        for path, names in lacking.items()
    ]


def choose_input_kind(schema: Mapping[str, Any]) -> str:
    """The kind in `KINDS` of a schema."""
    kind = schema.get("type")
    if kind == "array":
        return "groups" if schema.get("items", {}).get("type") == "object" else "list"
    return {"string": "text", "number": "number", "boolean": "yes-no", "object": "group"}.get(str(kind), "any")


def describe_kind(schema: Mapping[str, Any]) -> str:
    """The kind of a schema's input in words: `Text`, `Choice`, `List of text`."""
    if "enum" in schema:
        return gettext("Choice")
    return str(KINDS["number" if schema.get("type") == "integer" else choose_input_kind(schema)][0])


def _build_row(undeclared: UndeclaredInput, text: str, values: Mapping[str, Any]) -> UndeclaredRow:
    schema, kind = undeclared.schema, choose_input_kind(undeclared.schema)
    is_required = "default" not in schema
    reason = translate_finding(undeclared.reason)
    typed = write_typed_value(values, undeclared.name, kind)
    line = undeclared.place.line
    return UndeclaredRow(undeclared.name, _find_part(text, line), line, kind, reason, is_required, typed)


def _find_part(text: str, number: int) -> str:
    """The name of the part that contains a line (1-based), without its expressions; empty before the first part and in
    a text without parts.
    """
    for line in reversed(text.splitlines()[:number]):
        if item := _NAMED_ITEM.match(line):
            return _EXPRESSION.sub("", item["name"]).strip("\"' ")
        if line.startswith("---"):
            return ""
    return ""
