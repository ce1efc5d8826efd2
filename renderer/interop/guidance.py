"""Chat programs of guidance in its form of Handlebars: `{{#system}}…{{/system}}`, `{{#user~}}…{{~/user}}`.

Each block is a message. Where the model writes, `{{gen 'answer'}}`, the last one is where the reply starts; an earlier
one becomes an input.
"""

import re

from promptuary.renderer.interop.handlebars import read_handlebars
from promptuary.renderer.interop.imported import ImportedTemplate, LossError
from promptuary.renderer.interop.input_names import InputNames
from promptuary.renderer.interop.pieces import History, Message
from promptuary.renderer.interop.source_file import SourceFile
from promptuary.renderer.interop.template_builder import TemplateBuilder

__all__ = ["KIND", "is_guidance", "read_guidance"]

KIND = "guidance"
_BLOCK = re.compile(
    r"\{\{~?#(?P<role>system|user|assistant)(?P<left>~?)\}\}(?P<text>(?:(?!\{\{~?#(?:system|user|assistant)~?\}\}).)*?)"
    r"\{\{(?P<right>~?)/(?P=role)~?\}\}",
    re.DOTALL,
)
_BETWEEN = re.compile(r"(?:\s|\{\{!.*?\}\})*", re.DOTALL)
_WRITTEN = re.compile(r"\{\{~?\s*gen\b(?:\s+(?:name=)?[\"'](?P<name>[^\"'{}]+)[\"'])?[^{}]*\}\}")


def is_guidance(text: str) -> bool:
    """Whether a text is nothing but blocks of roles."""
    return bool(_BLOCK.search(text)) and _BETWEEN.fullmatch(_BLOCK.sub("", text)) is not None


def read_guidance(source: SourceFile) -> list[ImportedTemplate]:
    """Read the blocks as one template, less a last turn that the model writes. Raises LossError with the line."""
    if not is_guidance(source.text):
        raise LossError("it isn't only blocks of the roles system, user and assistant")
    builder, names = TemplateBuilder(KIND, source.stem), InputNames()
    messages: list[Message | History] = []
    blocks = list(_BLOCK.finditer(source.text))
    if len(blocks) > 1 and _WRITTEN.fullmatch(blocks[-1]["text"].strip()):
        blocks.pop()
        builder.differ("the last turn is left out, because the model writes it; the reply starts there anyway")
    for block in blocks:
        text = block["text"]
        trimmed = text.lstrip() if block["left"] else text
        trimmed = trimmed.rstrip() if block["right"] else trimmed
        if trimmed != trimmed.strip():
            builder.differ("white space at the edges of a message is left out")
        written = _WRITTEN.search(trimmed)
        if written is not None:
            builder.differ("what the model wrote in an earlier turn is an input")
        plain = read_handlebars(_WRITTEN.sub(_name_written, trimmed.strip()), names, escapes=False)
        builder.add_differences(plain.differences)
        messages.append(Message(block["role"], plain.pieces))
    return [builder.build_parts(messages)]


def _name_written(written: re.Match[str]) -> str:
    name = re.sub(r"\W+", "_", written["name"] or "reply").strip("_")
    return "{{" + name + "}}"
