"""Notices above the editor that one click settles: inputs to declare, and samples that lack a value."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.functional import Promise
from django.utils.translation import gettext, gettext_lazy

from frontend.editor.sample_edits import Samples, read_value
from frontend.web.findings import translate_finding
from promptuary.renderer.problems import Problem
from promptuary.renderer.validation.undeclared_inputs import UndeclaredInput
from registry.templates.document_check import CheckedDocument

__all__ = [
    "KINDS",
    "MissingValue",
    "Notices",
    "UndeclaredRow",
    "kind_of_schema",
    "list_missing_values",
    "list_notices",
    "say_kind",
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
"""The kinds of input that the table offers: words for people, and the schema of each."""

MOST_ROWS = 6
_NO_PARTS = ("PT101", "PT102", "PT103", "PT104", "PT105", "PT301", "PT311")
"""Codes of the errors that a text without parts can have: as YAML, as front matter, as a list."""
_CONTENT = re.compile(r"^[ \t]*(?:- )?content:", re.MULTILINE)


@dataclass(frozen=True)
class UndeclaredRow:
    """One line of the table of undeclared inputs."""

    name: str
    line: int
    kind: str
    reason: str
    is_required: bool


@dataclass(frozen=True)
class MissingValue:
    """An input that samples have no value for. `has_value`: the sample shown has one, which the others can take.

    `can_be_optional`: a default can be written for it, which is done for inputs and not for their keys.
    """

    path: str
    samples: tuple[str, ...]
    is_shown: bool
    has_value: bool
    can_be_optional: bool

    @property
    def name(self) -> str:
        """The input that it belongs to."""
        return self.path.split(".")[0]


@dataclass(frozen=True)
class Notices:
    """All of them. `rest` counts the undeclared inputs that have no row; `is_error` says that they stop a save.
    `has_no_part`: the text is a prompt as it was pasted, which has to become parts.
    """

    undeclared: tuple[UndeclaredRow, ...] = ()
    rest: int = 0
    is_error: bool = False
    can_declare: bool = False
    missing: tuple[MissingValue, ...] = ()
    has_no_part: bool = False

    @property
    def count(self) -> int:
        """How many inputs are undeclared."""
        return len(self.undeclared) + self.rest


def list_notices(examined: CheckedDocument, text: str, samples: Samples, shown: str) -> Notices:
    """The notices of a text that was checked."""
    undeclared, problems = examined.undeclared, examined.problems
    declared = examined.document.inputs if examined.document else None
    rows = tuple(_row(each) for each in undeclared.inputs)
    return Notices(
        undeclared=rows[:MOST_ROWS],
        rest=max(0, len(rows) - MOST_ROWS),
        is_error=declared is not None,
        can_declare=undeclared.fix is not None,
        missing=tuple(list_missing_values(problems, samples, shown)),
        has_no_part=_has_no_part(examined, text),
    )


def _has_no_part(examined: CheckedDocument, text: str) -> bool:
    """Whether the text is a plain prompt and no list of parts: it has errors, and no line starts with `content:`."""
    document = examined.document
    if document is not None and document.format != "parts":
        return False
    is_bad = any(problem.severity == "error" and problem.code in _NO_PARTS for problem in examined.problems)
    return is_bad and bool(text.strip()) and not _CONTENT.search(document.body if document else text)


def list_missing_values(problems: Sequence[Problem], samples: Samples, shown: str) -> list[MissingValue]:
    """One line for each input that samples lack, with their names in the samples' order."""
    lacking: dict[str, list[str]] = {}
    for problem in problems:
        if problem.code == "PT401" and problem.sample in samples and problem.variable:
            names = lacking.setdefault(problem.variable, [])
            if problem.sample not in names:
                names.append(str(problem.sample))
    values = samples.get(shown, {})
    return [
        MissingValue(
            path,
            tuple(names),
            is_shown=shown in names,
            has_value=shown not in names and read_value(values, path) is not None,
            can_be_optional="." not in path,
        )
        for path, names in lacking.items()
    ]


def kind_of_schema(schema: Mapping[str, Any]) -> str:
    """The kind in `KINDS` that a schema is of."""
    kind = schema.get("type")
    if kind == "array":
        return "groups" if schema.get("items", {}).get("type") == "object" else "list"
    return {"string": "text", "number": "number", "boolean": "yes-no", "object": "group"}.get(str(kind), "any")


def say_kind(schema: Mapping[str, Any]) -> str:
    """What kind of input a schema describes, for people: `Text`, `Choice`, `List of text`."""
    if "enum" in schema:
        return gettext("Choice")
    return str(KINDS["number" if schema.get("type") == "integer" else kind_of_schema(schema)][0])


def _row(undeclared: UndeclaredInput) -> UndeclaredRow:
    schema = undeclared.schema
    is_required = "default" not in schema
    reason = translate_finding(undeclared.reason)
    return UndeclaredRow(undeclared.name, undeclared.place.line, kind_of_schema(schema), reason, is_required)
