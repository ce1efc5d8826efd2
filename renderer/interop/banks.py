"""banks' prompts: Jinja with `{% chat role="..." %}` blocks, one per message."""

import re

from promptuary.renderer.interop.imported import ImportedTemplate, LossError
from promptuary.renderer.interop.jinja_text import read_jinja
from promptuary.renderer.interop.pieces import Message
from promptuary.renderer.interop.source_file import SourceFile
from promptuary.renderer.interop.template_builder import TemplateBuilder, convert_role

__all__ = ["KIND", "is_banks_prompt", "read_banks_prompt"]

KIND = "banks"
_CHAT = re.compile(
    r"\{%-?\s*chat\s+role\s*=\s*[\"'](?P<role>\w+)[\"']\s*-?%\}(?P<text>.*?)\{%-?\s*endchat\s*-?%\}", re.DOTALL
)


def is_banks_prompt(text: str) -> bool:
    """Whether the text has a message block."""
    return _CHAT.search(text) is not None


def read_banks_prompt(source: SourceFile) -> list[ImportedTemplate]:
    """Read the messages as one template. Raises LossError with the line."""
    builder = TemplateBuilder(KIND, source.stem)
    messages = []
    end = 0
    for match in [*_CHAT.finditer(source.text), None]:
        between = source.text[end : match.start() if match else len(source.text)]
        if "{%" in between or "{{" in between:
            line = source.text.count("\n", 0, end) + 1
            raise LossError("there is Jinja between two messages; write it inside a message", line)
        if between.strip():
            builder.differ("a text between messages is left out, as banks does")
        if match is None:
            break
        end = match.end()
        plain = read_jinja(match["text"], drop_last_newline=False)
        builder.add_differences(plain.differences)
        messages.append(Message(convert_role(match["role"]), plain.pieces))
    return [builder.build_parts(messages)]
