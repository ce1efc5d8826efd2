"""Parsing, compiling and running a body: from source to a stream of the author's literals and values in between."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import TracebackType
from typing import Any

from jinja2 import nodes
from jinja2.exceptions import SecurityError, TemplateError, TemplateNotFound, TemplateSyntaxError, UndefinedError
from jinja2.runtime import Context
from jinja2.utils import pass_context

from promptuary.renderer.errors import DocumentError, InputError, LimitError, RenderError
from promptuary.renderer.jinja.code_generator import collapse_runs
from promptuary.renderer.jinja.error_texts import MissingValue, find_dotted_path, hide_values
from promptuary.renderer.jinja.output import CapturedText, Piece
from promptuary.renderer.jinja.sandbox import MAX_OUTPUT, Sandbox, make_limit_error
from promptuary.renderer.jinja.source import Unit, list_child_nodes
from promptuary.renderer.jinja.syntax_errors import describe_syntax_error
from promptuary.renderer.part import Site
from promptuary.renderer.problems import Lines, Place
from promptuary.renderer.values.printing import Unprintable

__all__ = ["RUN", "Program", "Stream", "parse_template", "pass_run"]

MAX_DEPTH = 60
MAX_NODES = 10_000
RUN = "\0run"
"""The context key for the state of one rendering; templates can't spell it."""
on_compiled: Callable[[str, list[tuple[int, int]]], None] | None = None
"""Called with the file name of generated code and, for each of its lines that has one, the document's line; ascending.

Set only in the bounded child, so that the author's line is known even if the child had to be killed.
"""


def parse_template(
    sandbox: Sandbox, ref: str | None, body: str, first_line: int, shown_place: Place | None = None
) -> Unit:
    """Parse a body without running it. Raises DocumentError at the place of a syntax error."""
    name, lines = ref or "", Lines(body, first_line)
    try:
        tree = sandbox.parse(body, name)
    except TemplateSyntaxError as error:
        raise describe_syntax_error(error, lines, shown_place, body) from error
    except RecursionError as error:
        # The parser doesn't report where; the longest tag is the one with the many brackets.
        tag = max(sandbox.located(name).tags, key=lambda tag: tag.end - tag.start, default=None)
        place = shown_place or (lines.place(tag.start, tag.end) if tag else lines.place(0))
        raise DocumentError("the template is nested too deeply", code="PT106", place=place) from error
    except ValueError as error:
        raise DocumentError(f"this is not Jinja: {error}", code="PT201", place=shown_place or lines.place(0)) from error
    unit = Unit(ref, body, lines, sandbox.located(name), sandbox, shown_place, tree)
    _check_size(unit)
    sandbox.units[name] = unit
    return unit


def _check_size(unit: Unit) -> None:
    """Raise DocumentError for a tree that is too deep or too large to compile; walks without recursion."""
    count = 0
    level: list[nodes.Node] = [unit.tree]
    depth = 0
    while level:
        depth += 1
        count += len(level)
        if depth > MAX_DEPTH or count > MAX_NODES:
            description = (
                f"nested deeper than {MAX_DEPTH} levels" if depth > MAX_DEPTH else f"of more than {MAX_NODES:,} pieces"
            )
            at = next((node.lineno for node in level if node.lineno), 1) - 1
            raise DocumentError(f"the template is {description}", code="PT106", place=unit.place(at))
        level = [child for node in level for child in list_child_nodes(node)]


