"""Turns that start with a label: `SYSTEM:`, `USER:`, `ASSISTANT:`, `Human:`. Split into parts only on request.

A text with such labels may just as well be one message that quotes a conversation, so they are never split by default.
"""

import re

from promptuary.renderer.interop.chat_markup import TurnText, build_turns
from promptuary.renderer.interop.imported import ImportedTemplate, LossError
from promptuary.renderer.interop.source_file import SourceFile
from promptuary.renderer.interop.template_builder import TemplateBuilder

__all__ = ["KIND", "count_labelled_turns", "read_labelled_turns"]

KIND = "labelled-turns"
_LABEL = re.compile(
    r"^[ \t]*(?:\#{1,4}[ \t]*|\*\*)?(?P<line>system|user|human|assistant|ai|developer)"
    r"(?:[ \t]*:\*\*|\*\*[ \t]*:|[ \t]*:)[ \t]*"
    r"|(?<=[ \t.>])(?P<inline>SYSTEM|USER|HUMAN|ASSISTANT):[ \t]*",
    re.MULTILINE | re.IGNORECASE,
)
_ROLES = {"human": "user", "ai": "assistant"}


def count_labelled_turns(text: str) -> int:
    """How many parts the text would become; 0 without at least one turn of a user and one of an assistant."""
    labels = _labels(text)
    roles = {_role(label) for label in labels}
    if not {"user", "assistant"} <= roles:
        return 0
    starts_inside = bool(text[: labels[0].start()].strip())
    is_open = _role(labels[-1]) == "assistant" and not text[labels[-1].end() :].strip()
    return len(labels) + starts_inside - is_open


def read_labelled_turns(source: SourceFile) -> list[ImportedTemplate]:
    """Read one part per turn; text before the first label is the system's. Raises LossError."""
    labels = _labels(source.text)
    if not labels:
        raise LossError("no line starts with `USER:`, `ASSISTANT:` or another role")
    builder = TemplateBuilder(KIND, source.stem)
    builder.differ("the labels of the turns, such as `USER:`, are left out; each turn is a part with its role")
    turns = []
    if (before := source.text[: labels[0].start()]).strip():
        turns.append(TurnText("system", before, True))
        builder.differ("the text before the first label is a part of the role system")
    ends = [*(label.start() for label in labels[1:]), len(source.text)]
    turns += [
        TurnText(_role(label), source.text[label.end() : end], end < len(source.text))
        for label, end in zip(labels, ends, strict=True)
    ]
    return [build_turns(builder, turns)]


def _labels(text: str) -> list[re.Match[str]]:
    return [label for label in _LABEL.finditer(text) if label["line"] or label[0].strip().isupper()]


def _role(label: re.Match[str]) -> str:
    name = (label["line"] or label["inline"]).lower()
    return _ROLES.get(name, name)
