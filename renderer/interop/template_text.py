"""Texts of other systems as pieces, in the template language that their format specifies or that they look like."""

import re
from collections.abc import Callable
from functools import partial

from promptuary.renderer import validate
from promptuary.renderer.interop.erb import has_erb_tags, read_erb
from promptuary.renderer.interop.go_text import has_actions, read_go
from promptuary.renderer.interop.handlebars import has_sections, read_handlebars, read_mustache
from promptuary.renderer.interop.imported import LossError
from promptuary.renderer.interop.input_names import InputNames
from promptuary.renderer.interop.jinja_text import has_statements, read_jinja
from promptuary.renderer.interop.kernel_text import read_kernel_text
from promptuary.renderer.interop.liquid import has_liquid_tags, read_liquid
from promptuary.renderer.interop.placeholder_syntax import find_syntax
from promptuary.renderer.interop.placeholders import SYNTAXES, PlainText, read_placeholders
from promptuary.renderer.interop.printed_booleans import write_booleans
from promptuary.renderer.interop.unread_signs import find_unread

_JINJA_TAG = re.compile(
    r"\{%[-+]?\s*(?:if|elif|else|for|set|macro|block|extends|include|import|from|call|filter|raw|with|autoescape|do"
    r"|trans|continue|break|debug|generation|end\w+)\b"
)
_KERNEL = re.compile(r"\{\{\s*\$\w+\s*\}\}")

__all__ = ["LANGUAGES", "find_language", "read_template_text"]

_READERS: dict[str, Callable[[str, InputNames], PlainText]] = {
    "jinja": read_jinja,
    "jinja-trimmed": partial(read_jinja, trim_blocks=True, lstrip_blocks=True),
    "nunjucks": lambda text, names: write_booleans(read_jinja(text, names, drop_last_newline=False)),
    "mustache": read_mustache,
    "handlebars": read_handlebars,
    "go": read_go,
    "erb": read_erb,
    "liquid": read_liquid,
    "semantic-kernel": read_kernel_text,
}
LANGUAGES = (*SYNTAXES, *_READERS)
"""`jinja-trimmed` is Jinja with `trim_blocks` and `lstrip_blocks`; `nunjucks` keeps the last line end."""


def find_language(text: str) -> str:
    """Detect the language of a text without a format."""
    if has_liquid_tags(text):
        return "liquid"
    if _JINJA_TAG.search(text) and "%}" in text:
        return "jinja"
    if has_actions(text):
        return "go"
    if has_erb_tags(text):
        return "erb"
    if _KERNEL.search(text):
        return "semantic-kernel"
    syntax = find_syntax(text)
    if syntax in ("double", "none") and "{{" in text:
        if has_sections(text):
            return "handlebars"
        if has_statements(text) and _is_jinja(text):
            return "jinja"
    return syntax


def _is_jinja(text: str) -> bool:
    """Whether Jinja can parse the text at all; its braces may also be plain text."""
    return all(problem.code != "PT201" for problem in validate(f"---\nformat: text\n---\n{text}"))


def read_template_text(text: str, language: str, names: InputNames) -> PlainText:
    """Read the text as pieces; `language` is one of LANGUAGES, or empty to detect it. Raises LossError."""
    if not language and (language := find_language(text)) == "none":
        return PlainText((text,), tuple(find_unread(text)))
    if language in SYNTAXES:
        return read_placeholders(text, language, names)
    if language not in _READERS:
        raise LossError(f"there is no template language {language}; there are {', '.join(LANGUAGES)}")
    return _READERS[language](text, names)