@dataclass(slots=True)
class Stream:
    """One rendering. `pieces` are numbers of literals, or `~site number` for the next of `values`."""

    sandbox: Sandbox
    pieces: list[int]
    values: list[str]

    def sites(self) -> list[Site]:
        """Return the site of each value, in order."""
        sites = self.sandbox.sites
        return [sites[~piece] for piece in self.pieces if piece < 0]

    def item_lines(self, at_start: bool) -> list[int]:
        """Return the document's lines of dashes after a line end, and of one at the start of the text."""
        literals = self.sandbox.literals
        lines = [line for piece in self.pieces if piece >= 0 for line in literals[piece].item_lines]
        return [self._find_line(self.pieces[0], 0), *lines] if at_start and self.pieces else lines

    def lines(self, marked: Callable[[int], int], starts: Sequence[int]) -> list[int]:
        """Return the document's lines of ascending offsets in the marked text.

        `marked(n)` is the length of the n-th value's mark.
        """
        texts, part_lines = self.sandbox.texts, []
        next_starts = iter((*starts, -1))
        start, at, number = next(next_starts), 0, 0
        for piece in self.pieces:
            if piece < 0:
                end = at + marked(number)
                number += 1
            else:
                end = at + len(texts[piece])
            while at <= start < end:
                part_lines.append(self._find_line(piece, start - at))
                start = next(next_starts)
            at = end
        return part_lines

    def _find_line(self, piece: int, inside: int) -> int:
        if piece < 0:
            return self.sandbox.sites[~piece].line
        literal = self.sandbox.literals[piece]
        line = literal.lines.get(inside)
        if line is None:
            line = literal.lines[inside] = literal.place(inside).line
        return line

    def place(self, marked: Callable[[int], int], index: int) -> Place:
        """Return the place in the document of an offset in the marked text; `marked(n)` is as for `lines`."""
        at = number = 0
        place = Place(1, 1)
        for piece in self.pieces:
            if piece < 0:
                size = marked(number)
                number += 1
                site = self.sandbox.sites[~piece]
                place = Place(site.line, site.column)
            else:
                literal = self.sandbox.literals[piece]
                size = len(literal.text)
                inside = min(max(index - at, 0), size)
                place = literal.place(inside)
            at += size
            if index < at:
                break
        return place


