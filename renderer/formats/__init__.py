"""The formats: four ways in which a body becomes parts."""

from renderer.formats.parts import ASSEMBLIES, Jinja
from renderer.formats.prompter import Prompter
from renderer.formats.protocol import Body, Format, Functions, WithProfile, WithTools, WithUses
from renderer.formats.shaped import Shaped

__all__ = ["ASSEMBLIES", "FORMATS", "Body", "Format", "Functions", "WithProfile", "WithTools", "WithUses", "find"]

FORMATS: dict[str, Format] = {
    "parts": Jinja("parts"),
    "text": Jinja("text"),
    "shaped": Shaped(),
    "prompter": Prompter(),
}


def find(name: str) -> Format:
    """The format of this name; documents are checked to name one that exists."""
    return FORMATS[name]
