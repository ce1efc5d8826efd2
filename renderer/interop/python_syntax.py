"""The syntax tree of Python code that is read for its prompts, and names in it. Nothing is run."""

import ast
from collections.abc import Iterator

from promptuary.renderer.interop.imported import LossError
from promptuary.renderer.interop.python_texts import find_called_name

__all__ = ["find_call", "find_formatted_names", "join_scope", "name_target", "parse_module"]


def parse_module(text: str) -> ast.Module:
    """The syntax tree of a module, or of lines copied with their indentation. Raises LossError."""
    try:
        try:
            return ast.parse(text)
        except IndentationError:
            if not text.lstrip("\n").startswith((" ", "\t")):
                raise
            # A line before them keeps the texts as they are; removing the indentation would change them.
            module = ast.parse(f"def prompt():\n{text}")
            ast.increment_lineno(module, -1)
            return module
    except (SyntaxError, ValueError) as error:
        raise LossError(f"this isn't valid Python code: {error}", getattr(error, "lineno", None)) from None
    except (RecursionError, MemoryError):
        raise LossError("the code is nested too deeply") from None


def find_call(node: ast.expr) -> ast.expr:
    """The call of which an expression reads the reply, as in `(await ask(…)).choices[0].text`; else the expression."""
    inner = node
    if isinstance(inner, ast.Call) and find_called_name(inner) == "print" and len(inner.args) == 1:
        inner = inner.args[0]
    while isinstance(inner, ast.Attribute | ast.Subscript | ast.Await):
        inner = inner.value
    return inner if isinstance(inner, ast.Call) else node


def find_formatted_names(module: ast.Module) -> Iterator[str]:
    """The names and attributes on which the module calls `format`."""
    for node in ast.walk(module):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "format":
            owner = node.func.value
            if isinstance(owner, ast.Name | ast.Attribute):
                yield owner.id if isinstance(owner, ast.Name) else owner.attr


def name_target(target: ast.expr) -> str:
    if isinstance(target, ast.Name):
        return target.id
    if isinstance(target, ast.Attribute):
        return target.attr
    if isinstance(target, ast.Subscript) and isinstance(target.slice, ast.Constant):
        return str(target.slice.value)
    return ""


def join_scope(scope: str, name: str) -> str:
    return f"{scope}/{name}" if scope else name
