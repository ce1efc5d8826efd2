"""A Jinja body with its fragments, compiled: what the formats `parts` and `text` share."""

from collections.abc import Callable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Protocol

from promptuary.renderer.document.parser import Document
from promptuary.renderer.errors import DocumentError, RenderError
from promptuary.renderer.formats.fragments import read_fragment
from promptuary.renderer.formats.parts.parser import PartsParser
from promptuary.renderer.formats.text import TextParser
from promptuary.renderer.formats.untrusted import check_parts, find_untrusted_in_system
from promptuary.renderer.inputs import declarations
from promptuary.renderer.jinja import (
    FragmentText,
    Names,
    Program,
    Sandbox,
    Stream,
    Unit,
    Use,
    find_hazards,
    find_references,
    list_used_names,
    parse_template,
    pass_run,
    trace_taint,
    unroll_template,
)
from promptuary.renderer.part import Mark, Part
from promptuary.renderer.problems import Place, Problem

__all__ = ["ASSEMBLIES", "Assembly", "JinjaBody", "JinjaFormat", "compile_body", "find_input_uses", "parse_units"]


class Assembly(Protocol):
    """Turns a stream into parts."""

    def build_parts(self, stream: Stream, data: Mapping[str, Any]) -> list[Part]: ...


@dataclass
class _Run:
    """State that a rendering shares with its fragments."""

    data: Mapping[str, Any]
    texts: dict[str, FragmentText] = field(default_factory=dict)


class JinjaBody:
    """A compiled body of format parts or text. Thread-safe."""

    def __init__(
        self,
        document: Document,
        sandbox: Sandbox,
        unit: Unit,
        fragments: dict[str, "JinjaBody"],
        assemble: Callable[[Sandbox], Assembly],
        untrusted: frozenset[str],
    ) -> None:
        self.document = document
        self.unit = unit
        self.fragments = fragments
        self.untrusted = untrusted
        if self.untrusted:
            flow = trace_taint(unit, {ref: body.reached for ref, body in fragments.items()})
            for part in sandbox.units.values():
                part.flow = flow
            self.reached: Names = frozenset().union(*flow.values())
        else:
            self.reached = frozenset()
        self.program = Program(sandbox)
        self.assembly = assemble(sandbox)

    def build_parts(self, data: Mapping[str, Any]) -> list[list[Part]]:
        parts = self.render(data, _Run(data))
        if self.untrusted:
            check_parts(parts, self.untrusted)
        return [parts]

    def stream(self, data: Mapping[str, Any]) -> Stream:
        """Render to a stream that isn't split into parts yet: the author's literals and the values between them."""
        return self.program.run(data, _Run(data))

    def render(self, data: Mapping[str, Any], run: _Run) -> list[Part]:
        return self.assembly.build_parts(self.program.run(data, run), data)

    def list_uses(self) -> list[Use]:
        """Return every name used from outside, except functions. A name in a fragment is placed at its call."""
        return [use for _, uses in self.list_unit_uses() for use in uses]

    @cached_property
    def _own_uses(self) -> tuple[Use, ...]:
        """Cached, because a check asks several times and each time would walk the whole tree."""
        return find_input_uses(self.unit)

    def list_names(self) -> set[str]:
        return {use.name for use in self.list_uses()}

    def list_unit_uses(self) -> list[tuple[Unit, tuple[Use, ...]]]:
        """Return the body's unit and those of its fragments, each with the names that it uses from outside."""
        inner = [pair for body in self.fragments.values() for pair in body.list_unit_uses()]
        return [(self.unit, self._own_uses), *inner]

    def drop_inputs(self, document: Document) -> "JinjaBody":
        """Return the same compiled body with no declared inputs, so none is untrusted."""
        opened = copy(self)
        opened.document, opened.untrusted = document, frozenset()
        return opened

    def find_problems(self) -> list[Problem]:
        """Find expensive and irreproducible constructs, also in fragments, and untrusted values in system parts."""
        body_problems = [
            Problem(
                item.code,
                item.severity,
                item.message,
                item.place.line,
                item.place.column,
                item.place.end_line,
                item.place.end_column,
            )
            for unit in self.unit.sandbox.units.values()
            for item in find_hazards(unit)
        ]
        for body in self.fragments.values():
            body_problems.extend(body.find_problems())
        if self.untrusted and self.document.format == "parts":
            body_problems.extend(
                find_untrusted_in_system(unroll_template(self.unit), self.untrusted, self.document.text)
            )
        return body_problems


