"""Limited versions of the Jinja operators and filters whose result can be far larger than their operands."""

import json
from collections.abc import Callable, Iterable, Mapping
from functools import wraps
from typing import Any

from jinja2 import Environment, filters
from jinja2.nodes import EvalContext
from jinja2.runtime import Undefined
from jinja2.utils import pass_environment, pass_eval_context

from promptuary.renderer import functions
from promptuary.renderer.errors import LimitError
from promptuary.renderer.jinja.methods import MAX_WIDTH, check_percent
from promptuary.renderer.jinja.output import WrittenText, convert_to_text, keeps_escapes
from promptuary.renderer.values.printing import MAX_TEXT, check_printable, check_sizes

__all__ = ["BOUNDED_FILTERS", "FILTERS", "MAX_TEXT", "OPERATORS"]

_MAX_WIDTH = MAX_WIDTH
_MAX_PRECISION = 100
_MAX_WORK = 2_000_000_000
_MAX_GROUP = 10_000
_MAX_INTEGER_BITS = 4_096


def _measure_size(value: Any) -> int:
    return len(value) if isinstance(value, str | list | tuple) else 0


def _refuse_text(size: int) -> None:
    if size > MAX_TEXT:
        raise LimitError(f"this would make {size:,} characters or items; at most {MAX_TEXT:,} are allowed")


def _count_bits(value: Any) -> int:
    return value.bit_length() if isinstance(value, int) else 0


def add(left: Any, right: Any) -> Any:
    _refuse_text(_measure_size(left) + _measure_size(right))
    return left + right


def multiply(left: Any, right: Any) -> Any:
    for sized, times in ((left, right), (right, left)):
        if isinstance(sized, str | list | tuple) and isinstance(times, int):
            _refuse_text(len(sized) * max(times, 0))
    if _count_bits(left) + _count_bits(right) > _MAX_INTEGER_BITS:
        raise LimitError("this integer has too many digits")
    return left * right


def compute_power(left: Any, right: Any) -> Any:
    if isinstance(right, int) and _count_bits(left) * abs(right) > _MAX_INTEGER_BITS:
        raise LimitError("this power has too many digits")
    return left**right


def compute_remainder(left: Any, right: Any) -> Any:
    if isinstance(left, str):
        check_percent(left.cooked if isinstance(left, WrittenText) else left, right)
    return (left.cooked if isinstance(left, WrittenText) else left) % right


OPERATORS: dict[str, Callable[[Any, Any], Any]] = {
    "+": keeps_escapes(add, (0, 1)),
    "*": multiply,
    "**": compute_power,
    "%": compute_remainder,
}
"""The binary operators that are intercepted at run time, which also keeps the compiler from folding them."""


def _require_whole(name: str, value: Any, largest: int) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= largest:
        raise LimitError(f"`{name}` takes a whole number up to {largest:,}")
    return value


def center_text(value: str, width: int = 80) -> str:
    return filters.do_center(value, _require_whole("center", width, _MAX_WIDTH))


def split_batches(value: Iterable[Any], linecount: int, fill_with: Any = None) -> list[Any]:
    return list(filters.do_batch(value, _require_whole("batch", linecount, _MAX_GROUP), fill_with))


def slices(value: Iterable[Any], slices: int, fill_with: Any = None) -> list[Any]:
    return list(filters.sync_do_slice(list(value), _require_whole("slice", slices, _MAX_GROUP), fill_with))


def indent(value: str, width: int | str = 4, first: bool = False, blank: bool = False) -> str:
    if isinstance(width, str):
        _require_whole("indent", len(width), 64)
    else:
        _require_whole("indent", width, 64)
    text = str(value)
    size = len(width) if isinstance(width, str) else width
    _refuse_text(len(text) + size * (1 + sum(text.count(end) for end in "\n\r\v\f\x1c\x1d\x1e\x85\u2028\u2029")))
    return filters.do_indent(str(value), width, first, blank)


def format_value(value: str, *args: Any, **kwargs: Any) -> Any:
    return compute_remainder(value.cooked if isinstance(value, WrittenText) else str(value), kwargs or args)


def replace(value: Any, old: Any, new: Any, count: int | None = None) -> str:
    text, old, new = (
        str(text_value) if isinstance(text_value, str) else convert_to_text(text_value)
        for text_value in (value, old, new)
    )
    times = text.count(old) if count is None else min(count, text.count(old))
    _refuse_text(len(text) + times * max(0, len(new) - len(old)))
    return text.replace(old, new, -1 if count is None else count)


@pass_eval_context
def join(
    context: EvalContext,
    value: Any,
    d: str | None = None,
    attribute: str | int | None = None,
    str_replace: Mapping[str, str] | None = None,
    *,
    pattern: str | None = None,
) -> str:
    """Jinja's join and the shaping function for documents in one: documents have `content`, a pattern has `$`."""
    if pattern is None and isinstance(attribute, str) and "$" in attribute:
        pattern, attribute = attribute, None
    documents = isinstance(value, list) and any(
        isinstance(item, Mapping) and ("content" in item or "answer" in item) for item in value
    )
    if pattern is not None or str_replace is not None or (documents and attribute is None):
        return functions.join(value, " " if d is None else d, pattern, str_replace)
    if attribute is not None:
        value = map(filters.make_attrgetter(context.environment, attribute), value)
    texts = [item if isinstance(item, str) else convert_to_text(item) for item in value]
    delimiter = convert_to_text("" if d is None else d) if type(d) is not WrittenText else str(d)
    check_sizes(len(text) + len(delimiter) for text in texts)
    return delimiter.join(texts)


