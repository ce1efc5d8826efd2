"""Everything that an editor needs about a document: its problems, its undeclared inputs, and a preview.

The results are those of `validate`, `find_undeclared_inputs` and `render_with_placeholders`. Together they parse and
compile the document only once.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from promptuary.renderer.document import parser as documents
from promptuary.renderer.errors import RenderError
from promptuary.renderer.problems import Problem
from promptuary.renderer.prompt import Prompt
from promptuary.renderer.template import Template, load
from promptuary.renderer.validation.placeholder_preview import render_with_placeholders
from promptuary.renderer.validation.undeclared_inputs import (
    InputUses,
    UndeclaredInputs,
    find_undeclared_names,
    try_to_infer_inputs,
)
from promptuary.renderer.validation.validator import Samples, validate_and_compile

__all__ = ["Examination", "Preview", "examine_document"]


@dataclass(frozen=True)
class Preview:
    """The prompts with placeholders for missing values, and the placeholders' paths; or the error that was raised."""

    prompts: list[Prompt]
    placeholders: list[str]
    error: RenderError | None = None


@dataclass(frozen=True)
class Examination:
    """The results of an examination."""

    problems: list[Problem]
    undeclared: UndeclaredInputs
    preview: Preview


def examine_document(
    text: str,
    data: Mapping[str, Any],
    samples: Samples | None = None,
    *,
    fragments: Mapping[str, str] | None = None,
    profile: Mapping[str, Any] | str | None = None,
) -> Examination:
    """Check a document with its samples, and render a preview with data.

    `fragments` are the texts by reference as written. Never raises for what authors write.
    """
    fragment_texts = fragments or {}
    problems, template = validate_and_compile(text, samples, fragments=fragment_texts, profile=profile)
    document, _ = documents.inspect_document(text)
    if document is None:
        return Examination(problems, UndeclaredInputs(), _preview(text, template, fragment_texts, profile, data, None))
    used = try_to_infer_inputs(document, fragment_texts, template.body if template else None)
    undeclared = find_undeclared_names(document, fragment_texts, used)
    return Examination(problems, undeclared, _preview(text, template, fragment_texts, profile, data, used))


def _preview(
    text: str,
    template: Template | None,
    fragments: Mapping[str, str],
    profile: Mapping[str, Any] | str | None,
    data: Mapping[str, Any],
    used: InputUses | None,
) -> Preview:
    try:
        compiled = template or load(text, fragments=fragments, profile=profile)
        return Preview(*render_with_placeholders(compiled, data, used))
    except RenderError as error:
        return Preview([], [], error)
