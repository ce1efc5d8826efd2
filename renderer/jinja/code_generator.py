"""The code Jinja generates for a prompt: it yields numbered literals and values with their sites, never mixed text."""

from typing import Any, Protocol

from jinja2 import nodes
from jinja2.compiler import CodeGenerator, Frame
from jinja2.idtracking import FrameSymbolVisitor

from promptuary.renderer.jinja.source import Unit, has_escapes

__all__ = ["PieceGenerator"]


class Sites(Protocol):
    """The parts of the environment that the generator uses."""

    spells: bool

    def unit(self, name: str | None) -> Unit: ...


class PieceGenerator(CodeGenerator):
    """Overrides Jinja's output code: no `str()`, no constant folding of expressions, no bare text."""

    environment: Sites  # type: ignore[assignment]  # Jinja's class declares its own environment

    def _output_child_to_const(self, node: nodes.Expr, frame: Frame, finalize: Any) -> Any:
        if not isinstance(node, nodes.TemplateData):
            raise nodes.Impossible()
        return node.data, node.lineno - 1

    def _output_const_repr(self, group: Any) -> str:
        return repr(self.environment.unit(self.name).add_literal(list(group)))

    def _output_child_pre(self, node: nodes.Expr, frame: Frame, finalize: Any) -> None:
        self.write(f"({self.environment.unit(self.name).add_site(node)}, ")

    def _output_child_post(self, node: nodes.Expr, frame: Frame, finalize: Any) -> None:
        self.write(")")

    def visit_Const(self, node: nodes.Const, frame: Frame) -> None:  # noqa: N802 -- Jinja's name
        value = node.as_const(frame.eval_ctx)
        if self.environment.spells and isinstance(value, str) and has_escapes(value):
            self.write(f"environment.written({value!r})")
        else:
            super().visit_Const(node, frame)

    def visit_Concat(self, node: nodes.Concat, frame: Frame) -> None:  # noqa: N802 -- Jinja's name
        self.write("environment.joined((")
        for operand in node.nodes:
            self.visit(operand, frame)
            self.write(", ")
        self.write("))")

    def visit_AssignBlock(self, node: nodes.AssignBlock, frame: Frame) -> None:  # noqa: N802 -- Jinja's name
        """Jinja's own version doesn't look up names that occur only in the filter."""
        self.push_assign_tracking()
        inner = frame.inner()
        inner.require_output_check = False
        inner.symbols.analyze_node(node)
        if node.filter is not None:
            FrameSymbolVisitor(inner.symbols).visit(node.filter)
        self.enter_frame(inner)
        self.buffer(inner)
        self.blockvisit(node.body, inner)
        self.newline(node)
        self.visit(node.target, frame)
        self.write(" = ")
        if node.filter is not None:
            self.visit_Filter(node.filter, inner)
        else:
            self.write(f"concat({inner.buffer})")
        self.pop_assign_tracking(frame)
        self.leave_frame(inner)

    def visit_FilterBlock(self, node: nodes.FilterBlock, frame: Frame) -> None:  # noqa: N802 -- Jinja's name
        inner = frame.inner()
        inner.symbols.analyze_node(node)
        self.enter_frame(inner)
        self.buffer(inner)
        self.blockvisit(node.body, inner)
        self.start_write(frame, node)
        self._output_child_pre(node.filter, frame, None)
        self.visit_Filter(node.filter, inner)
        self._output_child_post(node.filter, frame, None)
        self.end_write(frame)
        self.leave_frame(inner)

    def visit_CallBlock(self, node: nodes.CallBlock, frame: Frame) -> None:  # noqa: N802 -- Jinja's name
        call_frame, macro = self.macro_body(node, frame)
        self.writeline("caller = ")
        self.macro_def(macro, call_frame)
        self.start_write(frame, node)
        self._output_child_pre(node.call, frame, None)
        self.visit_Call(node.call, frame, forward_caller=True)
        self._output_child_post(node.call, frame, None)
        self.end_write(frame)
