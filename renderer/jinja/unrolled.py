"""A body as written: every branch once, in order, with macros and captured text inlined where they are printed.

No rendering looks like it, but the pieces of each rendered list item also occur together in it.
"""

from collections.abc import Iterable

from jinja2 import nodes

from promptuary.renderer.jinja.source import Unit, list_child_nodes
from promptuary.renderer.part import Site

__all__ = ["unroll_template"]

_MAX_DEPTH = 8


def unroll_template(unit: Unit) -> list[str | Site]:
    """Yield the author's text and, for each value printed in it, its site."""
    builder = _Builder(unit)
    builder.walk(unit.tree.body)
    return builder.pieces


class _Builder:
    def __init__(self, unit: Unit) -> None:
        self.unit = unit
        self.pieces: list[str | Site] = []
        self.macros = {node.name: node.body for node in unit.find_all(nodes.Macro)}
        self.blocks: dict[str, list[nodes.Node]] = {}
        self.callers: list[list[nodes.Node]] = []
        self.depth = 0

    def walk(self, many: Iterable[nodes.Node]) -> None:
        for node in many:
            if isinstance(node, nodes.Output):
                for child in node.nodes:
                    self._print(child)
            elif isinstance(node, nodes.AssignBlock) and isinstance(node.target, nodes.Name) and node.filter is None:
                self.blocks[node.target.name] = node.body
            elif isinstance(node, nodes.CallBlock):
                self.callers.append(node.body)
                self._print(node.call)
                self.callers.pop()
            elif isinstance(node, nodes.FilterBlock):
                self.pieces.append(self.unit.find_site(node.filter))
            elif isinstance(node, nodes.Include):
                self._include(node)
            elif not isinstance(node, nodes.Macro | nodes.AssignBlock):
                self.walk(list_child_nodes(node))

    def _print(self, node: nodes.Expr) -> None:
        if isinstance(node, nodes.TemplateData):
            self.pieces.append(node.data)
            return
        body = self._find_body(node)
        if body is None or self.depth >= _MAX_DEPTH:
            self.pieces.append(self.unit.find_site(node))
            return
        self.depth += 1
        self.walk(body)
        self.depth -= 1

    def _find_body(self, node: nodes.Expr) -> list[nodes.Node] | None:
        """The template text that an expression prints, if it prints any."""
        if isinstance(node, nodes.Name):
            return self.blocks.get(node.name)
        if isinstance(node, nodes.Call) and isinstance(node.node, nodes.Name):
            if node.node.name == "caller" and self.callers:
                return self.callers[-1]
            return self.macros.get(node.node.name)
        return None

    def _include(self, node: nodes.Include) -> None:
        ref = getattr(node.template, "value", None)
        included = self.unit.sandbox.units.get(ref) if isinstance(ref, str) and ref else None
        if included is not None and self.depth < _MAX_DEPTH:
            outer, self.unit = self.unit, included
            self.depth += 1
            self.macros |= {macro.name: macro.body for macro in included.find_all(nodes.Macro)}
            self.walk(included.tree.body)
            self.depth -= 1
            self.unit = outer
