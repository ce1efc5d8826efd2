"""Placeholders of plain texts, parsed into pieces: `{x}`, `{{x}}`, `$x`, `#{x}`, `%(x)s`, `<<x>>`, `[[x]]`,
`!<INPUT 0>!`; and on request only, `<x>` and `[X]`.
"""

import re
import string
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from promptuary.renderer.interop.imported import Difference, LossError
from promptuary.renderer.interop.input_names import InputNames
from promptuary.renderer.interop.pieces import Piece, Slot
from promptuary.renderer.interop.placeholder_patterns import (
    ANGLE,
    BRACED_DOLLAR,
    CAPITALS,
    DOLLAR,
    DOUBLE,
    NUMBERED,
    PATH,
    PERCENT,
    RUBY,
    SINGLE,
    SQUARE,
    TAG,
    find_expressions,
    find_foreign_spans,
    is_foreign,
    name_of,
)
from promptuary.renderer.interop.python_formats import write_format
from promptuary.renderer.interop.unread_signs import find_unread

__all__ = ["SYNTAXES", "PlainText", "read_placeholders"]

_FILLED = "\0"  # replaces a parsed placeholder, so that the texts around it are not read as one
_COMMENTS_END = "<commentblockmarker>###</commentblockmarker>"
_EXPRESSION_MARK = re.compile("\ue000(\\d+)\n*\ue001")
_STEP = re.compile(r"\.([^\W\d]\w*)|\[(\d+)\]|\[([^\W\d]\w*)\]")


@dataclass(frozen=True)
class PlainText:
    """A parsed text: its pieces, and how it differs from the source."""

    pieces: tuple[Piece, ...]
    differences: tuple[Difference, ...] = ()


def read_placeholders(text: str, syntax: str, names: InputNames) -> PlainText:
    """Read the text as pieces. `names` assigns the names of inputs. Raises LossError with the line."""
    return SYNTAXES[syntax](text, names)


def _read_none(text: str, _names: InputNames) -> PlainText:
    return PlainText((text,))


def _read_str_format(text: str, names: InputNames) -> PlainText:
    """Read as `str.format` does: doubled braces are braces; fields have a path, a conversion and a format."""
    pieces: list[Piece] = []
    position = 0
    try:
        for literal, field, spec, conversion in string.Formatter().parse(text):
            pieces.append(literal)
            if field is None:
                continue
            position += not field or field.isdigit()
            pieces.append(Slot(_write_field(field or str(position - 1), spec or "", conversion or "", names)))
    except ValueError as error:
        raise LossError(f"`str.format` cannot read it: {error}") from error
    rest = "".join(piece if isinstance(piece, str) else _FILLED for piece in pieces)
    return PlainText(tuple(pieces), (*_find_doubled(text), *find_unread(rest, braces=False), *names.differences()))


def _find_doubled(text: str) -> Iterator[Difference]:
    if "{{" in text or "}}" in text:
        yield Difference("doubled braces are single ones, as `str.format` prints them")


def _write_field(field: str, spec: str, conversion: str, names: InputNames) -> str:
    first = re.match(r"[^.\[]*", field)
    name = first[0] if first else ""
    rest = field[len(name) :]
    if not PATH.fullmatch(f"x{rest}"):
        raise LossError(f"`{{{field}}}` is more than a name and a path")
    if name.isdigit():
        expression = names.input_name(f"arg_{name}", reason="the source gives it by position")
    else:
        expression = names.input_name(name, shown=f"{{{name}}}")
    expression += _STEP.sub(lambda step: f".{step[1]}" if step[1] else f"[{step[2] or repr(step[3])}]", rest)
    if formatted := write_format(expression, spec, conversion):
        return formatted
    raise LossError(f"the format `{spec}` in `{{{field}:{spec}}}` has no counterpart here; give the text itself")


