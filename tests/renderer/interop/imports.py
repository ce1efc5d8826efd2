"""Helpers for the tests of imports: from a file's text to its rendered prompts."""

import json
from typing import Any

from promptuary import renderer
from promptuary.renderer.interop.imported import ImportedTemplate
from promptuary.renderer.interop.reading import read_templates

__all__ = ["list_differences", "read_one", "render_messages", "render_text"]


def read_one(path: str, content: Any, source_format: str = "") -> ImportedTemplate:
    """The only template of a file; `content` is its text, or a value that is written as JSON."""
    text = content if isinstance(content, str) else json.dumps(content)
    (template,) = read_templates(path, text.encode(), source_format)
    return template


def render_text(template: ImportedTemplate, **data: Any) -> str:
    """The rendered text of a template of one text."""
    ((_, content),) = render_messages(template, **data)
    return str(content)


def render_messages(template: ImportedTemplate, **data: Any) -> list[tuple[str, Any]]:
    """Role and content of each rendered part."""
    prompt = renderer.load(template.document).render(data)
    return [(part.role, part.content) for part in prompt.parts]


def list_differences(template: ImportedTemplate) -> str:
    """The differences, a line each."""
    return "\n".join(map(str, template.differences))
