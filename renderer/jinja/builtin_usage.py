"""What Jinja's filters and tests, and methods of values, imply about the value they are applied to."""

import re
import string
from collections.abc import Iterator, Sequence

from jinja2 import nodes

from promptuary.renderer.jinja.usage import Usage

__all__ = ["TEXT_METHODS", "note_filter", "note_formatted", "note_method", "note_test"]

_LIST_FILTERS = frozenset(
    "batch groupby join map max min random reject rejectattr select selectattr slice sum unique".split()
)
_SAME_LIST_FILTERS = frozenset(("list", "reject", "rejectattr", "reverse", "select", "selectattr", "sort", "unique"))
_TEXT_FILTERS = frozenset(
    "capitalize center format indent lower replace striptags title trim truncate upper urlencode wordwrap".split()
)
_NUMBER_FILTERS = frozenset(("abs", "filesizeformat", "round"))
_NUMBER_TESTS = frozenset(("divisibleby", "even", "float", "ge", "gt", "integer", "le", "lt", "number", "odd"))
_PERCENT_FORMAT = re.compile(r"%(?:%|[-+ #0]*\d*(?:\.\d+)?(?P<kind>[A-Za-z]))")
_KINDS_OF_NUMBERS = frozenset("bdeEfFgGinoxX")
_NUMBER_SPEC = re.compile(r"[-+ ]?0?\d*(?:,(?:\.\d+)?[dfgeFGE]?|(?:\.\d+)?[dfgeFGE%])")
_GROUP_METHODS = frozenset(("get", "items", "keys", "values"))
TEXT_METHODS = frozenset(
    "endswith format join lower lstrip replace rstrip split splitlines startswith strip title upper".split()
)


def note_filter(usage: Usage, node: nodes.Filter) -> Usage | None:
    """Record what a filter implies about its input. Returns the value it passes on, None if it makes a new one."""
    if node.name in ("default", "d"):
        arguments = [*node.args, *(keyword.value for keyword in node.kwargs)]
        usage.has_default = True
        usage.default = arguments[0].value if arguments and isinstance(arguments[0], nodes.Const) else ""
        return usage
    if node.name in ("first", "last"):
        return usage.item()
    if node.name in _LIST_FILTERS:
        item = usage.item()
        attribute = _read_attribute(node)
        if attribute:
            for step in attribute.split("."):
                item = item.key(step)
        elif node.name in ("join", "map"):
            item.is_printed = True
        elif node.name == "sum":
            item.is_number = True
        return usage if node.name in _SAME_LIST_FILTERS else None
    if node.name in _SAME_LIST_FILTERS:
        usage.item()
        return usage
    usage.is_any |= node.name == "tojson"
    usage.is_text |= node.name in _TEXT_FILTERS
    usage.is_number |= node.name in _NUMBER_FILTERS
    usage.is_group |= node.name in ("dictsort", "items")
    return None if node.name in ("length", "count", "int", "float", "tojson") else usage


def note_formatted(node: nodes.Node | None, usages: Sequence[Usage | None], *, is_filter: bool) -> None:
    """Record which of the values in a format are numbers: `'%.2f'|format(x)` or `'{:.2f}'.format(x)`."""
    text = node.value if isinstance(node, nodes.Const) and isinstance(node.value, str) else ""
    numbers = _find_percent_numbers(text) if is_filter else _find_str_format_numbers(text)
    for usage, is_number in zip(usages, numbers, strict=False):
        if usage is not None and is_number:
            usage.is_number = True


def _find_percent_numbers(text: str) -> list[bool]:
    return [match["kind"] in _KINDS_OF_NUMBERS for match in _PERCENT_FORMAT.finditer(text) if match["kind"]]


def _find_str_format_numbers(text: str) -> Iterator[bool]:
    """For each argument in order; stops at fields with names or numbers."""
    try:
        for _, field, spec, _ in string.Formatter().parse(text):
            if field:
                return
            if field is not None:
                yield _NUMBER_SPEC.fullmatch(spec or "") is not None
    except ValueError:
        return


def note_test(usage: Usage, name: str) -> None:
    """Record what a test implies about its value."""
    usage.is_number |= name in _NUMBER_TESTS
    usage.is_group |= name == "mapping"
    if name in ("iterable", "sequence"):
        usage.item()
    usage.is_tested |= name in ("true", "false", "boolean")


def note_method(usage: Usage, name: str) -> None:
    """Infer a type with this method, or a mapping with such a key if no known type has it."""
    if name in _GROUP_METHODS:
        usage.is_group = True
    elif name in TEXT_METHODS:
        usage.is_text = True
    else:
        usage.key(name)


def _read_attribute(node: nodes.Filter) -> str:
    """The key in `map(attribute="name")` or `selectattr("name")`, or an empty text."""
    arguments = [keyword.value for keyword in node.kwargs if keyword.key == "attribute"]
    place = {"groupby": 0, "join": 1, "rejectattr": 0, "selectattr": 0, "sum": 0, "unique": 1}.get(node.name)
    if not arguments and place is not None and len(node.args) > place:
        arguments = [node.args[place]]
    value = arguments[0].value if arguments and isinstance(arguments[0], nodes.Const) else None
    return value if isinstance(value, str) else ""
