"""Messages of errors in templates, which quote no value of a caller's."""

import re

from jinja2.exceptions import UndefinedError

from promptuary.renderer.errors import InputError
from promptuary.renderer.part import Site
from promptuary.renderer.problems import Place

__all__ = ["MissingValue", "explain_missing_value", "find_dotted_path", "hide_values"]

_QUOTED = re.compile(r"""'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*\"""", re.DOTALL)
_TYPES = frozenset(
    ("NoneType", "bool", "builtin_function_or_method", "dict", "float", "int", "list", "range", "str", "tuple")
)


class MissingValue(UndefinedError):
    """A missing value was used; `name` is the name that was looked up, which may itself be a caller's value."""

    def __init__(self, message: str, name: str | None = None, unnamed: str = "") -> None:
        super().__init__(message)
        self.name = name
        self._unnamed = unnamed or message

    def describe_within(self, expression: str) -> tuple[str, str | None]:
        """Return the message and the name if the author's expression has the name, else a neutral message and None."""
        if self.name is not None and self.name in expression:
            return str(self.message), None if self.name.lstrip("-").isdigit() else self.name
        return self._unnamed, None


def explain_missing_value(error: UndefinedError, site: Site) -> InputError:
    """The error for a missing value, naming the expression that used it."""
    message, name = (
        error.describe_within(site.expression) if isinstance(error, MissingValue) else (str(error.message), None)
    )
    if f"`{site.expression}`" not in message:
        message = f"`{site.expression}`: {message}"
    variable = find_dotted_path(name, site.expression)
    return InputError(message, code="PT401", place=Place(site.line, site.column), variable=variable)


def hide_values(message: str, expression: str) -> str:
    """A message of Jinja or Python without quoted text, except what the author wrote and type names."""

    def hide(quoted: re.Match[str]) -> str:
        word = quoted.group()[1:-1]
        return quoted.group() if word in expression or word in _TYPES else "'…'"

    return _QUOTED.sub(hide, message)


def find_dotted_path(name: str | None, expression: str) -> str | None:
    """The dotted path that ends in `name` as spelled in an expression: `customer.tier` for `tier`."""
    if name is None or not name.isidentifier():
        return name
    match = re.search(rf"(?:[A-Za-z_]\w*\.)*\b{name}\b", expression)
    return match.group() if match else name
