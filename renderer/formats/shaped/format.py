"""Shaped documents: text with `{functions(of, inputs)}`, rendered to one prompt or to one per item of a list."""

import inspect
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from promptuary.renderer.document.parser import Document
from promptuary.renderer.errors import DocumentError, InputError, LimitError, RenderError
from promptuary.renderer.formats.protocol import Functions
from promptuary.renderer.formats.shaped import parser
from promptuary.renderer.formats.shaped.parser import Call, Dict, Field, Items, Literal, Name, Node, SyntaxFault, Text
from promptuary.renderer.formats.shaped.warnings import (
    find_doubled_braces,
    find_doubtful_backslashes,
    find_old_variables,
    make_fix,
)
from promptuary.renderer.functions import FUNCTIONS, describe_nearest
from promptuary.renderer.functions.documents import MAX_TEXT, check_pattern, read_content
from promptuary.renderer.functions.sentences import KeyedSentences
from promptuary.renderer.jinja import Use
from promptuary.renderer.part import Mark, Part, Site
from promptuary.renderer.problems import Place, Problem
from promptuary.renderer.syntax import suggestions

__all__ = ["MAX_PROMPTS", "Shaped", "ShapedBody", "make_positional", "rewrite_template"]

MAX_PROMPTS = 1000
"""The most prompts of one rendering."""


class Shaped:
    """The format `shaped`."""

    name = "shaped"

    def compile(self, document: Document, fragments: Mapping[str, str], functions: Functions) -> "ShapedBody":
        """Compile the body. Raises DocumentError, with its place, for errors that don't depend on data."""
        calls = {name: function.call for name, function in FUNCTIONS.items()} | dict(functions)
        try:
            pieces = parser.parse_shaped(document.body)
        except SyntaxFault as fault:
            place = document.body_place(fault.start, fault.end)
            raise DocumentError(fault.message, code="PT901", place=place, fix=make_fix(place, fault.cure)) from fault
        for field in pieces:
            if isinstance(field, Field):
                _check(field, document, calls)
        return ShapedBody(document, pieces, calls)


