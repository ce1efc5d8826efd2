"""The formats: four ways in which a body becomes parts. The rarer two are loaded when a document first wants them."""

from functools import cache
from typing import TYPE_CHECKING

from renderer.deferred import Deferred
from renderer.formats.parts import ASSEMBLIES, Jinja
from renderer.formats.protocol import Body, Format, Functions, WithProfile, WithTools, WithUses

if TYPE_CHECKING:
    from renderer.formats import prompter, shaped
else:
    prompter = Deferred("renderer.formats.prompter")
    shaped = Deferred("renderer.formats.shaped")

__all__ = ["ASSEMBLIES", "Body", "Format", "Functions", "WithProfile", "WithTools", "WithUses", "find"]


@cache
def find(name: str) -> Format:
    """The format of this name; documents are checked to name one that exists."""
    if name == "shaped":
        return shaped.Shaped()
    return prompter.Prompter() if name == "prompter" else Jinja(name)
