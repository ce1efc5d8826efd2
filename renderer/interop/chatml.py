"""ChatML: messages between `<|im_start|>role` and `<|im_end|>`."""

import re

from promptuary.renderer.interop.chat_messages import read_messages
from promptuary.renderer.interop.imported import ImportedTemplate, LossError
from promptuary.renderer.interop.source_file import SourceFile
from promptuary.renderer.interop.template_builder import TemplateBuilder

__all__ = ["KIND", "is_chatml", "read_chatml"]

KIND = "chatml"
_START = "<|im_start|>"
_MESSAGE = re.compile(
    r"<\|im_start\|>(?P<role>[\w-]+)(?:\n|[ \t]*(?=<\|im_end\|>)|\Z)(?P<text>.*?)(?:<\|im_end\|>|\Z)", re.DOTALL
)


def is_chatml(text: str) -> bool:
    """Whether the text starts with a ChatML message."""
    return text.lstrip().startswith(_START)


def read_chatml(source: SourceFile) -> list[ImportedTemplate]:
    """Read the messages as one template, less an empty last turn of the assistant. Raises LossError with the line."""
    builder = TemplateBuilder(KIND, source.stem)
    messages = []
    end = 0
    for match in _MESSAGE.finditer(source.text):
        between = source.text[end : match.start()]
        if between.strip():
            line = source.text.count("\n", 0, end) + 1
            raise LossError("there is text between two messages", line)
        end = match.end()
        if _START in match["text"]:
            line = source.text.count("\n", 0, match.start()) + 1
            raise LossError("a message is not closed by `<|im_end|>`", line)
        messages.append((match["role"], match["text"], match[0].endswith("<|im_end|>")))
    if source.text[end:].strip():
        raise LossError("there is text after the last message", source.text.count("\n", 0, end) + 1)
    if messages and messages[-1][0] == "assistant" and not messages[-1][1].strip() and not messages[-1][2]:
        messages.pop()
        builder.differ("the empty last turn is left out; the reply starts there anyway")
    builder.differ("the markers are left out; each model's own are added when the prompt is rendered")
    trimmed = [
        {"role": role, "content": text.removesuffix("\n") if is_closed else text} for role, text, is_closed in messages
    ]
    if any(text.endswith("\n") for _, text, _ in messages):
        builder.differ("a line end before `<|im_end|>` is left out")
    return [builder.build_parts(read_messages(builder, trimmed))]
