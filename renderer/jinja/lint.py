"""Lint rules for Jinja, on the syntax tree alone: huge output from small input, and results that vary between runs."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Literal

from jinja2 import nodes

from promptuary.renderer.jinja.methods import MAX_WIDTH, WIDE_METHODS, is_wide_format, is_wide_percent
from promptuary.renderer.jinja.source import Unit, find_nodes, list_child_nodes
from promptuary.renderer.problems import Place

__all__ = ["NOT_REPRODUCIBLE", "Finding", "find_hazards"]

_MAX_TIMES = 10_000
_MAX_ROUNDS = 100_000

NOT_REPRODUCIBLE = ("random", "shuffle", "now", "lipsum", "uuid", "time")


@dataclass(frozen=True, slots=True)
class Finding:
    code: str
    severity: Literal["error", "warning", "note"]
    message: str
    place: Place


def find_hazards(unit: Unit) -> Iterator[Finding]:
    """Return the expensive and irreproducible constructs of a unit, in no particular order."""
    macros = {node.name: node for node in unit.find_all(nodes.Macro)}
    for node in unit.all_nodes:
        hazard = _lint_expression(node)
        if hazard is not None:
            code, message = hazard
            yield Finding(code, "error", message, _place(unit, node))
        if isinstance(node, nodes.Macro) and _calls(node, node.name):
            message = f"the macro `{node.name}` calls itself; a rendering that goes too deep is stopped"
            yield Finding("PT202", "warning", message, _place(unit, node))
        if (
            isinstance(node, nodes.Name)
            and node.name in NOT_REPRODUCIBLE
            and node.ctx == "load"
            and node.name not in macros
        ):
            yield from _lint_irreproducible_call(unit, node)
    yield from _lint_nested_ranges(unit, unit.tree, 1)


def _lint_expression(node: nodes.Node) -> tuple[str, str] | None:
    if isinstance(node, nodes.Pow) and not (_is_small(node.left, 1000) and _is_small(node.right, 16)):
        return "PT202", "a power may only have small numbers written out"
    if isinstance(node, nodes.Mul) and any(
        _repeats_text(*pair) for pair in ((node.left, node.right), (node.right, node.left))
    ):
        return "PT202", f"text may be repeated {_MAX_TIMES:,} times at most"
    wide = _find_wide_format(node)
    if wide is not None:
        return "PT202", wide
    if _is_call(node, "range"):
        rounds = _compute_range_length(node)
        if rounds is not None and rounds > _MAX_ROUNDS:
            return "PT202", f"a range of {rounds:,} is too long; {_MAX_ROUNDS:,} is the most"
    return None


def _find_wide_format(node: nodes.Node) -> str | None:
    """The part of a format, fill or rounding whose literal numbers are too large."""
    if isinstance(node, nodes.Mod) and _is_text(node.left, is_wide_percent):
        return "a format may not ask for a width of four digits or more, or of `*`"
    if isinstance(node, nodes.Filter) and node.name == "format" and node.node and _is_text(node.node, is_wide_percent):
        return "a format may not ask for a width of four digits or more, or of `*`"
    if isinstance(node, nodes.Filter) and node.name == "round" and node.args and not _is_small(node.args[0], 100):
        return "`round` takes a precision of at most 100" if isinstance(node.args[0], nodes.Const) else None
    if isinstance(node, nodes.Call) and isinstance(node.node, nodes.Getattr):
        name = node.node.attr
        if name in ("format", "format_map") and _is_text(node.node.node, is_wide_format):
            return f"a format may not ask for a width of more than {MAX_WIDTH - 1}"
        width = node.args[0] if node.args else None
        if name in WIDE_METHODS and isinstance(width, nodes.Const) and not _is_small(width, MAX_WIDTH):
            return f"`{name}` takes a width of at most {MAX_WIDTH:,}" if isinstance(width.value, int) else None
    return None


def _is_text(node: nodes.Node, test: Callable[[str], bool]) -> bool:
    return isinstance(node, nodes.Const) and isinstance(node.value, str) and test(node.value)


def _is_small(node: nodes.Expr, limit: int) -> bool:
    return isinstance(node, nodes.Const) and isinstance(node.value, int | float) and abs(node.value) <= limit


def _repeats_text(text: nodes.Expr, times: nodes.Expr) -> bool:
    is_text = isinstance(text, nodes.List | nodes.Tuple) or (
        isinstance(text, nodes.Const) and isinstance(text.value, str)
    )
    return is_text and isinstance(times, nodes.Const) and isinstance(times.value, int) and times.value > _MAX_TIMES


def _is_call(node: nodes.Node, name: str) -> bool:
    return isinstance(node, nodes.Call) and isinstance(node.node, nodes.Name) and node.node.name == name


def _calls(node: nodes.Node, name: str) -> bool:
    return any(_is_call(call, name) for call in find_nodes(node, nodes.Call))


def _lint_irreproducible_call(unit: Unit, node: nodes.Name) -> Iterator[Finding]:
    if any(call.node is node for call in unit.find_all(nodes.Call)):
        message = f"`{node.name}()` is not offered: the same data must give the same prompt; give it as an input"
        yield Finding("PT203", "error", message, _place(unit, node))


def _compute_range_length(node: Any) -> int | None:
    """The length of a range with literal numbers."""
    numbers = [argument.value for argument in node.args if isinstance(argument, nodes.Const)]
    if (
        len(numbers) != len(node.args)
        or not all(isinstance(number, int) for number in numbers)
        or not 1 <= len(numbers) <= 3
    ):
        return None
    try:
        return len(range(*numbers))
    except (ValueError, OverflowError):
        return None


def _lint_nested_ranges(unit: Unit, node: nodes.Node, rounds: int) -> Iterator[Finding]:
    for child in list_child_nodes(node):
        inner = rounds
        if isinstance(child, nodes.For) and _is_call(child.iter, "range"):
            inner = rounds * max(1, _compute_range_length(child.iter) or 1)
            if inner > _MAX_ROUNDS:
                message = f"these loops run {inner:,} times; {_MAX_ROUNDS:,} is the most"
                yield Finding("PT202", "error", message, _place(unit, child))
                continue
        yield from _lint_nested_ranges(unit, child, inner)


def _place(unit: Unit, node: nodes.Node) -> Place:
    offset = (node.lineno or 1) - 1
    tag = unit.located.tag_at(offset)
    return unit.place(tag.start, tag.end) if tag else unit.place(offset)