def to_json(value: Any, indent: int | None = None) -> str:
    """JSON with sorted keys and unescaped characters, since a prompt isn't HTML. Raises Unprintable and LimitError."""
    if indent is not None:
        _require_whole("tojson", indent, 64)
    encoder = json.JSONEncoder(ensure_ascii=False, sort_keys=True, indent=indent, default=_refuse_no_json)
    check_printable(value)
    if indent is None:
        return encoder.encode(value)
    chunks: list[str] = []
    size = 0
    for chunk in encoder.iterencode(value):
        size += len(chunk)
        if size > MAX_TEXT:
            _refuse_text(size)
        chunks.append(chunk)
    return "".join(chunks)


def _refuse_no_json(value: Any) -> Any:
    if isinstance(value, Undefined):
        str(value)
    raise TypeError(f"a {type(value).__name__} has no JSON form")


def keep_value(value: Any) -> Any:
    """Return the value: for `safe` and `escape_special_characters`, which other renderers need and this one doesn't."""
    return value


def convert_string(value: Any) -> str:
    return value if isinstance(value, str) else convert_to_text(value)


def round_number(value: float, precision: Any = 0, method: str = "common") -> float:
    if isinstance(precision, int) and abs(precision) > _MAX_PRECISION:
        raise LimitError(f"`round` takes a precision of at most {_MAX_PRECISION}")
    return filters.do_round(value, precision, method)  # type: ignore[arg-type]  # Jinja checks the method itself


@pass_environment
def sum_items(environment: Environment, iterable: Iterable[Any], attribute: Any = None, start: Any = 0) -> Any:
    """Jinja's `sum`. Lists are concatenated in one step, since adding them one by one copies each of them again."""
    if not isinstance(start, list | tuple):
        return filters.sync_do_sum(environment, iterable, attribute, start)
    if attribute is not None:
        iterable = map(filters.make_attrgetter(environment, attribute), iterable)
    items = list(start)
    for part in iterable:
        if type(part) is not type(start):
            raise TypeError(f"`sum` can't add a {type(part).__name__} to a {type(start).__name__}")
        _refuse_text(len(items) + len(part))
        items.extend(part)
    return type(start)(items)


@pass_environment
def wrap_words(environment: Environment, s: Any, width: Any = 79, *args: Any, **kwargs: Any) -> str:
    text = s if isinstance(s, str) else convert_to_text(s)
    longest = max(map(len, text.split()), default=0)
    if isinstance(width, int) and width > 0 and len(text) * longest // width > _MAX_WORK // 10:
        raise LimitError("`wordwrap` can't break words this long into pieces this short")
    return filters.do_wordwrap(environment, text, width, *args, **kwargs)


def strip_tags(value: Any) -> str:
    text = value if isinstance(value, str) else convert_to_text(value)
    if text.count("<") * len(text) > _MAX_WORK:
        raise LimitError("`striptags` can't remove this many tags from a text this long")
    return filters.do_striptags(text)


def _require_text(call: Callable[..., Any]) -> Callable[..., Any]:
    """A filter that converts its value to text and rejects values without one."""

    @wraps(call)
    def checked(*operands: Any, **options: Any) -> Any:
        for operand in operands[:2]:  # an environment may be passed first
            if not isinstance(operand, Environment | EvalContext):
                check_printable(operand)
                break
        return call(*operands, **options)

    return checked


BOUNDED_FILTERS: dict[str, Callable[..., Any]] = {
    "batch": split_batches,
    "center": center_text,
    "format": format_value,
    "indent": indent,
    "join": join,
    "replace": replace,
    "round": round_number,
    "safe": keep_value,
    "slice": slices,
    "string": convert_string,
    "striptags": strip_tags,
    "sum": sum_items,
    "tojson": to_json,
    "wordwrap": wrap_words,
}

_TAKEN_OVER = (
    "abs capitalize count d default dictsort e escape filesizeformat first float forceescape groupby int items last "
    "length list lower map max min reject rejectattr reverse round select selectattr sort string striptags sum "
    "title trim "
    "truncate unique upper urlencode wordcount wordwrap"
)

_MOVED: dict[str, tuple[int | str, ...]] = {
    **dict.fromkeys(("center", "indent", "lower", "string", "trim", "truncate"), (0,)),
    **dict.fromkeys(("default", "d"), (0, 1, "default_value")),
    "join": (1, 2, "d"),
    "replace": (0, 2, "new"),
}
_MAKE_TEXT = frozenset(
    [
        "capitalize",
        "center",
        "e",
        "escape",
        "forceescape",
        "indent",
        "lower",
        "replace",
        "title",
        "trim",
        "truncate",
        "upper",
        "urlencode",
        "wordcount",
    ]
)
_JOINED = {**{name: filters.FILTERS[name] for name in _TAKEN_OVER.split()}, **BOUNDED_FILTERS}
_OFFERED: dict[str, Callable[..., Any]] = {
    name: _require_text(call) if name in _MAKE_TEXT else call for name, call in _JOINED.items()
}
FILTERS: dict[str, Callable[..., Any]] = {
    **_OFFERED,
    **{name: keeps_escapes(_OFFERED[name], positions) for name, positions in _MOVED.items()},
}
"""All filters. Left out: `random` (varies between runs), `pprint`, `xmlattr`, `urlize`, `attr`."""
