"""Liquid expressions in Jinja: values with their filters, conditions, and what loops iterate over."""

import re
from collections.abc import Iterable, Iterator

from promptuary.renderer.interop.imported import Difference, LossError
from promptuary.renderer.interop.input_names import InputNames
from promptuary.renderer.interop.item_values import write_item_value

__all__ = ["LiquidExpressions"]

_STRING = r"'[^']*'|\"[^\"]*\""
_PATH = rf"[^\W\d][\w-]*\??(?:\.[\w-]+\??|\[(?:{_STRING}|-?\d+|[^\W\d][\w.-]*)\])*"
_TOKEN = re.compile(
    rf"\s*(?:(?P<string>{_STRING})|(?P<number>-?\d+(?:\.\d+)?)(?![\w.])|(?P<path>{_PATH})|(?P<sign>[=!<>]=|<>|[<>]))"
)
_STEP = re.compile(rf"\.(?P<key>[\w-]+\??)|\[(?P<index>{_STRING}|-?\d+|[^\]]+)\]")
_SEGMENT = re.compile(rf"(?:{_STRING}|[^|'\"])+")
_ARGUMENT = re.compile(rf"\s*({_STRING}|-?\d+(?:\.\d+)?|{_PATH})\s*(?:,|\Z)")
_LOOP = re.compile(
    rf"(?P<item>[^\W\d]\w*)\s+in\s+(?:\((?P<low>-?\d+|{_PATH})\.\.(?P<high>-?\d+|{_PATH})\)|(?P<list>{_PATH}))"
)
_OPTION = re.compile(rf"\s*(?:(?P<reversed>reversed)\b|(?P<name>limit|offset)\s*:\s*(?P<value>\d+|{_PATH}),?)")
_MAX_DIGITS = 100  # Python reads no number of thousands of digits
_CONSTANTS = {"true": "true", "false": "false", "nil": "none", "null": "none", "blank": "''", "empty": "''"}
_NOTHING = ("nil", "null", "blank", "empty")
_COUNTERS = {"rindex": "revindex", "rindex0": "revindex0"}
_PROPERTIES = {"size": "length", "first": "first", "last": "last"}
_TRUTH = Difference("an empty text, an empty list and 0 count as no in a condition")
# By name and number of arguments. {x} is the value, {0} and {1} the arguments.
_FILTERS = {
    ("abs", 0): "{x}|abs",
    ("append", 1): "({x} ~ {0})",
    ("capitalize", 0): "{x}|capitalize",
    ("ceil", 0): "{x}|round(0, 'ceil')|int",
    ("default", 1): "{x}|default({0}, true)",
    ("divided_by", 1): "({x} // {0})",
    ("downcase", 0): "{x}|lower",
    ("first", 0): "{x}|first",
    ("floor", 0): "{x}|round(0, 'floor')|int",
    ("join", 0): "{x}|join(' ')",
    ("join", 1): "{x}|join({0})",
    ("json", 0): "{x}|tojson",
    ("last", 0): "{x}|last",
    ("map", 1): "{x}|map(attribute={0})|list",
    ("minus", 1): "({x} - {0})",
    ("modulo", 1): "({x} % {0})",
    ("plus", 1): "({x} + {0})",
    ("prepend", 1): "({0} ~ {x})",
    ("remove", 1): "{x}|replace({0}, '')",
    ("replace", 2): "{x}|replace({0}, {1})",
    ("reverse", 0): "{x}|reverse|list",
    ("round", 0): "{x}|round|int",
    ("round", 1): "{x}|round({0})",
    ("size", 0): "{x}|length",
    ("sort", 0): "{x}|sort",
    ("split", 1): "({x}).split({0})",
    ("strip", 0): "{x}|trim",
    ("times", 1): "({x} * {0})",
    ("truncate", 1): "{x}|truncate({0}, true, '...', 0)",
    ("uniq", 0): "{x}|unique|list",
    ("upcase", 0): "{x}|upper",
}


