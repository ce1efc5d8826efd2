"""Jinja, kept in one package: a sandbox whose output never mixes the author's text with values."""

from promptuary.renderer.jinja.escapes import cook
from promptuary.renderer.jinja.lint import Finding, check_size, findings
from promptuary.renderer.jinja.outline import Choice, Loop, Outline, Seq, Text, Unknown, Value, outline
from promptuary.renderer.jinja.output import Captured, FragmentText
from promptuary.renderer.jinja.placeholder import StandIns
from promptuary.renderer.jinja.program import Program, Stream, parse, with_run
from promptuary.renderer.jinja.references import Reference, references
from promptuary.renderer.jinja.sandbox import GLOBALS, Sandbox, Unit
from promptuary.renderer.jinja.taint import Names, trace
from promptuary.renderer.jinja.undeclared import Use, used_names
from promptuary.renderer.jinja.unrolled import skeleton

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