class Program:
    """A compiled body. It keeps no state between renderings."""

    def __init__(self, sandbox: Sandbox) -> None:
        """Compile all units parsed into the sandbox; the one without a reference is the body."""
        self.sandbox = sandbox
        for unit in sandbox.units.values():
            unit.template = self._compile(unit)
        self._main = sandbox.unit(None)

    def _compile(self, unit: Unit) -> Any:
        sandbox = self.sandbox
        try:
            filename = f"<template {unit.ref}>" if unit.ref else "<template>"
            code = sandbox.compile(collapse_runs(unit.tree), unit.ref or "", filename)
            template = sandbox.template_class.from_code(sandbox, code, sandbox.globals)
            if on_compiled is not None:
                on_compiled(filename, [(line, unit.place(offset - 1).line) for offset, line in template.debug_info])
            return template
        except TemplateSyntaxError as error:
            raise describe_syntax_error(error, unit.lines, unit.shown, unit.source) from error
        except (RecursionError, SyntaxError, MemoryError) as error:
            message = "the template is nested too deeply"
            raise DocumentError(message, code="PT106", place=unit.place(0)) from error
        except AssertionError as error:  # Jinja reports some templates as impossible rather than wrong
            message = f"this template cannot be compiled: {error}"
            raise DocumentError(message, code="PT201", place=unit.place(0)) from error

    def run(self, data: Mapping[str, Any], run: Any = None) -> Stream:
        """Render to pieces. Raises InputError for missing values, else RenderError, both at the place of the cause."""
        stream = Stream(self.sandbox, [], [])
        template = self._main.template
        assert template is not None  # noqa: S101 -- set by __init__
        try:
            context = template.new_context({**data, RUN: run})
            self._collect(template.root_render_func(context), stream)
        except RenderError as error:
            raise error.located(self._locate_failure(error.__traceback__)[0]) from None
        except UndefinedError as error:
            # Causes quote values and would be logged with the error, so they are suppressed; `__context__` still has
            # them.
            raise self._build_missing_error(error) from None
        except Exception as error:  # noqa: BLE001 -- whatever a template runs into becomes a typed error
            raise self._build_failure(error) from None
        return stream

    def _collect(self, source: Iterable[Piece], stream: Stream) -> None:
        pieces, values, printed = stream.pieces, stream.values, self.sandbox.printed
        texts, budget = self.sandbox.texts, MAX_OUTPUT
        for piece in source:
            kind = type(piece)
            if budget < 0:
                raise make_limit_error().located(self._find_place(piece))
            budget -= 1
            if kind is int:
                pieces.append(piece)
                budget -= len(texts[piece])
                continue
            site, value = piece if kind is tuple else (0, piece)
            kind = type(value)
            if kind is CapturedText:
                budget -= len(value) + len(value.pieces)
                for inner in value.pieces:
                    if type(inner) is int:
                        pieces.append(inner)
                    else:
                        pieces.append(~inner[0])
                        values.append(inner[1])
            else:
                pieces.append(~site)
                text = value if kind is str else str(value) if kind is int else printed(site, value)
                budget -= len(text)
                values.append(text)

    def _find_place(self, piece: Piece) -> Place:
        """The place at which a piece of the output was written."""
        if type(piece) is int:
            return self.sandbox.literals[piece].place(0)
        site = self.sandbox.sites[piece[0] if type(piece) is tuple else 0]
        return Place(site.line, site.column)

    def _locate_failure(self, trace: TracebackType | None) -> tuple[Place | None, str]:
        """The place and the source of the innermost tag in a traceback."""
        place, source = None, ""
        while trace is not None:
            template = trace.tb_frame.f_globals.get("__jinja_template__")
            if template is not None and template.environment is self.sandbox:
                unit = self.sandbox.unit(template.name)
                offset = template.get_corresponding_lineno(trace.tb_lineno) - 1
                tag = unit.located.tag_at(offset)
                start, end = (tag.start, tag.end) if tag else (offset, offset)
                place, source = unit.place(start, end), unit.source[start:end]
            trace = trace.tb_next
        return place, source

    def _build_missing_error(self, error: UndefinedError) -> RenderError:
        place, expression = self._locate_failure(error.__traceback__)
        message, name = (
            error.describe_within(expression) if isinstance(error, MissingValue) else (str(error.message), None)
        )
        return InputError(message, code="PT401", place=place, variable=find_dotted_path(name, expression))

    def _build_failure(self, error: Exception) -> RenderError:
        place, expression = self._locate_failure(error.__traceback__)
        if isinstance(error, SecurityError):
            return DocumentError(
                f"this is not allowed: {hide_values(str(error), expression)}", code="PT207", place=place
            )
        if isinstance(error, Unprintable):
            return RenderError(f"this prints {error.what}", code="PT206", place=place)
        if isinstance(error, TemplateNotFound):
            return DocumentError(f"`{error.name}` is not a fragment of this document", code="PT501", place=place)
        if isinstance(error, RecursionError):
            return LimitError("the template calls itself without end", code="PT702", place=place)
        if isinstance(error, MemoryError):
            return LimitError("this needs more memory than a rendering may take", place=place)
        return RenderError(f"this fails with {_describe_failure(error, expression)}", code="PT206", place=place)


def _describe_failure(error: Exception, expression: str) -> str:
    """Jinja's or Python's message without values; only the error's type if the message may reveal a value."""
    if isinstance(error, TemplateError):
        return hide_values(str(error), expression)
    is_telling = isinstance(error, TypeError | ArithmeticError | AttributeError) and _is_our_own(error.__traceback__)
    kind = type(error).__name__
    return f"{kind}: {hide_values(str(error), expression)}" if is_telling else kind


def _is_our_own(trace: TracebackType | None) -> bool:
    """Whether the error was raised by a template, Jinja or this package, rather than by a caller's function."""
    names = {}
    while trace is not None:
        names, trace = trace.tb_frame.f_globals, trace.tb_next
    return "__jinja_template__" in names or f"{names.get('__name__')}.".startswith(("jinja2.", "promptuary.renderer."))


def pass_run(call: Callable[..., Any]) -> Callable[..., Any]:
    """Make a template function that receives the rendering's `run` before its own arguments."""

    @pass_context
    def called(context: Context, *args: Any, **kwargs: Any) -> Any:
        return call(context.parent[RUN], *args, **kwargs)

    return called
