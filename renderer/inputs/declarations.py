"""Declared inputs: their schemas are checked once; data are validated against them and completed with defaults."""

import unicodedata
from collections.abc import Iterator, Mapping
from typing import Any, Literal
from urllib.parse import unquote

from promptuary.renderer.document.parser import Document
from promptuary.renderer.errors import DocumentError, InputError
from promptuary.renderer.problems import Fix, Problem
from promptuary.renderer.schemas import validation
from promptuary.renderer.schemas.error_messages import describe_schema_error
from promptuary.renderer.schemas.fast_check import build_acceptor, is_plain
from promptuary.renderer.schemas.type_faults import describe_wrong_type, suggest_type
from promptuary.renderer.syntax import suggestions
from promptuary.renderer.syntax.regular_expressions import MAX_BACKTRACKED
from promptuary.renderer.values.json_values import check_plain

__all__ = [
    "RESERVED",
    "Inputs",
    "check_function_names",
    "find_advice",
    "find_input_problems",
    "find_untrusted_inputs",
    "format_error_path",
    "is_input_name",
    "strip_annotations",
]

RESERVED = frozenset(
    ("self", "loop", "caller", "varargs", "kwargs", "token_limit", "fragment", "escape_special_characters")
)
"""Names with a meaning in every template, which can't be used for inputs."""

# Under these keywords, `type` is a name that the author chose.
_NAMED_SCHEMAS = frozenset((("properties",), ("patternProperties",), ("$defs",), ("dependentSchemas",)))
_ANNOTATIONS = frozenset(("title", "description", "examples", "deprecated", "$comment"))


def format_error_path(path: Iterator[Any] | list[Any]) -> str:
    """Format a schema error's path as `turns[3].text`."""
    text = ""
    for step in path:
        text += f"[{step}]" if isinstance(step, int) else (f".{step}" if text else str(step))
    return text


def is_input_name(name: str) -> bool:
    """Whether the name can be used for an input: letters of any language, digits and `_`, no digit first.

    Names that change under NFKC, such as those with a ligature, are refused: Python normalises identifiers, so two
    names would become one in a template.
    """
    return name.isidentifier() and unicodedata.normalize("NFKC", name) == name


def check_function_names(functions: Mapping[str, object]) -> None:
    """Raise InputError for anything not callable, or not callable by its name from a template."""
    for name, call in functions.items():
        if not name.isidentifier() or name in RESERVED or not callable(call):
            raise InputError(f"`{name}` cannot be a function of a template", code="PT405", variable=name)


def find_input_problems(document: Document) -> list[Problem]:
    """Return the problems of the declarations themselves."""
    problems = []
    for name, schema in (document.inputs or {}).items():
        for code, message, path in _find_declaration_faults(name, schema):
            place = document.place("inputs", name, *path)
            end = place.end_line, place.end_column
            is_type = path[-1:] == ("type",) and path[-2:-1] not in _NAMED_SCHEMAS
            fix = _build_type_fix(document, ("inputs", name, *path)) if is_type else None
            problems.append(Problem(code, "error", message, place.line, place.column, *end, fix=fix, variable=name))
    return problems


def _build_type_fix(document: Document, path: tuple[str | int, ...]) -> Fix | None:
    """A fix that writes the type that is probably meant, where one wrong word is."""
    value: Any = document.inputs
    for step in path[1:]:
        value = value[step]
    suggestion = suggest_type(value) if isinstance(value, str) else None
    return suggestions.rename_fix(document.places.get(path), suggestion)


def find_advice(document: Document) -> list[Problem]:
    """Return warnings on save: patterns of inputs and of the output's schema that need backtracking."""
    problems = []
    schemas = [((("inputs", name)), schema) for name, schema in (document.inputs or {}).items()]
    for path, schema in [*schemas, (("output", "schema"), document.output.get("schema"))]:
        for inner, reason in validation.find_backtracking_patterns(schema):
            place = document.place(*path, *inner)
            message = (
                f"this pattern can take very long ({reason}); texts of more than {MAX_BACKTRACKED:,} "
                "characters are refused"
            )
            variable = path[1] if path[0] == "inputs" else None
            problems.append(
                Problem(
                    "PT412",
                    "warning",
                    message,
                    place.line,
                    place.column,
                    place.end_line,
                    place.end_column,
                    variable=variable,
                )
            )
    return problems


def _find_declaration_faults(name: str, schema: dict[str, Any]) -> Iterator[tuple[str, str, tuple[str | int, ...]]]:
    if name in RESERVED:
        yield "PT405", f"`{name}` is reserved; name the input otherwise", ()
    elif not is_input_name(name):
        yield "PT405", f"`{name}` cannot be used in a template; use letters, digits and _", ()
    yield from _find_schema_faults(name, schema)


def _find_schema_faults(name: str, schema: dict[str, Any]) -> Iterator[tuple[str, str, tuple[str | int, ...]]]:
    for path, reference in _find_references(schema):
        if not isinstance(reference, str) or not reference.startswith("#/"):
            yield "PT406", f"`{name}`: `{path[-1]}` may only point into its own schema: `#/…`", path
            return
        if not _leads_somewhere(schema, reference):
            yield "PT406", f"`{name}`: `{reference}` leads nowhere", path
            return
    if "untrusted" in schema and not isinstance(schema["untrusted"], bool):
        yield "PT406", f"`{name}`: `untrusted` must be true or false", ("untrusted",)
    accept = build_acceptor(schema)
    if accept is not None and ("default" not in schema or accept(schema["default"])):
        return
    try:
        error = validation.check_schema(schema)
    except RecursionError:
        yield "PT406", f"`{name}`: the schema is nested too deeply", ()
        return
    if error is not None:
        yield "PT406", f"`{name}`: {_write_sentence(error)}", tuple(error.absolute_path)
        return
    if "default" in schema:
        message = _find_first_error(schema, schema["default"])
        if message:
            yield "PT411", f"`{name}`: its default {message[1]}", ("default",)


