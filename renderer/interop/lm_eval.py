"""lm-eval's tasks: a YAML file's description and `doc_to_text` as one text, both Jinja over a row's columns."""

import re
from typing import Any

from promptuary.renderer.interop.imported import ImportedTemplate, LossError
from promptuary.renderer.interop.jinja_text import read_jinja
from promptuary.renderer.interop.pieces import Piece, Slot
from promptuary.renderer.interop.source_file import SourceFile, TaggedValue
from promptuary.renderer.interop.template_builder import TemplateBuilder

__all__ = ["KIND", "is_task", "read_task"]

KIND = "lm-eval"


def is_task(value: object) -> bool:
    """Whether a value is a task."""
    return isinstance(value, dict) and "doc_to_text" in value


def read_task(source: SourceFile) -> list[ImportedTemplate]:
    """Read the prompt of a row, without few-shot examples. Raises LossError."""
    value = source.read_value()
    if not is_task(value):
        raise LossError("a task has `doc_to_text`")
    task = value.get("task")
    builder = TemplateBuilder(KIND, task if isinstance(task, str) else source.stem)
    pieces = (
        *_read(builder, "description", value.get("description")),
        *_read(builder, "doc_to_text", value["doc_to_text"]),
    )
    left_out = sorted(set(value) - {"task", "description", "doc_to_text"})
    if left_out:
        builder.differ(f"only `description` and `doc_to_text` are read; left out: {', '.join(left_out)}")
    return [builder.build_text(pieces)]


def _read(builder: TemplateBuilder, key: str, value: Any) -> tuple[Piece, ...]:
    if value in (None, ""):
        return ()
    if isinstance(value, TaggedValue):
        raise LossError(f"`{key}` is made by a Python function: {value.tag} {value.value}")
    if not isinstance(value, str):
        raise LossError(f"`{key}` isn't text")
    if key == "doc_to_text" and re.fullmatch(r"[^\W\d]\w*", value):
        builder.differ(f"`doc_to_text` is the column `{value}` alone")
        return (Slot(value),)
    plain = read_jinja(value, drop_last_newline=False)
    return plain.pieces
