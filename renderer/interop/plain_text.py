"""Plain text and Markdown as one text; its placeholders are detected, or known from the file's suffix."""

import re

from promptuary.renderer.interop.go_text import has_actions
from promptuary.renderer.interop.imported import ImportedTemplate, LossError
from promptuary.renderer.interop.input_names import InputNames
from promptuary.renderer.interop.placeholder_syntax import describe_guess
from promptuary.renderer.interop.source_file import SourceFile, read_foreign_yaml
from promptuary.renderer.interop.template_builder import TemplateBuilder
from promptuary.renderer.interop.template_text import find_language, read_template_text

__all__ = ["KIND", "LANGUAGE_OF_SUFFIX", "LANGUAGE_TITLES", "read_plain_text", "split_front_matter"]

KIND = "text"
LANGUAGE_TITLES = {
    "jinja": "Jinja",
    "handlebars": "Handlebars, Mustache",
    "mustache": "Mustache",
    "go": "Go",
    "erb": "ERB, EEx",
    "liquid": "Liquid",
}
"""The template languages with statements that are reported as the format of a text, and their titles."""
LANGUAGE_OF_SUFFIX = {
    **dict.fromkeys((".j2", ".jinja", ".jinja2", ".tmpl"), "jinja"),
    **dict.fromkeys((".hbs", ".handlebars"), "handlebars"),
    ".mustache": "mustache",
    ".njk": "nunjucks",
    **dict.fromkeys((".erb", ".eex"), "erb"),
    ".liquid": "liquid",
}
_FRONT = re.compile(r"\A---[ \t]*\n(.*?\n)---[ \t]*(?:\n|\Z)", re.DOTALL)


def read_plain_text(source: SourceFile, language: str = "") -> list[ImportedTemplate]:
    """Read the text as one template; `language` is one of template_text.LANGUAGES, or empty to detect it.

    The format of the template is the language if LANGUAGE_TITLES has it, else KIND. Raises LossError.
    """
    builder = TemplateBuilder(KIND, source.stem)
    text = source.text
    front, body = split_front_matter(source)
    if front is not None and (source.suffix in (".md", ".markdown") or _describes_prompt(source, front)):
        text = body
        description = front.pop("description", "")
        builder.front["description"] = description if isinstance(description, str) else ""
        builder.name = str(front.pop("name", "") or source.stem)
        if front:
            builder.differ(f"front matter is left out: {', '.join(sorted(front))}", 1)
    if error := source.find_json_error():
        builder.differ(f"it is read as plain text: {error.message}", error.line)
    names = InputNames()
    if source.suffix == ".tmpl" and has_actions(text):
        language = language or "go"
    language = language or LANGUAGE_OF_SUFFIX.get(source.suffix, "")
    detected = language or find_language(text)
    if not language and (guess := describe_guess(text, detected)):
        builder.add_differences([guess])
    if detected in LANGUAGE_TITLES:
        builder.source_format = detected
    plain = read_template_text(text, language, names)
    builder.add_differences(plain.differences)
    return [builder.build_text(plain.pieces)]


def _describes_prompt(source: SourceFile, front: dict[str, object]) -> bool:
    """Whether a text without a file's suffix has front matter of a prompt: of an agent, a skill or a command."""
    return source.suffix in ("", ".txt") and isinstance(front.get("description"), str)


def split_front_matter(source: SourceFile) -> tuple[dict[str, object] | None, str]:
    """Split off the mapping between `---` lines at the start; None and the whole text without one."""
    match = _FRONT.match(source.text)
    if match is None:
        return None, source.text
    try:
        front = read_foreign_yaml(match[1])
    except LossError:
        return None, source.text
    return (front, source.text[match.end() :]) if isinstance(front, dict) else (None, source.text)
