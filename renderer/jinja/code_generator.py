"""The code Jinja generates for a prompt: it yields numbered literals and values with their sites, never mixed text.

Long prompts are mostly runs of plain pieces: stretches of text and names. The pieces of a run are listed once and
filled with the names' values by one line of code, where Jinja generates a line for each piece. Reading a name can't
fail and changes nothing, so the pieces are the same; a value is printed where its piece is taken.
"""

from collections.abc import Sequence
from copy import copy
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any, Protocol

from jinja2 import nodes
from jinja2.compiler import CodeGenerator, Frame
from jinja2.idtracking import FrameSymbolVisitor

from promptuary.renderer.jinja.source import Unit, has_escapes

__all__ = ["PieceGenerator", "PlainRun", "collapse_runs"]

_MIN_COUNT = 8  # a shorter run is no faster to compile, and slower to run
_RUN = "plain_run"


@dataclass
class PlainRun:
    """A run's nodes and its distinct names. `pieces` are set when the code is generated: the number of a literal, or
    that of a site with the position of its name.
    """

    nodes: Sequence[nodes.Expr]
    names: Sequence[str]
    pieces: list[int | tuple[int, int]] = field(default_factory=list)

    def fill(self, values: Sequence[Any]) -> list[Any]:
        """Return the pieces with the values of the distinct names, as the generated code yields pieces."""
        return [piece if isinstance(piece, int) else (piece[0], values[piece[1]]) for piece in self.pieces]


class Sites(Protocol):
    """The parts of the environment that the generator uses."""

    spells: bool
    runs: list[PlainRun]

    def unit(self, name: str | None) -> Unit: ...


class PieceGenerator(CodeGenerator):
    """Overrides Jinja's output code: no `str()`, no constant folding of expressions, no bare text."""

    environment: Sites  # type: ignore[assignment]  # Jinja's class declares its own environment

    def visit_Output(self, node: nodes.Output, frame: Frame) -> None:  # noqa: N802 -- Jinja's name
        run = _find_run(node)
        if run is None:
            super().visit_Output(node, frame)
            return
        self._number_pieces(run)
        if frame.buffer is None:
            self.writeline("yield from (", node)
        else:
            self.writeline(f"{frame.buffer}.extend(", node)
        self.write(f"environment.runs[{len(self.environment.runs)}].fill(")
        self.visit(node.nodes[0], frame)
        self.write("))")
        self.environment.runs.append(run)

    def _number_pieces(self, run: PlainRun) -> None:
        """Add the run's literals and sites to the environment, as Jinja's `visit_Output` does through the hooks."""
        unit = self.environment.unit(self.name)
        positions = {name: position for position, name in enumerate(run.names)}
        for is_name, group in groupby(run.nodes, key=lambda node: isinstance(node, nodes.Name)):
            if is_name:
                names = (node for node in group if isinstance(node, nodes.Name))
                run.pieces += [(unit.add_site(node), positions[node.name]) for node in names]
            else:
                texts = (node for node in group if isinstance(node, nodes.TemplateData))
                run.pieces.append(unit.add_literal([(node.data, node.lineno - 1) for node in texts]))

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


def _find_run(output: nodes.Output) -> PlainRun | None:
    """The run that an output was collapsed to; None for any other output."""
    run: PlainRun | None = getattr(output, _RUN, None)
    return run


def collapse_runs(node: nodes.Node) -> Any:
    """Return a copy of a tree of statements where each long run is an output of one tuple, its distinct names.

    Expressions are not copied, as what is known about them is kept by node.
    """
    copied = copy(node)
    for name in node.fields:
        value = getattr(node, name, None)
        if type(value) is list and any(isinstance(item, nodes.Stmt) for item in value):
            setattr(copied, name, [copied_item for item in value for copied_item in _collapse(item)])
    return copied


def _collapse(node: nodes.Node) -> list[nodes.Node]:
    if not isinstance(node, nodes.Output):
        return [collapse_runs(node)]
    outputs: list[nodes.Node] = []
    short: list[nodes.Expr] = []
    for is_plain, group in groupby(node.nodes, key=_is_plain):
        run = list(group)
        if not is_plain or len(run) < _MIN_COUNT:
            short += run
            continue
        if short:
            outputs.append(nodes.Output(short, lineno=short[0].lineno))
            short = []
        outputs.append(_make_output(run))
    if short:
        outputs.append(nodes.Output(short, lineno=short[0].lineno))
    return outputs


def _is_plain(node: nodes.Expr) -> bool:
    return type(node) is nodes.TemplateData or type(node) is nodes.Name


def _make_output(run: list[nodes.Expr]) -> nodes.Output:
    names = {node.name: node for node in run if isinstance(node, nodes.Name)}
    output = nodes.Output([nodes.Tuple(list(names.values()), "load", lineno=run[0].lineno)], lineno=run[0].lineno)
    setattr(output, _RUN, PlainRun(run, list(names)))
    return output
