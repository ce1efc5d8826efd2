"""Prompt templates: read, check, render, count and fit them. Knows nothing of servers."""

from renderer.digest import ENGINE, digest
from renderer.document import Document
from renderer.errors import (
    DocumentError,
    EngineError,
    FragmentError,
    InputError,
    LimitError,
    OutputError,
    ProfileError,
    RenderError,
    TokenizerError,
    TruncationError,
)
from renderer.problems import Edit, Fix, Problem
from renderer.prompt import Cut, Part, Prompt, Span, Stamp
from renderer.template import Template, from_bundle, load

__all__ = [
    "ENGINE",
    "Cut",
    "Document",
    "DocumentError",
    "Edit",
    "EngineError",
    "Fix",
    "FragmentError",
    "InputError",
    "LimitError",
    "OutputError",
    "Part",
    "Problem",
    "ProfileError",
    "Prompt",
    "RenderError",
    "Span",
    "Stamp",
    "Template",
    "TokenizerError",
    "TruncationError",
    "digest",
    "from_bundle",
    "load",
]
