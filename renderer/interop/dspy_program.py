"""DSPy's saved programs: the instructions and fields of each predictor, with its demonstrations as examples.

In DSPy an adapter writes the messages at run time. The document has the instructions as the system part, the
demonstrations as turns, and each field's label before its value.
"""

import re
from collections.abc import Mapping
from typing import Any

from promptuary.renderer.interop.imported import ImportedTemplate, LossError, as_list, as_mapping
from promptuary.renderer.interop.input_names import InputNames
from promptuary.renderer.interop.pieces import Message, Piece, Slot
from promptuary.renderer.interop.source_file import SourceFile
from promptuary.renderer.interop.template_builder import TemplateBuilder

__all__ = ["KIND", "is_dspy_program", "read_dspy_program"]

KIND = "dspy"


def is_dspy_program(value: object) -> bool:
    """Whether a value is a saved program, or one of its predictors."""
    if not isinstance(value, dict):
        return False
    return _is_predictor(value) or any(map(_is_predictor, value.values()))


def read_dspy_program(source: SourceFile) -> list[ImportedTemplate]:
    """Read one template per predictor. Raises LossError."""
    value = source.read_value()
    if not is_dspy_program(value):
        raise LossError("a saved program of DSPy has predictors, each with a `signature`")
    if _is_predictor(value):
        return [_read_predictor(source.stem, value)]
    predictors = {name: part for name, part in value.items() if _is_predictor(part)}
    return [
        _read_predictor(source.stem if len(predictors) == 1 else f"{source.stem}/{name}", part)
        for name, part in predictors.items()
    ]


def _is_predictor(value: object) -> bool:
    return isinstance(value, dict) and isinstance(value.get("signature"), dict) and "fields" in value["signature"]


def _read_predictor(name: str, value: Mapping[str, Any]) -> ImportedTemplate:
    builder = TemplateBuilder(KIND, name)
    signature = as_mapping(value["signature"], "signature")
    fields = [_find_label(field) for field in as_list(signature.get("fields"), "signature.fields")]
    demos = [as_mapping(demo, "demos") for demo in as_list(value.get("demos"), "demos")]
    names = [re.sub(r"\W+", "_", label.strip(" :")).lower() for label in fields]
    outputs = _find_outputs(names, demos)
    builder.differ(
        f"its output is taken to be `{'`, `'.join(outputs)}`; the file does not say which fields are outputs"
    )
    builder.differ("the markers that DSPy's adapter writes around fields are left out")
    inputs = InputNames()
    input_fields = [(label, name) for label, name in zip(fields, names, strict=True) if name not in outputs]
    messages = [Message("system", (str(signature.get("instructions") or ""),))] if signature.get("instructions") else []
    for demo in demos:
        messages.append(Message("user", (_format_lines(input_fields, demo),)))
        messages.append(
            Message(
                "assistant",
                (_format_lines([(f, n) for f, n in zip(fields, names, strict=True) if n in outputs], demo),),
            )
        )
    if not input_fields:
        raise LossError("its signature has no input field")
    question: list[Piece] = []
    for label, field in input_fields:
        question += ["\n" if question else "", f"{label} ", Slot(inputs.input_name(field))]
    model = value.get("lm")
    if isinstance(model, dict) and isinstance(model.get("model"), str):
        builder.front["model"] = model["model"].rpartition("/")[2]
    return builder.build_parts([*messages, Message("user", tuple(question))])


def _find_label(field: Any) -> str:
    label = field.get("prefix") if isinstance(field, dict) else None
    if not isinstance(label, str) or not label.strip(" :"):
        raise LossError("a field of its signature has no `prefix`")
    return label


def _find_outputs(names: list[str], demos: list[dict[str, Any]]) -> list[str]:
    """The fields after the reasoning are outputs; without a reasoning, the last one is."""
    start = next((number for number, name in enumerate(names) if name in ("reasoning", "rationale")), len(names) - 1)
    return names[start:]


def _format_lines(fields: list[tuple[str, str]], values: Mapping[str, Any]) -> str:
    return "\n".join(f"{label} {values[name]}" for label, name in fields if name in values)
