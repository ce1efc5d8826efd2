"""What Jinja's filters, its tests and the methods of values say of the value that they are applied to."""

from jinja2 import nodes

from promptuary.renderer.jinja.usage import Usage

__all__ = ["TEXT_METHODS", "note_filter", "note_method", "note_test"]

_LIST_FILTERS = frozenset(
    "batch groupby join map max min random reject rejectattr select selectattr slice sum unique".split()
)
_SAME_LIST_FILTERS = frozenset(("list", "reject", "rejectattr", "reverse", "select", "selectattr", "sort", "unique"))
_TEXT_FILTERS = frozenset(
    "capitalize center format indent lower replace striptags title trim truncate upper urlencode wordwrap".split()
)
_NUMBER_FILTERS = frozenset(("abs", "filesizeformat", "round"))
_NUMBER_TESTS = frozenset(("divisibleby", "even", "float", "ge", "gt", "integer", "le", "lt", "number", "odd"))
_GROUP_METHODS = frozenset(("get", "items", "keys", "values"))
TEXT_METHODS = frozenset(
    "endswith format join lower lstrip replace rstrip split splitlines startswith strip title upper".split()
)


def note_filter(usage: Usage, node: nodes.Filter) -> Usage | None:
    """Note what a filter says of the value it takes; returns the value that it passes on, None for one of its own."""
    if node.name in ("default", "d"):
        arguments = [*node.args, *(keyword.value for keyword in node.kwargs)]
        usage.has_default = True
        usage.default = arguments[0].value if arguments and isinstance(arguments[0], nodes.Const) else ""
        return usage
    if node.name in ("first", "last"):
        return usage.item()
    if node.name in _LIST_FILTERS:
        item = usage.item()
        attribute = _attribute_of(node)
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


def note_test(usage: Usage, name: str) -> None:
    """Note what a test says of the value it is asked of."""
    usage.is_number |= name in _NUMBER_TESTS
    usage.is_group |= name == "mapping"
    if name in ("iterable", "sequence"):
        usage.item()
    usage.is_tested |= name in ("true", "false", "boolean")


def note_method(usage: Usage, name: str) -> None:
    """Take the value for what has this method; for a group with such a key if nothing known has it."""
    if name in _GROUP_METHODS:
        usage.is_group = True
    elif name in TEXT_METHODS:
        usage.is_text = True
    else:
        usage.key(name)


def _attribute_of(node: nodes.Filter) -> str:
    """The key that `map(attribute="name")` or `selectattr("name")` reads, or an empty text."""
    named = [keyword.value for keyword in node.kwargs if keyword.key == "attribute"]
    place = {"groupby": 0, "join": 1, "rejectattr": 0, "selectattr": 0, "sum": 0, "unique": 1}.get(node.name)
    if not named and place is not None and len(node.args) > place:
        named = [node.args[place]]
    value = named[0].value if named and isinstance(named[0], nodes.Const) else None
    return value if isinstance(value, str) else ""
