"""Ollama's Modelfile: its model, parameters, system text and messages, followed by the user's prompt."""

import re
from collections.abc import Iterator
from typing import Any

from promptuary.renderer.interop.imported import ImportedTemplate, LossError
from promptuary.renderer.interop.pieces import Message, Slot
from promptuary.renderer.interop.source_file import SourceFile
from promptuary.renderer.interop.template_builder import TemplateBuilder, convert_role

__all__ = ["KIND", "is_modelfile", "read_modelfile"]

KIND = "modelfile"
_INSTRUCTION = re.compile(
    r"^[ \t]*(?P<name>FROM|PARAMETER|TEMPLATE|SYSTEM|ADAPTER|LICENSE|MESSAGE|REQUIRES)[ \t]+",
    re.IGNORECASE | re.MULTILINE,
)
_SETTINGS = {"num_predict": "max_tokens"}


def is_modelfile(source: SourceFile) -> bool:
    """Whether the text has a FROM, and every other line is part of an instruction or a comment."""
    if not re.search(r"^[ \t]*FROM[ \t]+\S+[ \t]*$", source.text, re.IGNORECASE | re.MULTILINE):
        return False
    try:
        return all(name for name, _, _ in _split_instructions(source.text))
    except LossError:
        return False


def read_modelfile(source: SourceFile) -> list[ImportedTemplate]:
    """Read the messages as one template with the input `prompt`. Raises LossError with the line."""
    builder = TemplateBuilder(KIND, "modelfile" if source.stem.lower() == "modelfile" else source.stem)
    settings: dict[str, Any] = {}
    system = ""
    messages: list[Message] = []
    for name, text, line in _split_instructions(source.text):
        if name == "FROM":
            builder.front["model"] = text
        elif name == "SYSTEM":
            system = text
        elif name == "PARAMETER":
            _add_parameter(settings, text, line)
        elif name == "MESSAGE":
            role, _, content = text.partition(" ")
            messages.append(Message(convert_role(role), (_remove_quotes(content.strip()),)))
        elif name == "TEMPLATE":
            builder.differ("TEMPLATE is left out; the model's markup is that of its profile", line)
        else:
            builder.differ(f"{name} is left out", line)
    if settings:
        builder.front["settings"] = settings
    builder.differ("the user's message is the input `prompt`")
    first = [Message("system", (system,))] if system else []
    return [builder.build_parts([*first, *messages, Message("user", (Slot("prompt"),))])]


def _add_parameter(settings: dict[str, Any], text: str, line: int) -> None:
    name, _, value = text.partition(" ")
    value = _remove_quotes(value.strip())
    if not value:
        raise LossError(f"PARAMETER {name} has no value", line)
    number = float(value) if re.fullmatch(r"-?\d+(?:\.\d+)?", value) else None
    read = value if number is None else int(number) if number.is_integer() and "." not in value else number
    if name == "stop":
        settings.setdefault("stop", []).append(value)
    else:
        settings[_SETTINGS.get(name, name)] = read


def _split_instructions(text: str) -> Iterator[tuple[str, str, int]]:
    """Yield each instruction's name, text and line. Raises LossError for any other line."""
    index = 0
    while index < len(text):
        end = text.find("\n", index)
        end = len(text) if end < 0 else end
        line = text.count("\n", 0, index) + 1
        rest = text[index:end].strip()
        if not rest or rest.startswith("#"):
            index = end + 1
            continue
        match = _INSTRUCTION.match(text, index)
        if match is None:
            raise LossError("this line isn't an instruction of a Modelfile", line)
        start = match.end()
        quotes = re.compile(r'(?:MESSAGE[ \t]+)?(\w+[ \t]+)?(""")').match(text, start)
        if quotes is None:
            yield match["name"].upper(), _remove_quotes(text[start:end].strip()), line
            index = end + 1
            continue
        close = text.find('"""', quotes.end())
        if close < 0:
            raise LossError('the text is not closed by `"""`', line)
        yield match["name"].upper(), (quotes[1] or "") + text[quotes.end() : close], line
        index = close + 3


def _remove_quotes(text: str) -> str:
    return text[1:-1] if len(text) > 1 and text[0] == text[-1] == '"' else text
