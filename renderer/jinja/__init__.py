"""All use of Jinja: a sandbox whose output keeps the author's text separate from values."""

from promptuary.renderer.jinja.lint import Finding, find_hazards
from promptuary.renderer.jinja.outline import (
    Choice,
    Loop,
    Outline,
    Seq,
    Text,
    Unknown,
    Value,
    build_outline,
    has_whole_line,
)
from promptuary.renderer.jinja.output import CapturedText, FragmentText
from promptuary.renderer.jinja.placeholder import StandIns
from promptuary.renderer.jinja.program import Program, Stream, parse_template, pass_run
from promptuary.renderer.jinja.sandbox import GLOBALS, Sandbox
from promptuary.renderer.jinja.source import Reference, Unit, find_references, unescape
from promptuary.renderer.jinja.taint import Names, trace_taint
from promptuary.renderer.jinja.undeclared import Use, list_used_names
from promptuary.renderer.jinja.unrolled import unroll_template
from promptuary.renderer.jinja.usage import Usage
from promptuary.renderer.jinja.usage_inference import infer_usages

__all__ = [
    "GLOBALS",
    "CapturedText",
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
    "Usage",
    "Use",
    "Value",
    "build_outline",
    "find_hazards",
    "find_references",
    "has_whole_line",
    "infer_usages",
    "list_used_names",
    "parse_template",
    "pass_run",
    "trace_taint",
    "unescape",
    "unroll_template",
]
