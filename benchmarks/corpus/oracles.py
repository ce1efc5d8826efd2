"""What the libraries of the corpus print, computed without the importers: by Jinja itself, `str.format` and Python.

Each function returns the expected texts for made-up values. A name `x` has the text `‹x›`; a list has two items.
"""

import ast
import contextlib
import inspect
import re
import string
import textwrap
from collections.abc import Iterator
from typing import Any

import jinja2
from jinja2 import nodes

__all__ = ["MadeUpValue", "evaluate_field", "evaluate_module", "infer_data", "make_text", "render_as_library"]

_FIELD = re.compile(r"(?<!\{)\{([^\W\d]\w*)\}(?!\})")
_DOUBLE = re.compile(r"\{\{[ \t]*([^\W\d]\w*)[ \t]*\}\}")
_KERNEL = re.compile(r"\{\{\$(\w+)\}\}")
_KNOWN_METHODS = {name for kind in (str, dict, list) for name in dir(kind)}


class MadeUpValue:
    """A made-up value whose attributes, items and calls are made-up values too; its text is its own expression."""

    def __init__(self, label: str) -> None:
        self.label = label

    def __str__(self) -> str:
        return f"‹{self.label}›"

    def __format__(self, spec: str) -> str:
        return str(self)

    def __getattr__(self, name: str) -> "MadeUpValue":
        if name.startswith("__"):
            raise AttributeError(name)
        return MadeUpValue(f"{self.label}.{name}")

    def __call__(self, *arguments: object, **named: object) -> "MadeUpValue":
        return MadeUpValue(f"{self.label}()")

    def __getitem__(self, key: object) -> "MadeUpValue":
        return MadeUpValue(f"{self.label}[{key}]")

    def __iter__(self) -> Iterator["MadeUpValue"]:
        return iter([MadeUpValue(f"{self.label} item")])

    def __add__(self, other: object) -> str:
        return f"{self}{other}"

    def __radd__(self, other: object) -> str:
        return f"{other}{self}"


class _Names(dict[str, Any]):
    def __missing__(self, name: str) -> Any:
        if name in ("str", "len", "dict", "list", "min", "max", "sorted", "range", "enumerate", "repr", "int", "float"):
            raise KeyError(name)
        return MadeUpValue(name)


def make_text(name: str) -> str:
    """The text of a made-up value."""
    return f"‹{name}›"


def render_as_library(  # noqa: C901 - a branch a language
    text: str, language: str
) -> tuple[str, dict[str, Any]]:
    """The text that a language prints for made-up values, and those values. Raises what the language raises."""
    if language == "auto":
        language = _detect_language(text)
    if language.startswith("jinja"):
        options: dict[str, Any] = {}
        if language == "jinja-trimmed":
            options = {"trim_blocks": True, "lstrip_blocks": True}
        if language == "jinja-keep":
            options = {"keep_trailing_newline": True}
        environment = jinja2.Environment(undefined=jinja2.StrictUndefined, **options)
        for name in re.findall(r"\|\s*(\w+)", text):
            if name not in environment.filters:  # the library's own name
                environment.filters[name] = lambda value, *_, name=name: f"{value}|{name}"
        data = infer_data(text)
        return environment.from_string(text).render(data), data
    if language == "format":
        fields = {field for _, field, _, _ in string.Formatter().parse(text) if field is not None}
        names = {re.match(r"[^.\[]*", field)[0] for field in fields}  # type: ignore[index]
        values: dict[str, Any] = {name: MadeUpValue(name) for name in names if not name.isdigit() and name}
        count = sum(1 for field in fields if not field or field.isdigit())
        positional = [MadeUpValue(f"arg_{number}") for number in range(count)]
        data = {f"arg_{number}": make_text(f"arg_{number}") for number in range(count)}
        return text.format(*positional, **values), {**data, **_nest_fields(fields)}
    if language == "numbered":
        marker = "<commentblockmarker>###</commentblockmarker>"
        text = text.split(marker)[1] if marker in text else text
        values = {f"input_{number}": make_text(f"input_{number}") for number in range(40)}
        for number in range(39, -1, -1):
            text = text.replace(f"!<INPUT {number}>!", values[f"input_{number}"])
        return text.strip(), values
    if language == "dollar":
        values = {name: make_text(name) for name in string.Template(text).get_identifiers()}
        return string.Template(text).substitute(values), values
    pattern = {"kernel": _KERNEL, "replace": _FIELD, "double": _DOUBLE}.get(language)
    if pattern is None:
        return text, {}
    values = {name: make_text(name) for name in pattern.findall(text)}
    return pattern.sub(lambda match: values[match[1]], text), values


