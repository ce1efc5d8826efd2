"""The syntax tree of expressions in shaped documents: its nodes, traversal, and conversion to text.

`start` and `end` are offsets in the body.
"""

from collections.abc import Iterator
from dataclasses import dataclass

__all__ = ["Call", "Dict", "Items", "Literal", "Name", "Node", "Scalar", "walk", "write_expressions"]

Scalar = str | int | float | bool | None


@dataclass(frozen=True, slots=True)
class Literal:
    value: Scalar
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Name:
    name: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Items:
    """A list."""

    items: tuple["Node", ...]
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Dict:
    pairs: tuple[tuple["Node", "Node"], ...]
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Call:
    """`name(arguments)`. Keywords are parsed so that they can be rewritten; documents may not use them."""

    name: str
    arguments: tuple["Node", ...]
    keywords: tuple[tuple[str, "Node"], ...]
    start: int
    end: int


Node = Literal | Name | Items | Dict | Call


def walk(node: Node) -> Iterator[Node]:
    """Yield the node and everything inside it, in the order of the text."""
    yield node
    children: tuple[Node, ...] = ()
    if isinstance(node, Items):
        children = node.items
    elif isinstance(node, Dict):
        children = tuple(child for pair in node.pairs for child in pair)
    elif isinstance(node, Call):
        children = (*node.arguments, *(value for _, value in node.keywords))
    for child in children:
        yield from walk(child)


def write_expressions(node: Node) -> str:
    """Write the node as text, in one canonical spelling."""
    if isinstance(node, Name):
        return node.name
    if isinstance(node, Literal):
        return repr(node.value)
    if isinstance(node, Items):
        return f"[{', '.join(map(write_expressions, node.items))}]"
    if isinstance(node, Dict):
        return (
            "{" + ", ".join(f"{write_expressions(key)}: {write_expressions(value)}" for key, value in node.pairs) + "}"
        )
    keywords = [f"{name}={write_expressions(value)}" for name, value in node.keywords]
    return f"{node.name}({', '.join([*map(write_expressions, node.arguments), *keywords])})"
