"""Jinja texts of other systems as pieces. The tags are the same; white space and missing names work differently."""

import re
from collections.abc import Iterator

from promptuary.renderer.functions import FUNCTIONS
from promptuary.renderer.interop.imported import Difference, LossError
from promptuary.renderer.interop.input_names import InputNames
from promptuary.renderer.interop.item_values import write_item_value
from promptuary.renderer.interop.pieces import Piece, Slot, Statement
from promptuary.renderer.interop.placeholders import PlainText
from promptuary.renderer.interop.tag_search import STRINGS, TagKind, TagSyntax
from promptuary.renderer.interop.unread_signs import find_unread
from promptuary.renderer.jinja import GLOBALS
from promptuary.renderer.jinja.operators import FILTERS

__all__ = ["has_statements", "read_jinja"]

_END_RAW = r"\{%[-+]?\s*+endraw\s*+[-+]?%\}"
_TAGS = TagSyntax(
    r"\{[%#{]",
    TagKind(rf"\{{%[-+]?\s*+raw\s*+-?%\}}(?P<raw>.*?){_END_RAW}", end=_END_RAW),
    TagKind(r"(?P<comment>\{\#.*?\#\})", end=r"\#\}"),
    TagKind(rf"(?P<block>\{{%(?>(?:{STRINGS}|[^'\"%]++|%(?!\}}))*)%\}})", end=r"%\}", has_strings=True),
    TagKind(rf"(?P<print>\{{\{{(?>(?:{STRINGS}|[^'\"}}]++|\}}(?!\}}))*)\}}\}})", end=r"\}\}", has_strings=True),
)
_STRING = re.compile(STRINGS)
_FILTER = re.compile(r"(?<!\|)\|\s*([^\W\d]\w*)")
_CALL = re.compile(r"(?<![\w.])([^\W\d][\w.]*)\.([^\W\d]\w*)\(\)")
_FUNCTION = re.compile(r"(?<![\w.|])([^\W\d]\w*)[ \t]*\(")
_METHOD = re.compile(r"(?<!\bloop)\.([^\W\d]\w*)[ \t]*\((?![ \t]*\))")  # called with arguments
_BEFORE_CALL = re.compile(r"\|\s*$|\bis\s+(?:not\s+)?$")  # filters and tests
_MAX_BEFORE_CALL = 200  # characters searched for it: all that precede each call would take quadratic time
_STATEMENT = re.compile(
    r"(?P<start>\{%[-+]?\s*(?P<word>for\s[^%]*?\sin|if|elif|set\s+\w+\s*=)\s)(?P<expression>.*?)(?P<end>\s*[-+]?%\})",
    re.DOTALL,
)
_GIVEN = {"for": "give the list", "if": "give true or false", "elif": "give true or false", "set": "give its value"}
_LOOPS = re.compile(r"\{%[-+]?\s*for\s+([^%]*?)\sin\b")
_VALUE = re.compile(r"(?<![\w.'\"|])[^\W\d]\w*(?:\.[^\W\d]\w*(?![\w(]))*")
_BINDS = re.compile(r"\{%[-+]?\s*(?:for\s+(?=[^%]*?\sin\b)|macro\s|set\s|call\s*\()([^%=]*?)(?:\sin\b|=|%|\)\s*-?%)")
_WORD = re.compile(r"[^\W\d]\w*")
_OWN_FUNCTIONS = {*FUNCTIONS, *GLOBALS, "raise_exception", "fragment", "super", "caller", "loop", "now"}
_WORDS = {"not", "and", "or", "in", "is", "if", "elif", "else", "for", "call", "set", "filter", "with", "do"}
_METHODS = {name for kind in (str, dict, list) for name in dir(kind)}
_PLAIN = re.compile(r"\{\{\s*([^\W\d]\w*(?:-[^\W\d]\w*)*(?:\.[^\W\d]\w*)*)\s*\}\}")
_STARTS_NAME = re.compile(r"\{\{[-+]?\s*[^\W\d]")
_FILES = re.compile(r"\{%[-+]?\s*(include|import|from|extends)\b\s*([^%]*)")
_LENIENT = Difference("a name that is not given is an error here; there it prints nothing")


def has_statements(text: str) -> bool:
    """Whether the text has a Jinja block, a comment, or an expression that is more than a dotted name."""
    for tag in _TAGS.find_tags(text):
        if tag["raw"] is not None or tag["comment"] or tag["block"]:
            return True
        if not _PLAIN.fullmatch(tag["print"]) and _STARTS_NAME.match(tag["print"]):
            return True
    return False


def read_jinja(
    text: str,
    names: InputNames | None = None,
    *,
    trim_blocks: bool = False,
    lstrip_blocks: bool = False,
    drop_last_newline: bool = True,
) -> PlainText:
    """Read the text as pieces. The three options are those of a Jinja environment. Raises LossError with the line.

    The program's own methods and filters aren't available here: their results become keys of the object, or inputs.
    """
    names = names or InputNames()
    differences: list[Difference] = []
    if drop_last_newline and text.endswith("\n"):
        text = text.removesuffix("\n")
        differences.append(Difference("the last line end is left out, as Jinja does"))
    code = _ForeignCode(text, names)
    pieces = [code.replace(piece) for piece in _split(text, trim_blocks, lstrip_blocks)]
    differences += code.differences
    if any(not isinstance(piece, str) for piece in pieces):
        differences.append(_LENIENT)
    differences += find_unread("".join(piece if isinstance(piece, str) else "\0" for piece in pieces), braces=False)
    return PlainText(tuple(pieces), (*dict.fromkeys(differences), *names.differences()))


