"""Jinja, kept in one package: a sandbox whose output never mixes the author's text with values."""

from renderer.environment.checks import Finding, check_size, findings
from renderer.environment.flow import Names, trace
from renderer.environment.names import Use, used_names
from renderer.environment.outline import Choice, Loop, Outline, Seq, Text, Unknown, Value, outline
from renderer.environment.pieces import Captured, FragmentText
from renderer.environment.program import Program, Stream, parse, with_run
from renderer.environment.references import Reference, references
from renderer.environment.sandbox import GLOBALS, Sandbox, Unit
from renderer.environment.skeleton import skeleton
from renderer.environment.spelling import cook
from renderer.environment.standin import StandIns

__all__ = [
    "GLOBALS",
    "Captured",
    "Choice",
    "Finding",
    "FragmentText",
    "Loop",
    "Names",
    "Outline",
    "Program",
    "Reference",
    "Sandbox",
    "Seq",
    "StandIns",
    "Stream",
    "Text",
    "Unit",
    "Unknown",
    "Use",
    "Value",
    "check_size",
    "cook",
    "findings",
    "outline",
    "parse",
    "references",
    "skeleton",
    "trace",
    "used_names",
    "with_run",
]
