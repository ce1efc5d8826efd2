"""Prompt templates: parse, check, render, count and fit them. Independent of any server.

Names are loaded on first use, so importing `promptuary.renderer` costs next to nothing.
"""

import importlib
from typing import TYPE_CHECKING, Any

# Imported eagerly: importing the module later would replace the function of the same name.
from promptuary.renderer.digest import ENGINE, digest

if TYPE_CHECKING:
    from promptuary.renderer import prompters
    from promptuary.renderer.contract.comparison import Change, compare
    from promptuary.renderer.document.parser import Document
    from promptuary.renderer.errors import (
        DocumentError,
        EngineError,
        FragmentError,
        InputError,
        LimitError,
        MissingVocabularyError,
        OutputError,
        ProfileError,
        PrompterError,
        RenderError,
        TokenizerError,
        TruncationError,
    )
    from promptuary.renderer.part import Part, Span
    from promptuary.renderer.problems import Edit, Fix, Problem
    from promptuary.renderer.prompt import Cut, Prompt, RenderedPrompt, Stamp
    from promptuary.renderer.replies.shapers import shape
    from promptuary.renderer.replies.trace_scores import trace_scores
    from promptuary.renderer.template import Template, from_bundle, load
    from promptuary.renderer.validation.validator import validate

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
    "MissingVocabularyError",
    "OutputError",
    "Part",
    "Problem",
    "ProfileError",
    "Prompt",
    "PrompterError",
    "RenderError",
    "RenderedPrompt",
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

_HOMES = {
    "contract.comparison": ("Change", "compare"),
    "document.parser": ("Document",),
    "errors": (
        "DocumentError",
        "EngineError",
        "FragmentError",
        "InputError",
        "LimitError",
        "MissingVocabularyError",
        "OutputError",
        "ProfileError",
        "PrompterError",
        "RenderError",
        "TokenizerError",
        "TruncationError",
    ),
    "problems": ("Edit", "Fix", "Problem"),
    "part": ("Part", "Span"),
    "prompt": ("Cut", "Prompt", "RenderedPrompt", "Stamp"),
    "replies.shapers": ("shape",),
    "template": ("Template", "from_bundle", "load"),
    "replies.trace_scores": ("trace_scores",),
    "validation.validator": ("validate",),
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}


if not TYPE_CHECKING:  # a type checker that saw this function would accept any misspelt name as Any

    def __getattr__(name: str) -> Any:
        if name in _HOME_OF:
            value = getattr(importlib.import_module(f"{__name__}.{_HOME_OF[name]}"), name)
            globals()[name] = value
            return value
        if name == "prompters":
            return importlib.import_module("promptuary.renderer.prompters")
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