class ShapedBody:
    """A compiled shaped body."""

    def __init__(
        self, document: Document, pieces: Sequence[Text | Field], calls: Mapping[str, Callable[..., Any]]
    ) -> None:
        self._document = document
        self._pieces = tuple(pieces)
        self._calls = calls
        inputs = document.inputs or {}
        self._constants = {name: sign for name, sign in parser.CONSTANTS.items() if name not in inputs}
        self._sites = {field.start: _build_site(document, field) for field in self._pieces if isinstance(field, Field)}

    @property
    def pieces(self) -> tuple[Text | Field, ...]:
        """The author's texts and the fields between them, in order."""
        return self._pieces

    def list_names(self) -> set[str]:
        """The inputs that the body uses; also `documents` if to_list takes its length from there."""
        names = {
            node.name for node in self._list_nodes() if isinstance(node, Name) and node.name not in self._constants
        }
        if "documents" in (self._document.inputs or {}) and any(_repeats(node) for node in self._list_nodes()):
            names.add("documents")
        return names

    def list_uses(self) -> list[Use]:
        """The place of each input."""
        return [
            Use(node.name, self._document.body_place(node.start, node.end))
            for node in self._list_nodes()
            if isinstance(node, Name) and node.name not in self._constants
        ]

    def find_problems(self) -> list[Problem]:
        """Find likely mistakes: `$name`, `{{ name }}`, and backslashes in paths."""
        advice = (find_old_variables, find_doubled_braces, find_doubtful_backslashes)
        return [problem for check in advice for problem in check(self._document, self._pieces)]

    def build_parts(self, data: Mapping[str, Any]) -> list[list[Part]]:
        """One part per prompt. A list value makes a prompt for each item; other values are in every prompt."""
        columns = self._compute_columns(data)
        count = self._count(columns)
        size = sum(sum(map(len, column)) * (count if len(column) == 1 else 1) for column in columns)
        if count > MAX_PROMPTS or size > MAX_TEXT:
            raise _build_limit_error(f"{count:,} prompts of {size:,} characters in all")
        return [[self._build_part(columns, index)] for index in range(count)]

    def _compute_columns(self, data: Mapping[str, Any]) -> list[list[str]]:
        """The text of each piece in each prompt. Stops as soon as the total is too large."""
        columns: list[list[str]] = []
        size = 0
        for piece in self._pieces:
            columns.append([piece.text] if isinstance(piece, Text) else self._compute_column(piece, data))
            size += sum(map(len, columns[-1]))
            if size > MAX_TEXT:
                raise _build_limit_error(f"more than {MAX_TEXT:,} characters")
        return columns

    def _build_part(self, columns: list[list[str]], index: int) -> Part:
        content, marks, end = [], [], 0
        for piece, column in zip(self._pieces, columns, strict=True):
            value = column[index if len(column) > 1 else 0]
            content.append(value)
            site = self._sites.get(piece.start) if isinstance(piece, Field) else None
            if site and value:
                marks.append(Mark(end, end + len(value), site))
            end += len(value)
        return Part("prompt", content="".join(content), marks=tuple(marks), line=self._document.body_line)

    def _count(self, columns: list[list[str]]) -> int:
        lists = {index: len(column) for index, column in enumerate(columns) if len(column) != 1}
        if not lists:
            return 1
        if len(set(lists.values())) > 1:
            fields = [(piece, lists[index]) for index, piece in enumerate(self._pieces) if index in lists]
            counts = ", ".join(
                f"`{{{parser.write_expressions(piece.node)}}}` has {n}"
                for piece, n in fields
                if isinstance(piece, Field)
            )
            last = next(piece for piece, n in reversed(fields) if n != fields[0][1])
            raise InputError(
                f"these lists give different numbers of prompts: {counts}; join one of them, or make them equally long",
                code="PT911",
                place=self._document.body_place(last.start, last.end),
            )
        return next(iter(lists.values()))

    def _compute_column(self, field: Field, data: Mapping[str, Any]) -> list[str]:
        """The text of the field in each prompt; a single text is used for all of them."""
        value = self._evaluate(field.node, data)
        if isinstance(value, list) and not isinstance(value, KeyedSentences):
            return [_format_value(item) for item in value[: MAX_PROMPTS + 1]]
        return [_format_value(value)]

    def _evaluate(self, node: Node, data: Mapping[str, Any]) -> Any:
        if isinstance(node, Literal):
            return node.value
        if isinstance(node, Name):
            return self._look_up(node, data)
        if isinstance(node, Items):
            return [self._evaluate(item, data) for item in node.items]
        if isinstance(node, Dict):
            return {_convert_key(self._evaluate(key, data)): self._evaluate(value, data) for key, value in node.pairs}
        return self._call(node, data)

    def _look_up(self, node: Name, data: Mapping[str, Any]) -> Any:
        if node.name in data:
            return data[node.name]
        if node.name in self._constants:
            return self._constants[node.name]
        place = self._document.body_place(node.start, node.end)
        raise InputError(f"`{node.name}` is used here but not given", code="PT401", place=place, variable=node.name)

    def _call(self, node: Call, data: Mapping[str, Any]) -> Any:
        arguments = [self._evaluate(argument, data) for argument in node.arguments]
        if _repeats(node) and isinstance(data.get("documents"), list):
            arguments.append(data["documents"])
        try:
            return self._calls[node.name](*arguments)
        except RenderError as error:
            names = [inner.name for inner in parser.walk(node) if isinstance(inner, Name)]
            if isinstance(error, InputError) and error.variable is None and names:
                error.variable = error.path = names[0]
                error.facts["path"] = names[0]
            raise error.located(self._document.body_place(node.start, node.end)) from None
        except Exception as error:  # noqa: BLE001 -- whatever a shaper runs into becomes a typed error
            place = self._document.body_place(node.start, node.end)
            raise InputError(f"`{node.name}` cannot do this: {error}", code="PT911", place=place) from None

    def _list_nodes(self) -> Iterable[Node]:
        for piece in self._pieces:
            if isinstance(piece, Field):
                yield from parser.walk(piece.node)


def _build_limit_error(limit_name: str) -> LimitError:
    return LimitError(f"this gives {limit_name}; at most {MAX_PROMPTS:,} prompts and {MAX_TEXT:,} characters are made")


def _format_value(value: Any) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, Mapping) and ("content" in value or "answer" in value):
        return read_content(value)
    return str(value)


def _convert_key(value: Any) -> Any:
    """A dict's key as Python would hash it; lists aren't hashable and become text."""
    return str(value) if isinstance(value, list | dict) else value


def _repeats(node: Node) -> bool:
    """Whether this is `to_list(value)`, whose length is that of the documents."""
    return isinstance(node, Call) and node.name == "to_list" and len(node.arguments) == 1