def _leads_somewhere(schema: Any, pointer: str) -> bool:
    for step in unquote(pointer[2:]).split("/"):
        key = step.replace("~1", "/").replace("~0", "~")
        if isinstance(schema, dict) and key in schema:
            schema = schema[key]
        elif isinstance(schema, list) and key.isdecimal() and int(key) < len(schema):
            schema = schema[int(key)]
        else:
            return False
    return isinstance(schema, dict | bool)


def _find_references(schema: Any, path: tuple[str | int, ...] = ()) -> Iterator[tuple[tuple[str | int, ...], Any]]:
    if isinstance(schema, dict):
        for key, value in schema.items():
            if key in ("$ref", "$dynamicRef", "$id", "$schema", "$anchor", "$dynamicAnchor") and path[-1:] not in (
                ("properties",),
                ("$defs",),
                ("default",),
            ):
                yield (*path, key), value
            else:
                yield from _find_references(value, (*path, key))
    elif isinstance(schema, list):
        for index, value in enumerate(schema):
            yield from _find_references(value, (*path, index))


def _write_sentence(error: validation.SchemaFault) -> str:
    message = describe_wrong_type(error) or str(error.message)
    return message if len(message) <= 300 else message[:297] + "..."


def _find_first_error(schema: dict[str, Any], value: Any) -> tuple[str, str] | None:
    """(path, message without the value) of the most relevant error, or None."""
    try:
        error = validation.find_best_error(schema, value)
    except validation.Unusable as failure:
        return "", f"can't be checked, because its schema cannot be used: {failure}"
    return (format_error_path(error.absolute_path), describe_schema_error(error)) if error else None


class Inputs:
    """The declared inputs of a document, prepared for validating data."""

    def __init__(self, document: Document) -> None:
        """Raises DocumentError for an invalid declaration."""
        problems = find_input_problems(document)
        if problems:
            first = problems[0]
            place = document.place("inputs", first.variable or "")
            raise DocumentError(first.message, code=first.code, place=place, variable=first.variable)
        self.document = document
        self.declared = document.inputs
        self._accept = {name: build_acceptor(schema) for name, schema in (document.inputs or {}).items()}

    def prepare(
        self, data: Mapping[str, Any], extra: Literal["ignore", "error"]
    ) -> tuple[dict[str, Any], tuple[str, ...]]:
        """Return the validated data with defaults filled in, and the given names that the document doesn't declare.

        Raises InputError for a name that is missing, reserved or (`extra="error"`) not declared, and for a value that
        isn't plain JSON or breaks its schema.
        """
        if not isinstance(data, Mapping):
            raise InputError(f"data must be a mapping of inputs, not a {type(data).__name__}", code="PT407")
        for name in data:
            if name in RESERVED:
                raise InputError(f"`{name}` is reserved and cannot be given", code="PT405", variable=name)
        if self.declared is None:
            values = dict(data)
            if not is_plain(values):
                check_plain(values)
            return values, ()
        ignored = tuple(name for name in data if name not in self.declared)
        if ignored and extra == "error":
            message = f"`{ignored[0]}` is not an input of this document"
            raise InputError(message, code="PT409", variable=str(ignored[0]))
        return {name: self._prepare_value(name, schema, data) for name, schema in self.declared.items()}, ignored

    def faults(self, data: Mapping[str, Any]) -> list[InputError]:
        """Return every error that `prepare` could raise for these data: each missing input and each invalid value."""
        try:
            self.prepare(data, "ignore")
        except InputError as error:
            problems = [
                fault
                for name, schema in (self.declared or {}).items()
                if (fault := self._find_fault(name, schema, data))
            ]
            return problems or [error]
        return []

    def _find_fault(self, name: str, schema: dict[str, Any], data: Mapping[str, Any]) -> InputError | None:
        try:
            self._prepare_value(name, schema, data)
        except InputError as error:
            return error
        return None

    def _prepare_value(self, name: str, schema: dict[str, Any], data: Mapping[str, Any]) -> Any:
        if name not in data:
            if "default" in schema:
                return schema["default"]
            raise InputError(
                f"the input `{name}` is missing", code="PT401", variable=name, place=self.document.place("inputs", name)
            )
        value = data[name]
        accept = self._accept[name]
        if accept is not None and accept(value):
            return value
        check_plain(value, name)
        wrong = _find_first_error(schema, value)
        if wrong:
            path = name + ("" if not wrong[0] or wrong[0].startswith("[") else ".") + wrong[0]
            place = self.document.place("inputs", name)
            raise InputError(f"`{path}` {wrong[1]}", code="PT402", variable=name, path=path, place=place)
        return value


def find_untrusted_inputs(document: Document) -> frozenset[str]:
    """Return the inputs with `untrusted: true` anywhere in their schema."""
    return frozenset(name for name, schema in (document.inputs or {}).items() if _holds_untrusted(schema))


def _holds_untrusted(schema: Any) -> bool:
    if isinstance(schema, dict):
        if schema.get("untrusted") is True:
            return True
        return any(_holds_untrusted(value) for key, value in schema.items() if key not in ("default", "enum", "const"))
    return isinstance(schema, list) and any(map(_holds_untrusted, schema))


def strip_annotations(schema: Any) -> Any:
    """Return the schema without annotations: the part in which two declarations must agree."""
    if isinstance(schema, dict):
        return {key: strip_annotations(value) for key, value in schema.items() if key not in _ANNOTATIONS}
    return [strip_annotations(item) for item in schema] if isinstance(schema, list) else schema