def _make_reader(pattern: re.Pattern[str], *, whole: str = "") -> Callable[[str, InputNames], PlainText]:
    def read_pattern(text: str, names: InputNames) -> PlainText:
        pieces: list[Piece] = []
        end = 0
        spans = find_foreign_spans(pattern, text)
        is_doubled = False
        for match in pattern.finditer(text):
            if any(match.groups()) and is_foreign(match, spans):
                continue
            pieces.append(text[end : match.start()])
            end = match.end()
            if not (full_path := name_of(match)):
                pieces.append(whole)  # a doubled sign
                is_doubled = True
                continue
            name, _, rest = full_path.partition(".")
            path = f".{rest}" if rest else ""
            line = text.count("\n", 0, match.start()) + 1
            expression = names.input_name(name, shown=match[0], line=line) + path
            groups = {key: value or "" for key, value in match.groupdict().items()}
            spec, conversion = groups.get("format", ""), groups.get("conversion", "").removeprefix("!")
            pieces.append(Slot(write_format(expression, spec, conversion) or expression))
        pieces.append(text[end:])
        described = (Difference(f"a doubled `{whole}` is a single one, as Python prints it"),) if is_doubled else ()
        unread = find_unread("".join(piece if isinstance(piece, str) else _FILLED for piece in pieces))
        return PlainText(tuple(pieces), (*described, *unread, *names.differences()))

    return read_pattern


def _read_dollar(text: str, names: InputNames) -> PlainText:
    """Read `$x` and `${x}`. Another expression in braces, as in a template literal, is an input named after it."""
    expressions: list[Piece] = []
    marked, end = "", 0
    for start, stop, source in find_expressions(text):
        name = re.sub(r"\W+", "_", source)[:40].strip("_").lower()
        line = text.count("\n", 0, start) + 1
        slot = text[start:stop]
        expressions.append(Slot(names.input_name(f"{name} ", shown=slot, reason="give its text", line=line)))
        lines = "\n" * slot.count("\n")
        marked += f"{text[end:start]}\ue000{len(expressions) - 1}{lines}\ue001"
        end = stop
    read = _make_reader(DOLLAR, whole="$")(marked + text[end:], names)
    pieces: list[Piece] = []
    for piece in read.pieces:
        parts = _EXPRESSION_MARK.split(piece) if isinstance(piece, str) else [piece]
        pieces += [expressions[int(str(part))] if number % 2 else part for number, part in enumerate(parts)]
    return PlainText(tuple(pieces), read.differences)


def _read_single(text: str, names: InputNames) -> PlainText:
    read = _make_reader(SINGLE)(text, names)
    rest = "".join(piece for piece in read.pieces if isinstance(piece, str))
    described = (Difference("braces without a plain name stay as they are"),) if "{" in rest or "}" in rest else ()
    return PlainText(read.pieces, (*described, *read.differences))


def _read_double(text: str, names: InputNames) -> PlainText:
    read = _make_reader(DOUBLE)(text, names)
    unread = find_unread(DOUBLE.sub(lambda match: "x" * len(match[0]), text))
    return PlainText(read.pieces, (*unread, *read.differences))


def _read_numbered(text: str, names: InputNames) -> PlainText:
    """Read a prompt of generative agents, in which text above the comment marker is not part of the prompt."""
    pieces: list[Piece] = []
    differences: list[Difference] = []
    if _COMMENTS_END in text:
        text = text.split(_COMMENTS_END)[1]
        differences.append(Difference("what is above the comment marker is left out, as its library does"))
    if text != text.strip():
        text = text.strip()
        differences.append(Difference("blanks around the text are left out, as its library does"))
    end = 0
    for match in NUMBERED.finditer(text):
        pieces += [text[end : match.start()], Slot(names.input_name(f"input_{match[1]}", shown=match[0]))]
        end = match.end()
        names.input_name(f"input_{match[1]}")
    described = Difference("`!<INPUT 0>!` is the input `input_0`, and so on") if end else None
    return PlainText((*pieces, text[end:]), (*differences, *([described] if described else ())))


SYNTAXES: dict[str, Callable[[str, InputNames], PlainText]] = {
    "none": _read_none,
    "str.format": _read_str_format,
    "single": _read_single,
    "double": _read_double,
    "ruby": _make_reader(RUBY),
    "braced_dollar": _make_reader(BRACED_DOLLAR),
    "dollar": _read_dollar,
    "angle": _make_reader(ANGLE),
    "numbered": _read_numbered,
    "percent": _make_reader(PERCENT, whole="%"),
    "square": _make_reader(SQUARE),
    "tag": _make_reader(TAG),
    "capitals": _make_reader(CAPITALS),
}
"""Readers by the name of the syntax: from text and names to PlainText."""