def _build_site(document: Document, field: Field) -> Site | None:
    """The place of a field that prints an input; None if it is made of literals only."""
    names = frozenset(node.name for node in parser.walk(field.node) if isinstance(node, Name))
    if not names:
        return None
    place = document.body_place(field.start)
    return Site(parser.write_expressions(field.node), place.line, place.column, names=names)


def _check(field: Field, document: Document, calls: Mapping[str, Callable[..., Any]]) -> None:
    """Reject unknown functions, wrong arguments and malformed patterns before rendering."""
    for node in parser.walk(field.node):
        if isinstance(node, Call):
            place = document.body_place(node.start, node.end)
            if node.name not in calls:
                raise _build_unknown_error(node, calls, place)
            _check_arguments(node, calls[node.name], place)
    if field.joined or any(isinstance(node, Call) and node.keywords for node in parser.walk(field.node)):
        place = document.body_place(field.start, field.end)
        rewritten = "{" + parser.write_expressions(make_positional(field.node, calls)) + "}"
        raise DocumentError(
            "arguments go by position here, and strings are written whole",
            code="PT903",
            place=place,
            fix=make_fix(place, (f"Write `{rewritten}`", rewritten)),
        )


def _build_unknown_error(node: Call, calls: Mapping[str, Any], place: Place) -> DocumentError:
    if node.name == "current_datetime":
        hint = "a prompt must come out the same twice; give the time as an input"
    else:
        hint = describe_nearest(node.name, sorted(calls))
    name_only = Place(place.line, place.column, place.line, place.column + len(node.name))
    fix = suggestions.rename_fix(name_only, suggestions.find_likely_name(node.name, calls))
    return DocumentError(f"`{node.name}` is not a function here; {hint}", code="PT902", place=place, fix=fix)


def _check_arguments(node: Call, call: Callable[..., Any], place: Place) -> None:
    try:
        signature = inspect.signature(call)
        arguments = signature.bind(*node.arguments, **dict(node.keywords))
    except TypeError as error:
        parameters = ", ".join(
            str(parameter.replace(annotation=parameter.empty)) for parameter in signature.parameters.values()
        )
        raise DocumentError(f"`{node.name}` takes ({parameters}): {error}", code="PT903", place=place) from error
    except ValueError:  # some of the caller's own callables have no signature
        return
    pattern = arguments.arguments.get("pattern")
    if isinstance(pattern, Literal) and isinstance(pattern.value, str):
        try:
            check_pattern(pattern.value)
        except InputError as error:
            raise DocumentError(error.message, code="PT904", place=place) from error


def rewrite_template(body: str) -> str:
    """Rewrite a Haystack template to this format: positional arguments only, and each string as one literal.

    Raises DocumentError, without a place, if it still can't be parsed.
    """
    calls = {name: function.call for name, function in FUNCTIONS.items()}
    try:
        fields = [piece for piece in parser.parse_shaped(body) if isinstance(piece, Field)]
    except SyntaxFault as fault:
        raise DocumentError(fault.message, code="PT901") from fault
    for field in reversed(fields):
        if field.joined or any(isinstance(node, Call) and node.keywords for node in parser.walk(field.node)):
            replacement = "{" + parser.write_expressions(make_positional(field.node, calls)) + "}"
            body = body[: field.start] + replacement + body[field.end :]
    return body


def make_positional(node: Node, calls: Mapping[str, Callable[..., Any]]) -> Node:
    """Return the node with positional arguments only; defaults are filled in before a later argument."""
    if isinstance(node, Items):
        return Items(tuple(make_positional(item, calls) for item in node.items), node.start, node.end)
    if isinstance(node, Dict):
        pairs = tuple((make_positional(key, calls), make_positional(value, calls)) for key, value in node.pairs)
        return Dict(pairs, node.start, node.end)
    if not isinstance(node, Call) or node.name not in calls:
        return node
    keywords = {name: make_positional(value, calls) for name, value in node.keywords}
    arguments = [make_positional(argument, calls) for argument in node.arguments]
    for parameter in list(inspect.signature(calls[node.name]).parameters.values())[len(arguments) :]:
        if not keywords:
            break
        default = None if parameter.default is parameter.empty else parameter.default
        arguments.append(keywords.pop(parameter.name, Literal(default, node.start, node.end)))
    return Call(node.name, tuple(arguments), (), node.start, node.end)