def _detect_language(text: str) -> str:
    if "{%" in text:
        return "jinja"
    try:
        fields = [field for _, field, _, _ in string.Formatter().parse(text) if field is not None]
    except ValueError:
        fields = []
    if fields and all(re.fullmatch(r"[^\W\d][\w.\[\]]*", field) for field in fields):
        return "format"
    if re.search(r"\$\{?[a-z_]\w*", text) and not fields and not _FIELD.search(text) and not _DOUBLE.search(text):
        return "dollar"
    if re.search(r"\{\{\$\w+\}\}", text):
        return "kernel"
    return "double" if _DOUBLE.search(text) else "replace" if _FIELD.search(text) else "none"


def _nest_fields(fields: set[str]) -> dict[str, Any]:
    data: dict[str, Any] = {}
    for field in sorted(fields, key=len, reverse=True):
        path = [step for step in re.split(r"[.\[\]]+", field) if step]
        if not path or path[0].isdigit():
            continue
        inner = data
        for step in path[:-1]:
            inner = inner.setdefault(step, {})
        inner.setdefault(path[-1], make_text(field))
    return data


def infer_data(source: str) -> dict[str, Any]:
    """Values for the names in a Jinja text: lists if it loops over them, mappings if it reads attributes, or texts."""
    environment = jinja2.Environment()
    environment.filters |= dict.fromkeys(re.findall(r"\|\s*(\w+)", source), str)
    tree = environment.parse(source)
    shapes: dict[str, Any] = {}
    _Inference(shapes).visit(tree, {})
    return {name: _make_value(shape, name) for name, shape in shapes.items()}


class _Inference:
    """Shapes of names: {"attributes": {...}, "item": shape or None, "pairs": bool}."""

    def __init__(self, shapes: dict[str, Any]) -> None:
        self.shapes = shapes

    def visit(self, node: nodes.Node, scope: dict[str, Any]) -> None:
        if isinstance(node, nodes.For):
            shape = self.shape(node.iter, scope)
            inner = dict(scope)
            if isinstance(node.target, nodes.Name):
                inner[node.target.name] = shape.setdefault("item", {}) if shape is not None else None
            else:
                names = [item.name for item in node.target.find_all(nodes.Name)]
                if shape is not None:
                    shape["pairs"] = True
                inner |= {name: {} for name in names}
            inner["loop"] = None
            for child in (*node.body, *node.else_):
                self.visit(child, inner)
            if node.test:
                self.visit(node.test, inner)
            return
        if isinstance(node, nodes.Assign) and isinstance(node.target, nodes.Name):
            self.visit(node.node, scope)
            scope[node.target.name] = None
            return
        if isinstance(node, nodes.Name | nodes.Getattr | nodes.Getitem | nodes.Call):
            self.shape(node, scope)
            if isinstance(node, nodes.Getitem):
                self.visit(node.arg, scope)
            return
        for child in node.iter_child_nodes():
            self.visit(child, scope)

    def shape(  # noqa: C901, PLR0911, PLR0912 - a branch a kind of node
        self, node: nodes.Node, scope: dict[str, Any]
    ) -> dict[str, Any] | None:
        if isinstance(node, nodes.Name):
            if node.name in scope:
                return scope[node.name]
            if node.name in ("range", "namespace", "dict"):
                return None
            return self.shapes.setdefault(node.name, {})
        if isinstance(node, nodes.Getattr):
            owner = self.shape(node.node, scope)
            return None if owner is None else owner.setdefault("attributes", {}).setdefault(node.attr, {})
        if isinstance(node, nodes.Getitem):
            owner = self.shape(node.node, scope)
            if owner is not None and isinstance(node.arg, nodes.Const):
                if isinstance(node.arg.value, str):
                    return owner.setdefault("attributes", {}).setdefault(node.arg.value, {})
                owner["length"] = max(owner.get("length", 2), abs(int(node.arg.value)) + 1)
                return owner.setdefault("item", {})
            if owner is not None and not isinstance(node.arg, nodes.Slice):
                return owner.setdefault("item", {})
            return None
        if isinstance(node, nodes.Call) and isinstance(node.node, nodes.Getattr):
            for child in node.args:
                self.visit(child, scope)
            if node.node.attr in ("items", "values", "keys"):
                owner = self.shape(node.node.node, scope)
                if owner is not None:
                    owner["mapping"] = True
                    return owner.setdefault("values", {}) if node.node.attr == "values" else owner
            if node.node.attr in _KNOWN_METHODS:
                self.visit(node.node.node, scope)
                return None
            return self.shape(node.node, scope)
        if isinstance(node, nodes.Filter) and node.node is not None:
            return self.shape(node.node, scope)
        for child in node.iter_child_nodes():
            self.visit(child, scope)
        return None


