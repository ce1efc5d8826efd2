"""Jinja, kept in one package: a sandbox whose output never mixes the author's text with values."""

from renderer.environment.names import Use, used_names
from renderer.environment.pieces import Captured, FragmentText
from renderer.environment.program import Program, Stream, parse, with_run
from renderer.environment.references import Reference, references
from renderer.environment.sandbox import GLOBALS, Sandbox, Unit

__all__ = [
    "GLOBALS",
    "Captured",
    "FragmentText",
    "Program",
    "Reference",
    "Sandbox",
    "Stream",
    "Unit",
    "Use",
    "parse",
    "references",
    "used_names",
    "with_run",
]
