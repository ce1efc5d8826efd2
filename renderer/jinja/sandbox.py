"""The sandboxed Jinja environment of one document and its includes."""

import re
from collections.abc import Callable, Iterable, Mapping
from functools import cache
from types import BuiltinMethodType
from typing import Any

from jinja2 import Environment, Template, nodes
from jinja2.exceptions import SecurityError, TemplateNotFound, UndefinedError
from jinja2.lexer import Lexer, TokenStream
from jinja2.parser import Parser
from jinja2.runtime import Context, LoopContext, Macro, StrictUndefined, Undefined
from jinja2.sandbox import ImmutableSandboxedEnvironment, safe_range
from jinja2.utils import Cycler, Joiner, Namespace, missing

from promptuary.renderer.errors import DocumentError, LimitError, RenderError
from promptuary.renderer.jinja.code_generator import PieceGenerator, PlainRun
from promptuary.renderer.jinja.error_texts import MissingValue, explain_missing_value, hide_values
from promptuary.renderer.jinja.methods import BoundedFormatter, check_method
from promptuary.renderer.jinja.operators import FILTERS, OPERATORS, keep_value
from promptuary.renderer.jinja.output import (
    CapturedText,
    FragmentText,
    Piece,
    Unprintable,
    WrittenText,
    convert_to_text,
    join_values,
    keeps_escapes,
)
from promptuary.renderer.jinja.source import Literal, Located, Unit, has_escapes, locate_tokens, unescape
from promptuary.renderer.part import Site
from promptuary.renderer.problems import Place

__all__ = [
    "GLOBALS",
    "MAX_OUTPUT",
    "Missing",
    "NameTagParser",
    "Sandbox",
    "make_lexer",
    "make_limit_error",
]


class Missing(StrictUndefined):
    """An undefined that reports where it was looked up, and fails on every use, `repr` included."""

    __slots__ = ()

    def __init__(
        self, hint: str | None = None, obj: Any = missing, name: Any = None, exc: Any = UndefinedError
    ) -> None:
        raises: Any = self._build_missing if exc is UndefinedError else exc
        super().__init__(hint, obj, name, raises)

    def _build_missing(self, message: str) -> MissingValue:
        owner, looked_for = self._undefined_obj, self._undefined_name
        name = str(looked_for) if isinstance(looked_for, str | int) else None
        is_plain = bool(self._undefined_hint) or owner is missing
        kind = "key" if isinstance(looked_for, str) else "item"
        return MissingValue(message, name, "" if is_plain else f"{_describe(owner)} does not have that {kind}")

    @property
    def _undefined_message(self) -> str:
        if self._undefined_hint:
            return self._undefined_hint
        name, owner = self._undefined_name, self._undefined_obj
        if owner is missing:
            return f"`{name}` is not given"
        subject = f"the key `{name}`" if isinstance(name, str) else f"the item {name}"
        return f"{_describe(owner)} does not have {subject}"

    # A list that contains it must not print either.
    __repr__ = Undefined._fail_with_undefined_error


def _describe(owner: Any) -> str:
    if owner is None:
        return "None"
    names: dict[type, str] = {dict: "this mapping", list: "this list", str: "this text"}
    return names.get(type(owner), f"this {type(owner).__name__}")


GLOBALS: Mapping[str, Callable[..., Any]] = {
    "range": safe_range,
    "dict": dict,
    "namespace": Namespace,
    "cycler": Cycler,
    "joiner": Joiner,
    "escape_special_characters": keep_value,
}
"""What every template may call besides the shaping functions and the caller's own functions."""


MAX_OUTPUT = 8_000_000
"""The most characters that a rendering may produce; each piece counts as one more."""

_MOVED_BY_METHODS = {"replace": (0, 2), "join": (0, 1)}
_COUNTERS = frozenset(("index", "index0", "first", "last", "length", "revindex", "revindex0"))

