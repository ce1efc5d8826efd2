"""Jinja, kept in one package: a sandbox whose output never mixes the author's text with values."""

from renderer.jinja.escapes import cook
from renderer.jinja.lint import Finding, check_size, findings
from renderer.jinja.outline import Choice, Loop, Outline, Seq, Text, Unknown, Value, outline
from renderer.jinja.output import Captured, FragmentText
from renderer.jinja.placeholder import StandIns
from renderer.jinja.program import Program, Stream, parse, with_run
from renderer.jinja.references import Reference, references
from renderer.jinja.sandbox import GLOBALS, Sandbox, Unit
from renderer.jinja.taint import Names, trace
from renderer.jinja.undeclared import Use, used_names
from renderer.jinja.unrolled import skeleton

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
