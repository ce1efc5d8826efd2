"""Prompt templates: read, check, render, count and fit them. Knows nothing of servers."""

from renderer import prompters
from renderer.comparison import Change, compare
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
from renderer.shapers import shape
from renderer.template import Template, from_bundle, load
from renderer.traces import trace_scores
from renderer.validation import validate

__all__ = [
    "ENGINE",
    "Change",
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
    "compare",
    "digest",
    "from_bundle",
    "load",
    "prompters",
    "shape",
    "trace_scores",
    "validate",
]