# Text without a brace, then a tag of an ASCII name without a sign that strips white space.
_NAME_TAG = re.compile(r"([^{]*)(\{\{)(\s*)([A-Za-z_][A-Za-z0-9_]*)(\s*)(\}\})")
_TOKENS = ("data", "variable_begin", "whitespace", "name", "whitespace", "variable_end")
_CONSTANTS = frozenset(("true", "True", "false", "False", "none", "None", "not"))


@cache
def make_lexer() -> Lexer:
    """Make the lexer of sandboxes, which reads a text and the name tag after it in one step.

    It isn't Jinja's cached lexer, as other environments of this process may use that one.
    """
    lexer = Lexer(Environment(keep_trailing_newline=True))  # noqa: S701 -- a prompt is not a web page
    root = lexer.rules["root"]
    root.insert(0, type(root[0])(_NAME_TAG, _TOKENS, None))
    return lexer


class NameTagParser(Parser):
    """Parses the expression of a name tag without a call for each level of precedence."""

    def parse_tuple(self, *args: Any, **options: Any) -> Any:
        token = self.stream.current
        if token.type != "name" or token.value in _CONSTANTS or self.stream.look().type != "variable_end":
            return super().parse_tuple(*args, **options)
        next(self.stream)
        return nodes.Name(token.value, "load", lineno=token.lineno)