def compile_body(
    document: Document,
    fragments: Mapping[str, str],
    functions: Mapping[str, Callable[..., Any]],
    assemblies: Mapping[str, Callable[[Sandbox], Assembly]],
    shown_place: Place | None = None,
    untrusted: frozenset[str] | None = None,
) -> JinjaBody:
    """Compile a document and all its fragments. `shown_place` is where a fragment's errors are reported.

    `untrusted` are the includer's untrusted inputs; None means the document's own.
    """
    if untrusted is None:
        untrusted = declarations.find_untrusted_inputs(document)
    bodies: dict[str, JinjaBody] = {}
    sandbox = Sandbox({**functions, "fragment": pass_run(_FragmentCall(bodies))}, spells=document.format == "parts")
    unit = parse_template(sandbox, None, document.body, document.body_line, shown_place)
    texts: dict[str, tuple[Document, Place]] = {}
    _parse_includes(sandbox, unit, document, fragments, texts)
    for ref, (inner, place) in texts.items():
        bodies[ref] = compile_body(inner, fragments, functions, assemblies, place, untrusted)
    return JinjaBody(document, sandbox, unit, bodies, assemblies[document.format], untrusted)


def parse_units(
    document: Document,
    fragments: Mapping[str, str],
    functions: Mapping[str, Callable[..., Any]],
    shown: Place | None = None,
) -> list[Unit]:
    """Parse the document's body and its fragments' without compiling. Includes are in their includer's sandbox."""
    sandbox = Sandbox({**functions, "fragment": pass_run(_FragmentCall({}))}, spells=document.format == "parts")
    unit = parse_template(sandbox, None, document.body, document.body_line, shown)
    texts: dict[str, tuple[Document, Place]] = {}
    _parse_includes(sandbox, unit, document, fragments, texts)
    units = [unit]
    for inner, place in texts.values():
        units += parse_units(inner, fragments, functions, place)
    return units


def find_input_uses(unit: Unit) -> tuple[Use, ...]:
    """Return every use of a name from outside the unit and its includes, except functions."""
    return tuple(use for use in list_used_names(unit) if use.name not in unit.sandbox.globals)


def _parse_includes(
    sandbox: Sandbox,
    unit: Unit,
    document: Document,
    fragments: Mapping[str, str],
    texts: dict[str, tuple[Document, Place]],
) -> None:
    for reference in find_references(unit):
        inner = read_fragment(reference, fragments[reference.ref], document)
        if reference.kind == "text":
            texts.setdefault(reference.ref, (inner, reference.place))
        elif reference.ref not in sandbox.units:
            # The includer's own line end follows the tag, so drop the fragment's last one.
            body = inner.body.removesuffix("\n") if document.format == "parts" else inner.body
            included = parse_template(sandbox, reference.ref, body, inner.body_line, reference.place)
            _parse_includes(sandbox, included, document, fragments, texts)


class _FragmentCall:
    """`fragment("ns/name@3")`: the fragment's text, rendered once per rendering."""

    def __init__(self, bodies: dict[str, JinjaBody]) -> None:
        self.bodies = bodies

    def __call__(self, run: _Run, ref: str) -> FragmentText:
        if ref not in run.texts:
            run.texts[ref] = self._render(run, ref)
        return run.texts[ref]

    def _render(self, run: _Run, ref: str) -> FragmentText:
        if ref not in self.bodies:
            raise DocumentError(f"`{ref}` is not a fragment of this document", code="PT501")
        try:
            parts = self.bodies[ref].render(run.data, run)
        except RenderError as error:
            error.message = f"in the fragment `{ref}`: {error.message}"
            raise
        return _join_parts(parts)


def _join_parts(parts: Sequence[Part]) -> FragmentText:
    texts: list[str] = []
    marks: list[Mark] = []
    at = 0
    for part in parts:
        if not isinstance(part.content, str):
            raise DocumentError("a fragment with content items cannot be used as text", code="PT507")
        texts.append(part.content)
        marks.extend(Mark(at + mark.start, at + mark.end, mark.site) for mark in part.marks)
        at += len(part.content)
    return FragmentText("".join(texts), marks)


ASSEMBLIES: Mapping[str, Callable[[Sandbox], Assembly]] = {"parts": PartsParser, "text": TextParser}


class JinjaFormat:
    """A format whose bodies are Jinja; ASSEMBLIES turns their output into parts."""

    def __init__(self, name: str) -> None:
        self.name = name

    def compile(
        self, document: Document, fragments: Mapping[str, str], functions: Mapping[str, Callable[..., Any]]
    ) -> JinjaBody:
        return compile_body(document, fragments, functions, ASSEMBLIES)
