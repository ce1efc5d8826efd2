"""Formats: the four ways in which a body becomes parts. The two less common ones are imported on first use."""

from functools import cache
from typing import TYPE_CHECKING

from promptuary.renderer.formats.jinja_body import ASSEMBLIES, JinjaFormat
from promptuary.renderer.formats.protocol import (
    Body,
    Format,
    Functions,
    WithoutInputs,
    WithProfile,
    WithTools,
    WithUses,
)
from promptuary.renderer.lazy_import import Deferred

if TYPE_CHECKING:
    from promptuary.renderer.formats.prompter import format as prompter_format
    from promptuary.renderer.formats.shaped import format as shaped_format
else:
    prompter_format = Deferred("promptuary.renderer.formats.prompter.format")
    shaped_format = Deferred("promptuary.renderer.formats.shaped.format")

__all__ = [
    "ASSEMBLIES",
    "Body",
    "Format",
    "Functions",
    "WithProfile",
    "WithTools",
    "WithUses",
    "WithoutInputs",
    "find_format",
]


@cache
def find_format(name: str) -> Format:
    """Return the format of this name, which documents have already validated."""
    if name == "shaped":
        return shaped_format.Shaped()
    return prompter_format.Prompter() if name == "prompter" else JinjaFormat(name)