class Sandbox(ImmutableSandboxedEnvironment):
    """Jinja with strict names, limited operators, output in pieces, and fragments in place of files."""

    code_generator_class = PieceGenerator
    intercepted_binops = frozenset(OPERATORS)
    joined = staticmethod(join_values)

    def __init__(self, functions: Mapping[str, Callable[..., Any]], *, spells: bool = True) -> None:
        """With `spells`, the author's `<|space|>` and backslash-n are escapes."""
        super().__init__(undefined=Missing, autoescape=False, keep_trailing_newline=True, cache_size=0)
        self.globals = {**GLOBALS, **functions}
        self.filters = {**{name: call for name, call in functions.items() if name not in FILTERS}, **FILTERS}
        self.binop_table = {**self.default_binop_table, **OPERATORS}
        self.units: dict[str, Unit] = {}
        self.literals: list[Literal] = []
        self.texts: list[str] = []
        self.sites: list[Site] = []
        self.runs: list[PlainRun] = []
        self.ordinary = True
        self.spells = spells
        self._reading: dict[str, Located] = {}

    def unit(self, name: str | None) -> Unit:
        return self.units[name or ""]

    def _parse(self, source: str, name: str | None, filename: str | None) -> nodes.Template:
        return NameTagParser(self, source, name, filename).parse()

    def _tokenize(
        self, source: str, name: str | None, filename: str | None = None, state: str | None = None
    ) -> TokenStream:
        located = locate_tokens(make_lexer(), source, name)
        self._reading[name or ""] = located
        return TokenStream(make_lexer().wrap(iter(located.tokens), name, filename), name, filename)

    def located(self, name: str) -> Located:
        """Return the tokens of the source last parsed under this name."""
        return self._reading.pop(name)

    def get_template(self, name: Any, parent: str | None = None, globals: Any = None) -> Template:
        unit = self.units.get(name) if isinstance(name, str) and name else None
        if unit is None or unit.template is None:
            raise TemplateNotFound(str(name))
        return unit.template

    def getattr(self, obj: Any, attribute: str) -> Any:
        """For a mapping `x`, `x.items` is the key, or else the method."""
        kind = type(obj)
        if kind is dict:
            value = obj.get(attribute, missing)
            if value is not missing:
                return value
        elif kind is LoopContext and attribute in _COUNTERS:
            return getattr(obj, attribute)
        return super().getattr(obj, attribute)

    def getitem(self, obj: Any, argument: Any) -> Any:
        if type(obj) is dict and argument not in obj:
            return self.undefined(obj=obj, name=argument)
        return super().getitem(obj, argument)

    def is_safe_attribute(self, obj: Any, attr: str, value: Any) -> bool:
        if isinstance(obj, Macro | Context | Template) or attr in ("pieces", "marks"):
            return False
        return super().is_safe_attribute(obj, attr, value)

    def written(self, text: str) -> WrittenText:
        """Wrap a constant of the author's that contains escapes."""
        return WrittenText(text, unescape(text))

    def call(self, context: Context, called: Any, /, *args: Any, **kwargs: Any) -> Any:
        """Call; methods of texts process the author's escapes, as filters do."""
        owner = getattr(called, "__self__", None)
        if not self.is_safe_callable(called):
            raise SecurityError(f"`{getattr(called, '__name__', type(called).__name__)}` may not be called")
        if isinstance(called, BuiltinMethodType):
            check_method(called.__name__, owner, args, kwargs)
        if not isinstance(owner, str) or not isinstance(called, BuiltinMethodType):
            return super().call(context, called, *args, **kwargs)
        positions = _MOVED_BY_METHODS.get(called.__name__, (0,))
        return keeps_escapes(getattr(str, called.__name__), positions)(owner, *args, **kwargs)

    def wrap_str_format(self, value: Any) -> Callable[..., str] | None:
        """`format` and `format_map` with limits; the author's format strings are plain text with escapes replaced."""
        owner = getattr(value, "__self__", None)
        name = getattr(value, "__name__", "")
        if not isinstance(owner, str) or name not in ("format", "format_map"):
            return None
        text = owner.cooked if isinstance(owner, WrittenText) else str.__str__(owner)
        if name == "format":
            return lambda *args, **kwargs: BoundedFormatter(self).vformat(text, args, kwargs)
        return lambda values: BoundedFormatter(self).vformat(text, (), values)

    def concat(self, pieces: Iterable[Piece]) -> CapturedText:
        """Make the result of macros, set blocks, calls and super()."""
        flat: list[Piece] = []
        texts: list[str] = []
        size = 0
        for piece in pieces:
            if texts:
                size += 1 + len(texts[-1])
                if size > MAX_OUTPUT or len(flat) > MAX_OUTPUT // 8:
                    raise make_limit_error()
            if type(piece) is int:
                flat.append(piece)
                texts.append(self.texts[piece])
                continue
            site, value = piece if type(piece) is tuple else (0, piece)
            if type(value) is CapturedText:
                flat.extend(value.pieces)
            else:
                value = self.printed(site, value)
                flat.append((site, value))
            texts.append(value)
        text = "".join(texts)
        return CapturedText(text, flat, self._join_pieces(flat) if self.spells and has_escapes(text) else None)

    def _join_pieces(self, pieces: Iterable[Piece]) -> str:
        return "".join(unescape(self.texts[piece]) if type(piece) is int else piece[1] for piece in pieces)

    def printed(self, site: int, value: Any) -> str:
        """Return the text of a value at a site; a FragmentText is returned as it is. Raises with the site's place."""
        if type(value) is FragmentText:
            return value
        try:
            return convert_to_text(value)
        except UndefinedError as error:
            site_facts = self.sites[site]
            raise explain_missing_value(error, site_facts) from None
        except LimitError as error:
            site_facts = self.sites[site]
            raise error.located(Place(site_facts.line, site_facts.column)) from None
        except SecurityError as error:
            site_facts = self.sites[site]
            message = f"this is not allowed: {hide_values(str(error), site_facts.expression)}"
            raise DocumentError(message, code="PT207", place=Place(site_facts.line, site_facts.column)) from None
        except Unprintable as error:
            site_facts = self.sites[site]
            message = f"`{site_facts.expression}` prints {error.what}"
            raise RenderError(message, code="PT206", place=Place(site_facts.line, site_facts.column)) from None


def make_limit_error() -> LimitError:
    """The error for a rendering that produces too much."""
    return LimitError(f"this renders to more than {MAX_OUTPUT:,} characters")
