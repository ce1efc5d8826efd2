"""A text that is one string of Python or JavaScript, pasted with its quotes."""

import ast
import re
import warnings

from promptuary.renderer.interop.imported import LossError
from promptuary.renderer.interop.javascript_tokens import read_tokens

__all__ = ["is_javascript_string", "is_python_string"]

# Triple quotes, or an f-string; in other quotes, prose is quoted too, so there has to be an escaped sign.
_PYTHON = re.compile(r"(?i:[fr]|rf|fr|b|u)?(?:\"{3}|'{3})|(?i:f|rf|fr)[\"']|[\"'](?=[^\n]*\\[n\"'])")
_MIN_LENGTH = 20  # characters


def is_python_string(text: str) -> bool:
    """Whether the whole text is a string or an f-string of Python."""
    code = text.strip()
    if len(code) < _MIN_LENGTH or not _PYTHON.match(code) or code[-1] not in "\"'":
        return False
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # an unknown escape, such as `\d`
            body = ast.parse(code, mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return isinstance(body, ast.JoinedStr) or (isinstance(body, ast.Constant) and isinstance(body.value, str))


def is_javascript_string(text: str) -> bool:
    """Whether the whole text is a template literal of JavaScript."""
    code = text.strip()
    if len(code) < _MIN_LENGTH or code[0] != "`" or code[-1] != "`" or code.startswith("```"):
        return False
    try:
        tokens, _ = read_tokens(code)
    except LossError:
        return False
    return len(tokens) == 1