class _ForeignCode:
    """Rewrites tags to do without the program's own functions, methods and filters. Methods raise LossError."""

    def __init__(self, text: str, names: InputNames) -> None:
        self.names = names
        self.differences: list[Difference] = []
        self.bound = _find_bound_names(text)
        self.items = [name for loop in _LOOPS.finditer(text) for name in _WORD.findall(loop[1])]
        self.with_keys = {item for item in self.items if re.search(rf"\b{item}\.", text)}

    def replace(self, piece: Piece) -> Piece:
        """The piece, with inputs or keys of items for what only its program can call."""
        if not isinstance(piece, Statement):
            return piece
        if foreign := self._find_foreign(piece.source):
            return self._write_result(piece.source, foreign)
        replaced = _CALL.sub(self._replace_call, piece.source)
        if replaced == piece.source:
            return piece
        plain = _PLAIN.fullmatch(replaced)
        return Slot(plain[1]) if plain else Statement(replaced)

    def _find_foreign(self, tag: str) -> str:
        """The first filter or function of its program in a tag; empty if there is none."""
        source = _STRING.sub("''", tag)
        function = _find_foreign_function(source, self.bound)
        return function or next((name for name in _FILTER.findall(source) if name not in FILTERS), "")

    def _write_result(self, tag: str, foreign: str) -> Piece:
        statement = None if tag.startswith("{{") else _STATEMENT.fullmatch(tag)
        if statement is None and not tag.startswith("{{"):
            raise LossError(f"`{foreign}()` is a function of its program; give what it returns as an input")
        expression = statement["expression"] if statement else tag.strip("{}-+ \n\t")
        word = statement["word"].split()[0] if statement else ""
        if word == "for" and re.search(r"\sif\s", expression):
            raise LossError(f"`{foreign}()` is a function of its program; give what it returns as an input")
        written = self._name_result(expression, foreign, _GIVEN.get(word, "give the text that this expression prints"))
        if statement:
            return Statement(statement["start"] + written + statement["end"])
        return Slot(written)

    def _name_result(self, expression: str, foreign: str, reason: str) -> str:
        plain = _STRING.sub("''", expression)
        paths = _VALUE.findall(plain)
        own = {path.partition(".")[0] for path in paths}
        items = [item for item in self.items if item in own]
        is_whole = not any(item in self.with_keys for item in items)
        if item_value := write_item_value(expression, paths, items, may_be_whole=is_whole):
            self.differences.append(item_value[1])
            return item_value[0]
        if self.bound.difference(self.items).intersection(own):
            raise LossError(f"`{foreign}()` is a function of its program; give what it returns as an input")
        input_name = re.sub(r"\W+", "_", expression)[:60] + " "
        return self.names.input_name(input_name, shown=expression, reason=reason)

    def _replace_call(self, call: re.Match[str]) -> str:
        if call[2] in _METHODS:
            return call[0]
        self.differences.append(
            Difference(f"`{call[1]}.{call[2]}()` is the key `{call[2]}`: give there what the call returns")
        )
        return f"{call[1]}.{call[2]}"


def _find_foreign_function(source: str, bound: set[str]) -> str:
    """The first function or method called in a tag that is neither available here nor defined in the text; else empty.

    Methods without arguments are left out: their results become keys.
    """
    known_names = _OWN_FUNCTIONS | _WORDS | bound
    calls = (
        call
        for call in _FUNCTION.finditer(source)
        if not _BEFORE_CALL.search(source, max(0, call.start() - _MAX_BEFORE_CALL), call.start())
    )
    methods = (call[1] for call in _METHOD.finditer(source) if call[1] not in _METHODS)
    return next((call[1] for call in calls if call[1] not in known_names), "") or next(methods, "")


def _find_bound_names(text: str) -> set[str]:
    """The names bound by the text's loops, macros and assignments, whose values vary within the text."""
    return {name for bound in _BINDS.finditer(text) for name in _WORD.findall(bound[1])}


def _split(text: str, trim_blocks: bool, lstrip_blocks: bool) -> Iterator[Piece]:
    end = 0
    before = ""  # the tag before the next text
    for tag in _TAGS.find_tags(text):
        if files := _FILES.match(tag[0]):
            line = text.count("\n", 0, tag.start()) + 1
            raise LossError(
                f"`{files[1]} {files[2].strip(' -+')}` takes in another file; write its text in place", line
            )
        yield from _read_text(text[end : tag.start()], before, tag[0], trim_blocks, lstrip_blocks)
        end, before = tag.end(), tag[0]
        if tag["raw"] is not None:
            yield tag["raw"]
        elif plain := _PLAIN.fullmatch(tag[0]):
            yield Slot(plain[1])
        else:
            yield Statement(tag[0])
    yield from _read_text(text[end:], before, "", trim_blocks, lstrip_blocks)


def _read_text(text: str, before: str, after: str, trim_blocks: bool, lstrip_blocks: bool) -> Iterator[str]:
    """The text between two tags as the environment prints it."""
    if not text:
        return
    line = text.rpartition("\n")[2]
    is_line_start = line != text or not before
    if before.endswith(("-%}", "-}}", "-#}")):
        text = text.lstrip() if not after else text
    elif trim_blocks and before.endswith(("%}", "#}")) and not before.endswith(("+%}", "+#}")):
        text = text.removeprefix("\n")
    if after.startswith(("{%-", "{{-", "{#-")):
        text = text.rstrip() if not before else text
    elif lstrip_blocks and after.startswith(("{%", "{#")) and after[2:3] != "+" and is_line_start:
        text = text[: len(text) - len(line)] if not line.strip(" \t") else text
    if text:
        yield text
