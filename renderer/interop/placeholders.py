"""Placeholders of plain texts, parsed into pieces: `{x}`, `{{x}}`, `$x`, `#{x}`, `%(x)s`, `<<x>>`, `[[x]]`,
`!<INPUT 0>!`; and on request only, `<x>` and `[X]`.

LaTeX formulas and strings such as `f"{x}"` in code have their own braces and dollars, so they stay text. So do
`$x` in a fenced code block and `$X` in capitals.
"""

import re
import string
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from promptuary.renderer.interop.imported import Difference, LossError
from promptuary.renderer.interop.input_names import InputNames
from promptuary.renderer.interop.pieces import Piece, Slot
from promptuary.renderer.interop.python_formats import CODE_STRING, NUMBER_FORMAT, write_number_format
from promptuary.renderer.interop.unread_signs import FENCED, JSON_KEY, LATEX, LATEX_COMMAND, find_unread, is_formula

__all__ = [
    "SYNTAXES",
    "PlainText",
    "describe_guess",
    "describe_inputs",
    "find_syntax",
    "list_placeholders",
    "read_placeholders",
]

_SINGLE = re.compile(rf"(?<![{{$])\{{([^\W\d]\w*)(?::(?P<format>{NUMBER_FORMAT}))?\}}(?!\}})")
_RUBY = re.compile(r"(?<![\w\\{])(?P<sign>[#%])\{@?([^\W\d]\w*(?:\.[^\W\d]\w*)*)\}(?!\})")
# A brace after it closes a JSON object. A dash joins the words of a name.
_DOUBLE = re.compile(r"(?<!\{)\{\{[ \t]*(?!else\b)([^\W\d][\w.]*(?:-[^\W\d][\w.]*)*)[ \t]*\}\}")
_DOLLAR_BRACE = re.compile(r"\$\{(?!\{)")
_TRIPLE = re.compile(r"(?<!\{)\{\{\{\s*[^\W\d][\w.]*\s*\}\}\}(?!\})")
_DOLLAR = re.compile(
    rf"\$\$|\$\{{(?![\w.]*\.length\}})([A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*)\}}|\$(?!{JSON_KEY})([A-Za-z_]\w*)", re.ASCII
)
_ANGLE = re.compile(r"(?<!<)<<[ \t]*([^\W\d][\w .-]*?)[ \t]*>>(?!>)")
_NUMBERED = re.compile(r"!<INPUT (\d+)>!")
_PERCENT = re.compile(r"%%|%\(([^()]+)\)[sd]")
_SQUARE = re.compile(r"(?<![\w\[])\[\[[ \t]*([^\W\d][\w .-]*?)[ \t]*\]\](?![\](])")
_TAG = re.compile(r"(?<![\w<])<([^\W\d][\w .-]*?)>(?!>)")
_CAPITALS = re.compile(r"(?<![\w\[\\])\[([A-Z][A-Z0-9_ -]*)\](?![(\[\]])", re.ASCII)
_SPACED = re.compile(r"(?<!\{)\{\{[ \t]+[^\W\d][\w.]*[ \t]+\}\}")
_FILLED = "\0"  # replaces a parsed placeholder, so that the texts around it are not read as one
_COMMENTS_END = "<commentblockmarker>###</commentblockmarker>"
_PATH = re.compile(r"[^\W\d]\w*(?:\.[^\W\d]\w*|\[(?:\d+|[^\W\d]\w*)\])*")
_STEP = re.compile(r"\.([^\W\d]\w*)|\[(\d+)\]|\[([^\W\d]\w*)\]")


_PATTERNS = {
    "single": _SINGLE,
    "ruby": _RUBY,
    "dollar": _DOLLAR,
    "angle": _ANGLE,
    "percent": _PERCENT,
    "square": _SQUARE,
    "tag": _TAG,
    "capitals": _CAPITALS,
}


@dataclass(frozen=True)
class PlainText:
    """A parsed text: its pieces, and how it differs from the source."""

    pieces: tuple[Piece, ...]
    differences: tuple[Difference, ...] = ()


