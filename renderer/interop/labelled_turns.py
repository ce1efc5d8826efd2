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
_BLOCK = re.compile(
    r"\{%[-+]?\s*(?:(?P<end>end\w+)|(?:if|for|macro|call|filter|raw|with|block|autoescape)\b|set\s[^=%]*%\})", re.ASCII
)
_ROLES = {"human": "user", "ai": "assistant"}


def count_labelled_turns(text: str) -> int:
    """How many parts the text would become; 0 without at least one turn of a user and one of an assistant.

    Also 0 if a loop or another block goes over several turns: then the turns are one text.
    """
    labels = _find_labels(text)
    roles = {_read_role(label) for label in labels}
    if not {"user", "assistant"} <= roles or not all(map(_closes_blocks, _split_texts(text, labels))):
        return 0
    starts_inside = bool(text[: labels[0].start()].strip())
    is_open = _read_role(labels[-1]) == "assistant" and not text[labels[-1].end() :].strip()
    return len(labels) + starts_inside - is_open


def read_labelled_turns(source: SourceFile) -> list[ImportedTemplate]:
    """Read one part per turn; text before the first label is the system's. Raises LossError."""
    labels = _find_labels(source.text)
    if not labels:
        raise LossError("no line starts with `USER:`, `ASSISTANT:` or another role")
    builder = TemplateBuilder(KIND, source.stem)
    builder.differ("the labels of the turns, such as `USER:`, are left out; each turn is a part with its role")
    before, *texts = _split_texts(source.text, labels)
    if not all(map(_closes_blocks, (before, *texts))):
        raise LossError(
            "a loop or condition goes over several turns; read it as one text, or write it around the parts"
        )
    turns = []
    if before.strip():
        turns.append(TurnText("system", before, True))
        builder.differ("the text before the first label is a part of the role system")
    turns += [
        TurnText(_read_role(label), text, label is not labels[-1]) for label, text in zip(labels, texts, strict=True)
    ]
    return [build_turns(builder, turns)]


def _split_texts(text: str, labels: list[re.Match[str]]) -> list[str]:
    """The text before the first label, and the text of each turn."""
    starts = [0, *(label.end() for label in labels)]
    ends = [*(label.start() for label in labels), len(text)]
    return [text[start:end] for start, end in zip(starts, ends, strict=True)]


def _closes_blocks(text: str) -> bool:
    """Whether a text ends as many Jinja blocks as it begins."""
    blocks = list(_BLOCK.finditer(text))
    return 2 * sum(block["end"] is not None for block in blocks) == len(blocks)


def _find_labels(text: str) -> list[re.Match[str]]:
    return [label for label in _LABEL.finditer(text) if label["line"] or label[0].strip().isupper()]


def _read_role(label: re.Match[str]) -> str:
    name = (label["line"] or label["inline"]).lower()
    return _ROLES.get(name, name)
