"""Dataset rows as fine-tuning examples: the prompt exactly as sent at inference, then the label."""

import json
from collections.abc import Iterator
from typing import Any

from promptuary.evaluation.datasets import Dataset, Row
from promptuary.renderer import Prompt, RenderError, Template
from promptuary.renderer.interop.imported import LossError

__all__ = ["FORMS", "Line", "list_training_lines"]

FORMS = ("messages", "text")
Line = tuple[Row, Prompt, dict[str, Any]]


def list_training_lines(template: Template, rows: Dataset, form: str, label: str = "") -> Iterator[Line]:
    """Yield each row with its prompt and its line. `label` names the expected output to learn, if there are several.

    Raises LossError, naming the row (counted from 1), if one can't be rendered or has no label.
    """
    for number, row in enumerate(rows.rows, start=1):
        where = f"row {number}{f' ({row.id})' if row.id else ''}"
        try:
            prompt = template.render(row.inputs)
            reply = _read_label(row, label)
            yield row, prompt, _build_messages(prompt, reply) if form == "messages" else {"text": prompt.text + reply}
        except RenderError as error:
            raise LossError(f"{where}: {error.message}") from error
        except LossError as error:
            raise LossError(f"{where}: {error}") from error


def _build_messages(prompt: Prompt, reply: str) -> dict[str, Any]:
    messages = [dict(message) for message in prompt.messages]
    last = messages[-1] if messages else {}
    if last.get("role") == "assistant" and isinstance(last.get("content"), str):
        messages[-1] = {**last, "content": last["content"] + reply}  # continue the reply that the prompt has begun
    else:
        messages.append({"role": "assistant", "content": reply})
    return {"messages": messages, **({"tools": list(prompt.tools)} if prompt.tools else {})}


def _read_label(row: Row, name: str) -> str:
    expected = row.expected or {}
    if not expected:
        raise LossError("nothing is expected of it, so there is nothing to learn")
    if not name and len(expected) > 1:
        raise LossError(f"it expects {', '.join(expected)}; say with --label which is to be learnt")
    label_name = name or next(iter(expected))
    if label_name not in expected:
        raise LossError(f"it expects no {label_name}, only {', '.join(expected)}")
    value = expected[label_name]
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
