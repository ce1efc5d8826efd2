"""Recognising Python code with prompts, and f-strings amid other text: `prompt = f\"\"\"…{question}…\"\"\"`.

Nothing is run.
"""

import re
from collections.abc import Iterator

from promptuary.renderer.interop.imported import ImportedTemplate, LossError, check_imported, slugify, write_document
from promptuary.renderer.interop.python_prompts import find_prompts
from promptuary.renderer.interop.quoted_text import is_python_string

__all__ = ["KIND", "is_python_source", "makes_prompts", "read_python_prompt"]

KIND = "python"
_OPENING = re.compile(r"""^[ \t]*(?P<name>[A-Za-z_]\w*)[ \t]*=[ \t]*(?:f|F)(?P<quotes>\"{3}|'{3})""", re.MULTILINE)
_MAKES_PROMPTS = re.compile(
    r"\(\s*(?:dspy\.)?Signature\s*\)\s*:|\b\w*PromptTemplate\s*(?:\.\s*from_\w+\s*)?\(|[\"']role[\"']\s*:"
    r"|(?:^|[(,])[ \t]*\w*(?:prompt|template|instruction|system|message)\w*[ \t]*(?::[^=\n]+)?=[ \t]*"
    r"(?:[rbfu]{0,2}[\"'(\[]|(?:textwrap\.)?dedent\(|(?:inspect\.)?cleandoc\()",
    re.IGNORECASE | re.MULTILINE,
)
_FUNCTION = re.compile(r"^[ \t]*def[ \t]+(\w+)", re.MULTILINE)
_FIELD = re.compile(r"\{\{|\}\}|\{([^{}]*)\}")
_INSIDE = {quotes: re.compile(rf"(?:\\.|(?!{quotes}).)*", re.DOTALL) for quotes in ('"""', "'''")}
_ESCAPES = re.compile(r"\\(.)", re.DOTALL)
_CODED = "abfvxuUN01234567"  # a backslash before these is an escape in Python only


def makes_prompts(text: str) -> bool:
    """Whether a text without a file name is Python code with a prompt: a LangChain call, a signature of DSPy, a name
    that says it, or nothing but a string.
    """
    if is_python_string(text):
        text = f"prompt = {text.strip()}"
    if not _MAKES_PROMPTS.search(text):
        return False
    try:
        return bool(find_prompts(text)[0])
    except LossError:
        return False


def is_python_source(text: str) -> bool:
    """Whether the text assigns an f-string of several lines."""
    return _OPENING.search(text) is not None


def read_python_prompt(text: str, stem: str) -> Iterator[ImportedTemplate]:
    """Read a file's f-strings, each as a `shaped` document that renders to the same bytes. Raises LossError."""
    openings = list(_OPENING.finditer(text))
    if not openings:
        raise LossError('there is no f-string of several lines, as in `prompt = f"""…"""`')
    for opening in openings:
        inside = _INSIDE[opening["quotes"]].match(text, opening.end())
        if inside is None or not text.startswith(opening["quotes"], inside.end()):
            raise LossError(f"the f-string on line {text.count(chr(10), 0, opening.start()) + 1} is never closed")
        functions = _FUNCTION.findall(text, 0, opening.start())
        name = functions[-1] if functions else f"{stem} {opening['name']}" if len(openings) > 1 else stem
        body = _write_body(inside[0])
        document = write_document(KIND, {"format": "shaped"}, body)
        yield check_imported(ImportedTemplate(slugify(name), document, KIND), body)


def _write_body(source: str) -> str:
    """Fields must be plain names. A backslash escape that only Python has is refused rather than guessed at."""
    for field in _FIELD.finditer(source):
        if field[1] is not None and not field[1].isidentifier():
            raise LossError(f"`{{{field[1]}}}` is more than a name; give its value as an input")
    return _ESCAPES.sub(_unescape, source)


def _unescape(escape: re.Match[str]) -> str:
    if escape[1] in _CODED:
        raise LossError(f"the escape `{escape[0]}` has another meaning here; write the character itself")
    return {"\n": "", "'": "'", '"': '"'}.get(escape[1], escape[0])
