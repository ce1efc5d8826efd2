"""Jinja, kept in one package: a sandbox whose output never mixes the author's text with values."""

from renderer.environment.flow import Names, trace
from renderer.environment.names import Use, used_names
from renderer.environment.pieces import Captured, FragmentText
from renderer.environment.program import Program, Stream, parse, with_run
from renderer.environment.references import Reference, references
from renderer.environment.sandbox import GLOBALS, Sandbox, Unit
from renderer.environment.skeleton import skeleton

__all__ = [
    "GLOBALS",
    "Captured",
    "FragmentText",
    "Names",
    "Program",
    "Reference",
    "Sandbox",
    "Stream",
    "Unit",
    "Use",
    "parse",
    "references",
    "skeleton",
    "trace",
    "used_names",
    "with_run",
]
