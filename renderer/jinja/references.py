"""What a body refers to: fragments, by constant references only."""

from dataclasses import dataclass
from typing import Literal

from jinja2 import nodes

from promptuary.renderer.errors import DocumentError, FragmentError
from promptuary.renderer.jinja.sandbox import Unit
from promptuary.renderer.problems import Place

__all__ = ["Reference", "references"]


@dataclass(frozen=True, slots=True)
class Reference:
    """`fragment("ref")` (kind text) or `{% include "ref" %}` (kind parts), with the places of its tag and of its quotes."""

    ref: str
    kind: Literal["text", "parts"]
    place: Place
    spelled: Place


def references(unit: Unit) -> list[Reference]:
    """Every fragment a unit asks for, in order. Raises FragmentError where one is not written out."""
    found = []
    for node in unit.tree.find_all((nodes.Call, nodes.Include)):
        if isinstance(node, nodes.Include):
            if not node.with_context:
                message = "`without context` is not allowed: a fragment always renders with the data"
                raise DocumentError(message, code="PT204", place=_place(unit, node))
            found.append(_reference(node.template, "parts", unit, node))
        elif isinstance(node, nodes.Call) and isinstance(node.node, nodes.Name) and node.node.name == "fragment":
            if len(node.args) != 1 or node.kwargs or node.dyn_args or node.dyn_kwargs:
                raise FragmentError('write fragment("namespace/name@3")', code="PT506", place=_place(unit, node))
            found.append(_reference(node.args[0], "text", unit, node))
    for kind, message in _REFUSED.items():
        for refused in unit.tree.find_all(kind):
            raise DocumentError(message, code="PT204", place=_place(unit, refused))
    return found


_REFUSED = {
    nodes.Import: "`{% import %}` is not allowed; use `{% include %}` or fragment()",
    nodes.FromImport: "`{% from %}` is not allowed; use `{% include %}` or fragment()",
    nodes.Extends: "`{% extends %}` is not allowed; use `{% include %}` or fragment()",
    nodes.EvalContextModifier: "`{% autoescape %}` is not allowed: a prompt is no web page",
}


def _reference(node: nodes.Node, kind: Literal["text", "parts"], unit: Unit, at: nodes.Node) -> Reference:
    place = _place(unit, at)
    if not isinstance(node, nodes.Const) or not isinstance(node.value, str):
        message = "name the fragment in quotes: its text is fixed when the document is saved"
        raise FragmentError(message, code="PT506", place=place)
    length = next((len(value) for line, _, value in unit.located.tokens if line == node.lineno), 0)
    spelled = unit.place(node.lineno - 1, node.lineno - 1 + length)
    return Reference(node.value, kind, place, spelled)


def _place(unit: Unit, node: nodes.Node) -> Place:
    offset = min(child.lineno for child in (node, *node.find_all(nodes.Node)) if child.lineno) - 1
    tag = unit.located.tag_at(offset)
    return unit.place(tag.start, tag.end) if tag else unit.place(offset)