def find_syntax(text: str) -> str:
    """Detect the syntax of a text's placeholders, a key of SYNTAXES; `none` if it has none."""
    if _NUMBERED.search(text):
        return "numbered"
    if _is_spaced_double(text):
        return "double"
    if _is_ruby(text):
        return "ruby"
    if not _DOLLAR_BRACE.search(text) and not _TRIPLE.search(text) and _is_str_format(text):
        return "str.format"
    if _DOUBLE.search(text):
        return "double"
    guessed = ("single", "angle", "dollar", "percent", "square")
    return next((syntax for syntax in guessed if _placeholders(_PATTERNS[syntax], text)), "none")


def describe_guess(text: str, syntax: str) -> Difference | None:
    """Report which parts of a text became inputs because of their look; None if they have Promptuary's own form."""
    pattern = _PATTERNS.get("single" if syntax == "str.format" else syntax)
    if pattern is None or syntax == "double":
        return None
    return describe_inputs([match[0] for match in _placeholders(pattern, text)])


def describe_inputs(spellings: Sequence[str]) -> Difference | None:
    """Report which parts of a text became inputs, by their spellings; None if there are none."""
    spelled = list(dict.fromkeys(spellings))
    if not spelled:
        return None
    if len(spelled) == 1:
        return Difference(f"`{spelled[0]}` is read as an input")
    return Difference(f"`{spelled[0]}` and {len(spelled) - 1} more are read as inputs")


def list_placeholders(text: str, syntax: str) -> list[tuple[str, str]]:
    """List the placeholders of a text in a syntax, each as name and spelling."""
    pattern = {**_PATTERNS, "str.format": _SINGLE, "double": _DOUBLE, "numbered": _NUMBERED}.get(syntax)
    found = _placeholders(pattern, text) if pattern else []
    prefix = "input_" if syntax == "numbered" else ""
    return [(prefix + _name_of(match), match[0]) for match in found]


def _name_of(match: re.Match[str]) -> str:
    """The name of the value that a match prints; empty for a doubled sign."""
    told = set(match.re.groupindex.values())
    return next((group for index, group in enumerate(match.groups(), start=1) if group and index not in told), "")


def _placeholders(pattern: re.Pattern[str], text: str) -> list[re.Match[str]]:
    """The matches that print a value: not a doubled sign, a formula, or a shell variable in a code block."""
    spans = _foreign_spans(pattern, text)
    return [match for match in pattern.finditer(text) if any(match.groups()) and not _is_foreign(match, spans)]


def _foreign_spans(pattern: re.Pattern[str], text: str) -> list[tuple[int, int]]:
    if pattern is _SINGLE:
        formulas = LATEX.finditer(text) if LATEX_COMMAND.search(text) else ()
        return [match.span() for match in (*formulas, *CODE_STRING.finditer(text))]
    if pattern is _DOLLAR:
        return [match.span() for match in FENCED.finditer(text)]
    return []


def _is_foreign(match: re.Match[str], spans: list[tuple[int, int]]) -> bool:
    if any(start <= match.start() < end for start, end in spans) and not match[0].startswith("${"):
        return True
    return match.re is _DOLLAR and match[2] is not None and (match[2].isupper() or is_formula(match))


def read_placeholders(text: str, syntax: str, names: InputNames) -> PlainText:
    """Read the text as pieces. `names` assigns the names of inputs. Raises LossError with the line."""
    return SYNTAXES[syntax](text, names)


def _is_spaced_double(text: str) -> bool:
    """Whether it has `{{ name }}`, with spaces, and no other double braces than those of names."""
    rest = _DOUBLE.sub("", text)
    return bool(_SPACED.search(text)) and "{{" not in rest and "}}" not in rest


def _is_ruby(text: str) -> bool:
    """Whether all names in single braces follow the same Ruby sign.

    `#{x}` may be a number sign, so it needs two names.
    """
    found = list(_RUBY.finditer(text))
    signs = {match["sign"] for match in found}
    if len(signs) != 1 or len(found) != len(_SINGLE.findall(_RUBY.sub("{x}", text))):
        return False
    return signs == {"%"} or len({match[2] for match in found}) > 1