class LiquidExpressions:
    """Translates expressions to Jinja.

    `own`: names defined by loops and assignments so far; others are inputs. `items`: those of the open loops.
    `with_keys`: the names of which the text prints a key somewhere.
    Methods raise LossError with the line for anything that Jinja lacks.
    """

    def __init__(self, names: InputNames, with_keys: Iterable[str] = ()) -> None:
        self.names = names
        self.own: list[str] = []
        self.items: list[str] = []
        self.with_keys = frozenset(with_keys)
        self.differences: dict[Difference, None] = {}

    def write_value(self, text: str, line: int) -> str:
        """Write a value and its filters. A value with an unknown filter becomes an input."""
        segments = [segment.strip() for segment in _SEGMENT.findall(text)]
        filters = [_split_filter(segment) for segment in segments[1:]]
        if any(arguments is None or (name, len(arguments)) not in _FILTERS for name, arguments in filters):
            return self._name_whole(text, line)
        written = self._write_operand(segments[0] if segments else "", line)
        for name, arguments in filters:
            values = [self._write_operand(argument, line) for argument in arguments or ()]
            written = _FILTERS[name, len(values)].format(*values, x=written)
        return written

    def write_condition(self, text: str, line: int) -> str:
        """Write comparisons joined by `and` and `or`, which Liquid evaluates from right to left."""
        terms, words = self._split_condition(text, line)
        condition = terms[-1]
        for index in range(len(words) - 1, -1, -1):
            is_mixed = words[index + 1 : index + 2] not in ([], [words[index]])
            condition = f"{terms[index]} {words[index]} {f'({condition})' if is_mixed else condition}"
        return condition

    def write_choice(self, subject: str, choices: str, line: int) -> str:
        """Write the condition of a `when`: the subject equals one of the values."""
        values = re.split(r"\s*,\s*|\s+or\s+", choices)
        return " or ".join(f"{subject} == {self._write_operand(value, line)}" for value in values)

    def write_loop(self, text: str, line: int) -> tuple[str, str]:
        """Return the name of the item, and the list."""
        loop = _LOOP.match(text)
        options = {"offset": "", "limit": ""}
        end, is_reversed = loop.end() if loop else 0, False
        while loop and (option := _OPTION.match(text, end)):
            end = option.end()
            is_reversed |= bool(option["reversed"])
            if option["name"]:
                options[option["name"]] = self._write_operand(option["value"], line)
        if loop is None or text[end:].strip():
            raise LossError(f"the loop `{text}` is not read here", line)
        if loop["list"]:
            written = self._write_path(loop["list"], line)
        else:
            low, high = (self._write_operand(loop[bound], line) for bound in ("low", "high"))
            written = f"range({low}, {int(high) + 1 if high.isdigit() else f'{high} + 1'})"
        return loop["item"], _slice(written, **options) + ("|reverse" if is_reversed else "")

    def _split_condition(self, text: str, line: int) -> tuple[list[str], list[str]]:
        tokens = list(self._list_tokens(text, line))
        terms, words = [], []
        start = 0
        for end in [*(index for index, token in enumerate(tokens) if token in ("and", "or")), len(tokens)]:
            terms.append(self._write_term(tokens[start:end], text, line))
            words += tokens[end : end + 1]
            start = end + 1
        return terms, words

    def _list_tokens(self, text: str, line: int) -> Iterator[str]:
        end = 0
        while end < len(text.rstrip()):
            token = _TOKEN.match(text, end)
            if token is None:
                raise LossError(f"the condition `{text}` is not read here", line)
            yield token[0].strip()
            end = token.end()

    def _write_term(self, tokens: list[str], text: str, line: int) -> str:
        match tokens:
            case [value]:
                self.differences[_TRUTH] = None
                return self._write_operand(value, line)
            case [value, ("==" | "!=" | "<>") as sign, nothing] if nothing in _NOTHING:
                written = self._write_operand(value, line)
                return " ".join(("not", written)) if sign == "==" else written
            case [value, "contains", part]:
                return " ".join((self._write_operand(part, line), "in", self._write_operand(value, line)))
            case [value, ("==" | "!=" | "<>" | "<" | ">" | "<=" | ">=") as sign, other]:
                written = "!=" if sign == "<>" else sign
                return f"{self._write_operand(value, line)} {written} {self._write_operand(other, line)}"
        raise LossError(f"the condition `{text}` is not read here", line)

    def _write_operand(self, text: str, line: int) -> str:
        token = _TOKEN.fullmatch(text)
        if token is None or token["sign"]:
            raise LossError(f"`{text}` is not read here", line)
        if token["string"]:
            return _quote(token["string"][1:-1])
        if number := token["number"]:
            if len(number) > _MAX_DIGITS:
                raise LossError(f"`{number[:20]}…` is too long for a number", line)
            return f"({number})" if number.startswith("-") else number
        return self._write_path(token["path"], line)

    def _write_path(self, path: str, line: int) -> str:
        if path in _CONSTANTS:
            return _CONSTANTS[path]
        first = re.split(r"[.\[]", path, maxsplit=1)[0]
        steps = list(_STEP.finditer(path, len(first)))
        if first == "forloop":
            keys = [step["key"] for step in steps]
            if len(keys) != 1 or not keys[0]:
                raise LossError(f"`{path}` is not read here", line)
            return f"loop.{_COUNTERS.get(keys[0], keys[0])}"
        written = first if first in self.own else self.names.input_name(first.rstrip("?"), line=line)
        for step in steps:
            written += self._write_step(step, line)
        return written

    def _write_step(self, step: re.Match[str], line: int) -> str:
        if key := (step["key"] or "").rstrip("?"):
            if key in _PROPERTIES and step.end() == len(step.string):
                return f"|{_PROPERTIES[key]}"
            return f".{key}" if key.isidentifier() else f"[{_quote(key)}]"
        return f"[{self._write_operand(step['index'], line)}]"

    def _name_whole(self, text: str, line: int) -> str:
        paths = [path for path in re.findall(_PATH, re.sub(_STRING, "", text)) if path not in _CONSTANTS]
        own = [path.partition(".")[0] for path in paths]
        items = [item for item in self.items if item in own]
        is_whole = not self.with_keys.intersection(items)
        if item_value := write_item_value(text, paths, items, may_be_whole=is_whole, line=line):
            self.differences[item_value[1]] = None
            return item_value[0]
        if "forloop" in own:
            raise LossError(f"`{text}` calls code of its program with a value that the text makes", line)
        foreign = re.sub(r"\W+", "_", text).strip("_")[:60] + " "
        return self.names.input_name(foreign, shown=text, reason="give the text that this expression prints", line=line)


def _split_filter(segment: str) -> tuple[str, list[str] | None]:
    """The name of a filter and its arguments as written; None for named arguments."""
    name, colon, rest = (part.strip() for part in segment.partition(":"))
    if not colon:
        return name, []
    arguments = list(_ARGUMENT.finditer(rest))
    is_whole = "".join(argument[0] for argument in arguments) == rest
    return name, [argument[1] for argument in arguments] if is_whole else None


def _slice(items: str, offset: str, limit: str) -> str:
    if not offset and not limit:
        return items
    end = ""
    if limit:
        are_numbers = limit.isdigit() and (offset or "0").isdigit()
        end = str(int(offset or 0) + int(limit)) if are_numbers else f"{f'{offset} + ' if offset else ''}{limit}"
    return f"{items}[{offset}:{end}]"


def _quote(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace("'", "\\'")
    return f"'{escaped}'"
