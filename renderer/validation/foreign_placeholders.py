"""Placeholders of other template languages in a body without its own; they would be sent to the model unchanged.

Only placeholders in the form of a name are detected. Braces of JSON, CSS, LaTeX and code, shell variables, prices and
formulas are ignored, so a placeholder next to them may be missed.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from promptuary.renderer.document.parser import Document
from promptuary.renderer.formats.jinja_body import JinjaBody
from promptuary.renderer.formats.prompter.body import PrompterBody
from promptuary.renderer.formats.shaped.format import ShapedBody
from promptuary.renderer.formats.shaped.parser import Field
from promptuary.renderer.functions import FUNCTIONS
from promptuary.renderer.inputs.declarations import RESERVED
from promptuary.renderer.jinja import GLOBALS
from promptuary.renderer.problems import Edit, Fix, Place, Problem
from promptuary.renderer.syntax import yaml_reader
from promptuary.renderer.validation import fixes

__all__ = ["find_foreign_placeholders"]

_NAME = r"[A-Za-z_]\w*"
_FORMAT = r"(?:![rsa])?(?::(?=[^{}]*[\d<>^.,])[^{}\s]{1,12})?"
_SINGLE = rf"(?<![\w{{}}\\$^/])(?P<sign>[#$%]?)\{{(?P<brace>{_NAME}(?:\.{_NAME})*){_FORMAT}\}}(?!\}})"
_DOUBLED = rf"(?<![{{\\])\{{\{{\s*(?P<doubled>{_NAME})\s*\}}\}}(?!\}})"
_OTHERS = (
    rf"(?<!\{{)\{{\$(?P<braced>{_NAME})\}}(?!\}})",
    r"(?<![\w\\$`{])\$(?P<dollar>[a-z_][a-z\d_]+)(?![\w(\[$])",
    rf"(?<!<)<<(?P<angle>{_NAME})>>(?!>)",
    r"!<(?P<numbered>[A-Za-z]+ ?\d+)>!",
    rf"<%=[ \t]*(?P<erb>{_NAME})[ \t]*-?%>",
    rf"(?<![\w%])%\((?P<percent>{_NAME})\)[sdrf]",
    r"(?<![\w%\"'])(?P<nameless>%s)(?![\w\"'%])",
    r"(?<![\w\[])\[\[(?P<square>[a-z_][a-z\d_]*)\]\](?![\](])",
)
_JINJA_HAS = re.compile("|".join((_SINGLE, *_OTHERS)), re.ASCII)
_BRACES_HAVE = re.compile("|".join((rf"(?<![\w\\])(?P<sign>\$)\{{(?P<brace>{_NAME})\}}", _DOUBLED, *_OTHERS)), re.ASCII)
_FENCED = re.compile(r"^[ \t]*(`{3,}|~{3,})[^\n`]*\n.*?^[ \t]*\1[ \t]*$", re.MULTILINE | re.DOTALL)
# Lines of code and formulas: an f-string, a binding in braces, `$x + y$`, a call of printf.
_CODE_LINE = re.compile(
    r"""\b[fF]["']|\b(?:import|export|const|let|var|function|def|class|printf|echo|return)\b[^"\n]*[{$%]"""
    r"""|\$[^$\n]*[^\s$\w]?\$(?!\w|\{)|;\s*$"""
)
_LIMIT = 20


@dataclass(frozen=True, slots=True)
class _Found:
    """A placeholder: its offsets in the body, its text, and the name of its value."""

    start: int
    end: int
    text: str
    name: str


@dataclass(frozen=True, slots=True)
class _Line:
    """A line without surrounding blanks, and whether it is code or a formula."""

    stripped: str
    is_code: bool


def find_foreign_placeholders(document: Document, body: object) -> Iterator[Problem]:
    """Return a warning for each kind of placeholder; its fix rewrites all of them in the document's format."""
    placeholders = list(_find_all(document, body))
    if not placeholders:
        return
    braces = not isinstance(body, JinjaBody)
    fix = _fix(document, placeholders, braces=braces)
    by_name: dict[str, _Found] = {}
    for placeholder in placeholders:
        by_name.setdefault(placeholder.text, placeholder)
    for placeholder in list(by_name.values())[:_LIMIT]:
        place = document.body_place(placeholder.start, placeholder.end)
        spelling = _write_placeholder(placeholder.name, braces=braces)
        message = (
            f"`{placeholder.text}` reaches the model as it is; a value is written `{spelling}` in the format "
            f"{document.format}"
        )
        yield Problem(
            "PT208",
            "warning",
            message,
            place.line,
            place.column,
            place.end_line,
            place.end_column,
            fix,
            placeholder.name,
        )


def _find_all(document: Document, body: object) -> Iterator[_Found]:
    text = document.body
    pattern = _JINJA_HAS if isinstance(body, JinjaBody) else _BRACES_HAVE
    numbers = 0
    fences = [fence.span() for fence in _FENCED.finditer(text)]
    lines: dict[int, _Line] = {}  # a single line may be the whole text and have thousands of placeholders
    for start, end in _find_own_texts(document, body):
        for match in pattern.finditer(text, start, end):
            groups = match.groupdict()
            name = next(value for key, value in groups.items() if value and key != "sign")
            line_start = text.rfind("\n", 0, match.start()) + 1
            line = lines.get(line_start) or lines.setdefault(line_start, _read_line(text, line_start))
            alone = line.stripped == match[0]
            fenced = any(first <= match.start() < last for first, last in fences)
            if _is_text(match, groups, name, body) or (not alone and (fenced or line.is_code)):
                continue
            if groups.get("nameless"):
                numbers += 1
                name = f"value_{numbers}"
            yield _Found(
                match.start(),
                match.end(),
                match[0],
                _make_usable(name.replace(" ", "_").lower() if " " in name else name),
            )


def _is_text(match: re.Match[str], groups: dict[str, str | None], name: str, body: object) -> bool:
    """Whether it is something else: a shell variable, one of Llama's marks, or reported elsewhere."""
    if groups.get("sign") == "$" and name.isupper():
        return True
    if groups.get("angle") and name in ("SYS", "EOF"):
        return True
    # Shaped documents have their own warnings for `$name`, and for a declared input in double braces.
    if isinstance(body, ShapedBody) and groups.get("dollar"):
        return True
    return match.start() > 0 and match.string[match.start() - 1] == "\\"


def _read_line(text: str, start: int) -> _Line:
    end = text.find("\n", start)
    line = text[start : end if end >= 0 else len(text)]
    return _Line(line.strip(), _CODE_LINE.search(line) is not None)


def _make_usable(name: str) -> str:
    is_taken = name in RESERVED or name in FUNCTIONS or name in GLOBALS
    return f"{name}_value" if is_taken else name


def _write_placeholder(name: str, *, braces: bool) -> str:
    return "{" + name.replace(".", "_") + "}" if braces else "{{ " + name + " }}"


def _find_own_texts(document: Document, body: object) -> Sequence[tuple[int, int]]:
    """The stretches of the body that are sent unchanged; none if it has placeholders of its own."""
    if isinstance(body, JinjaBody):
        tags = body.unit.located.tags
        if any(tag.kind != "comment" for tag in tags):
            return ()
        blank = document.body
        for tag in tags:
            hidden = "".join("\n" if sign == "\n" else " " for sign in blank[tag.start : tag.end])
            blank = blank[: tag.start] + hidden + blank[tag.end :]
        if document.format == "text":
            return _list_gaps([(tag.start, tag.end) for tag in tags], len(blank))
        return _list_contents(blank)
    if isinstance(body, ShapedBody):
        return () if any(isinstance(piece, Field) for piece in body.pieces) else [(0, len(document.body))]
    if isinstance(body, PrompterBody):
        return () if body.slots else _list_contents(document.body)
    return ()


def _list_gaps(spans: Sequence[tuple[int, int]], size: int) -> list[tuple[int, int]]:
    edges = [0, *(edge for span in spans for edge in span), size]
    return list(zip(edges[::2], edges[1::2], strict=True))


_SPOKEN = ("content", "sections", "text", "instruction", "system", "user")


def _list_contents(text: str) -> list[tuple[int, int]]:
    """The places of the contents of parts, or of a prompter's texts; excludes names, comments and the like."""
    try:
        node = yaml_reader.compose(text)
    except yaml_reader.YamlError:
        return []
    return list(_list_scalars(node, spoken=False))


def _list_scalars(node: yaml_reader.Node | None, *, spoken: bool) -> Iterator[tuple[int, int]]:
    if isinstance(node, yaml_reader.Scalar) and spoken:
        yield node.start, node.end
    elif isinstance(node, yaml_reader.Sequence):
        for item in node.items:
            yield from _list_scalars(item, spoken=spoken)
    elif isinstance(node, yaml_reader.Mapping):
        for pair in node.items:
            yield from _list_scalars(pair.value, spoken=pair.key.value in _SPOKEN)


def _fix(document: Document, placeholders: Sequence[_Found], *, braces: bool) -> Fix:
    edits = []
    for placeholder in placeholders:
        place = document.body_place(placeholder.start, placeholder.end)
        edits.append(_edit(place, _write_placeholder(placeholder.name, braces=braces)))
    names = dict.fromkeys(
        placeholder.name.replace(".", "_") if braces else placeholder.name.split(".")[0] for placeholder in placeholders
    )
    fixes_needed = [fixes.declare_input(document, name, {}) for name in names if name not in (document.inputs or {})]
    first = [edit for cure in fixes_needed if cure is not None for edit in cure.edits]
    if first:
        place = Place(first[0].line, first[0].column, first[0].end_line, first[0].end_column)
        edits.insert(0, _edit(place, _join_texts([edit.text for edit in first])))
    example = _write_placeholder(placeholders[0].name, braces=braces)
    return Fix(f"Write {'it' if len(placeholders) == 1 else 'them all'} as `{example}`", tuple(edits))


def _join_texts(texts: Sequence[str]) -> str:
    """Combine declarations at one place: in flow style each ends with a comma, except the last if nothing follows."""
    if len(texts) < 2 or texts[0].endswith(("\n", ", ")):
        return "".join(texts)
    return ", ".join(texts)


def _edit(place: Place, text: str) -> Edit:
    return Edit(place.line, place.column, place.end_line or place.line, place.end_column or place.column, text)