def _is_str_format(text: str) -> bool:
    """Whether it is a valid `str.format` string with only plain names and number formats in its braces.

    None of these may be in a formula or in a string of code.
    """
    foreign = (*LATEX_COMMAND.finditer(text), *CODE_STRING.finditer(text))
    if any(_SINGLE.search(match[0]) for match in foreign):
        return False
    try:
        read = [(field, spec, sign) for _, field, spec, sign in string.Formatter().parse(text) if field is not None]
    except ValueError:
        return False
    return bool(read) and all(
        _PATH.fullmatch(field) and not sign and (not spec or re.fullmatch(NUMBER_FORMAT, spec))
        for field, spec, sign in read
    )


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
            pieces.append(Slot(_field(field or str(position - 1), spec or "", conversion or "", names)))
    except ValueError as error:
        raise LossError(f"`str.format` cannot read it: {error}") from error
    rest = "".join(piece if isinstance(piece, str) else _FILLED for piece in pieces)
    return PlainText(tuple(pieces), (*_doubled(text), *find_unread(rest, braces=False), *names.differences()))


def _doubled(text: str) -> Iterator[Difference]:
    if "{{" in text or "}}" in text:
        yield Difference("doubled braces are single ones, as `str.format` prints them")


def _field(field: str, spec: str, conversion: str, names: InputNames) -> str:
    first = re.match(r"[^.\[]*", field)
    name = first[0] if first else ""
    rest = field[len(name) :]
    if not _PATH.fullmatch(f"x{rest}"):
        raise LossError(f"`{{{field}}}` is more than a name and a path")
    if name.isdigit():
        expression = names.input_name(f"arg_{name}", reason="the source gives it by position")
    else:
        expression = names.input_name(name, shown=f"{{{name}}}")
    expression += _STEP.sub(lambda step: f".{step[1]}" if step[1] else f"[{step[2] or repr(step[3])}]", rest)
    if conversion and conversion != "s":
        raise LossError(f"`!{conversion}` in `{{{field}!{conversion}}}` has no counterpart here; give the text itself")
    if not spec:
        return expression
    if formatted := write_number_format(expression, spec):
        return formatted
    raise LossError(f"the format `{spec}` in `{{{field}:{spec}}}` has no counterpart here; give the text itself")


def _by_pattern(pattern: re.Pattern[str], *, whole: str = "") -> Callable[[str, InputNames], PlainText]:
    def read_pattern(text: str, names: InputNames) -> PlainText:
        pieces: list[Piece] = []
        end = 0
        spans = _foreign_spans(pattern, text)
        is_doubled = False
        for match in pattern.finditer(text):
            if any(match.groups()) and _is_foreign(match, spans):
                continue
            pieces.append(text[end : match.start()])
            end = match.end()
            if not (found := _name_of(match)):
                pieces.append(whole)  # a doubled sign
                is_doubled = True
                continue
            name, _, rest = found.partition(".")
            path = f".{rest}" if rest else ""
            line = text.count("\n", 0, match.start()) + 1
            expression = names.input_name(name, shown=match[0], line=line) + path
            spec = match.groupdict().get("format")
            pieces.append(Slot((spec and write_number_format(expression, spec)) or expression))
        pieces.append(text[end:])
        described = (Difference(f"a doubled `{whole}` is a single one, as Python prints it"),) if is_doubled else ()
        unread = find_unread("".join(piece if isinstance(piece, str) else _FILLED for piece in pieces))
        return PlainText(tuple(pieces), (*described, *unread, *names.differences()))

    return read_pattern


def _read_single(text: str, names: InputNames) -> PlainText:
    read = _by_pattern(_SINGLE)(text, names)
    rest = "".join(piece for piece in read.pieces if isinstance(piece, str))
    described = (Difference("braces without a plain name stay as they are"),) if "{" in rest or "}" in rest else ()
    return PlainText(read.pieces, (*described, *read.differences))


def _read_double(text: str, names: InputNames) -> PlainText:
    read = _by_pattern(_DOUBLE)(text, names)
    unread = find_unread(_DOUBLE.sub(lambda match: "x" * len(match[0]), text))
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
    for match in _NUMBERED.finditer(text):
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
    "ruby": _by_pattern(_RUBY),
    "dollar": _by_pattern(_DOLLAR, whole="$"),
    "angle": _by_pattern(_ANGLE),
    "numbered": _read_numbered,
    "percent": _by_pattern(_PERCENT, whole="%"),
    "square": _by_pattern(_SQUARE),
    "tag": _by_pattern(_TAG),
    "capitals": _by_pattern(_CAPITALS),
}
"""Readers by the name of the syntax: from text and names to PlainText."""