class _CallableText(str):
    """A text that a template may also call, like a method of the library's own object."""

    __slots__ = ()

    def __call__(self, *arguments: object) -> str:
        return self


class _CallableMapping(dict[str, Any]):
    """A mapping that a template may call."""

    def __call__(self, *arguments: object) -> "_CallableMapping":
        return self


def _make_value(shape: dict[str, Any], label: str) -> Any:
    if shape.get("mapping"):
        values = shape.get("values")
        if values is not None:
            item = values.get("item", {})
            return {key: _make_value(item, f"{label} {key}") for key in ("one", "two")}
        return {key: make_text(f"{label} {key}") for key in ("one", "two")}
    attributes = shape.get("attributes", {})
    if attributes:
        return _CallableMapping({name: _make_value(inner, f"{label}.{name}") for name, inner in attributes.items()})
    if shape.get("pairs"):
        return [[make_text(f"{label} {number}"), make_text(f"{label} value {number}")] for number in (1, 2)]
    if "item" in shape:
        return [_make_value(shape["item"], f"{label}[{number}]") for number in range(shape.get("length", 2))]
    return _CallableText(make_text(label))


def evaluate_module(  # noqa: C901 - three passes over one tree
    text: str, language: str
) -> tuple[list[str], list[tuple[str, str]], _Names]:
    """The texts of a module's expressions, the long named ones that a reader must find, and the values."""
    module = ast.parse(text)
    names = _Names()
    texts: dict[str, None] = {}
    wanted: list[tuple[str, str]] = []
    for node in module.body:
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            value = _evaluate(node.value, names)
            if isinstance(value, str):
                names[node.targets[0].id] = value
                if (
                    re.search(r"prompt|template|instruct|system", node.targets[0].id, re.IGNORECASE)
                    and len(value) > 100
                ):
                    wanted.append((node.targets[0].id, _render_or_keep(value, language)))
    local = _Names(names)
    for node in ast.walk(module):
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            value = _evaluate(node.value, local)
            if isinstance(value, str):
                local.setdefault(node.targets[0].id, value)
                texts[value] = None
        if isinstance(node, ast.ClassDef):
            texts[ast.get_docstring(node) or ""] = None
        if isinstance(node, ast.JoinedStr | ast.Constant | ast.BinOp | ast.Call | ast.Name):
            value = _evaluate(node, names)
            if isinstance(value, str) and value.strip():
                texts[value] = None
                texts[_render_or_keep(value, language)] = None
                texts[_render_or_keep(value, "format")] = None
    return list(texts), wanted, names


def _render_or_keep(text: str, language: str) -> str:
    try:
        return render_as_library(text, language)[0]
    except (ValueError, KeyError, IndexError, AttributeError, TypeError, jinja2.TemplateError):
        return text


def _evaluate(node: ast.expr, names: _Names) -> Any:
    """The value that Python computes for an expression of texts; None for any other expression."""
    if isinstance(node, ast.Call):
        name = getattr(node.func, "attr", getattr(node.func, "id", ""))
        if name not in ("dedent", "cleandoc", "strip", "lstrip", "rstrip", "join"):
            return None
    if isinstance(node, ast.JoinedStr):
        parts = (_evaluate_part(part, names) for part in node.values)
        return "".join(parts)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        sides = [_evaluate(side, names) for side in (node.left, node.right)]
        if not any(isinstance(side, str) for side in sides):
            return None
        both = zip(sides, (node.left, node.right), strict=True)
        return "".join(make_text(ast.unparse(source)) if side is None else str(side) for side, source in both)
    scope = {"dedent": textwrap.dedent, "cleandoc": inspect.cleandoc, "textwrap": textwrap, "inspect": inspect}
    names |= scope
    with contextlib.suppress(Exception):
        return eval(compile(ast.Expression(node), "corpus", "eval"), {"__builtins__": {}}, names)
    return None


def _evaluate_part(part: ast.expr, names: _Names) -> str:
    if isinstance(part, ast.Constant):
        return str(part.value)
    return evaluate_field(part, names)


def evaluate_field(part: ast.expr, names: _Names) -> str:
    """The text that Python prints for a field of an f-string; a made-up one if made-up values aren't enough for it."""
    joined = part if isinstance(part, ast.JoinedStr) else ast.JoinedStr([part])
    node = ast.fix_missing_locations(ast.Expression(joined))
    with contextlib.suppress(Exception):
        return str(eval(compile(node, "corpus", "eval"), {"__builtins__": {}}, names))
    return make_text(ast.unparse(part))
