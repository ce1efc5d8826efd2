"""Prompts in Python code: one template per prompt, its text in the template language of the call that takes it."""

import re
from collections.abc import Sequence

from promptuary.renderer.interop.chat_messages import add_request
from promptuary.renderer.interop.imported import Difference, ImportedTemplate, LossError
from promptuary.renderer.interop.input_names import InputNames
from promptuary.renderer.interop.pieces import History, Message, Piece
from promptuary.renderer.interop.python_messages import FoundPrompt
from promptuary.renderer.interop.python_prompts import find_prompts, has_generic_name
from promptuary.renderer.interop.python_texts import CodeText
from promptuary.renderer.interop.quoted_text import is_python_string
from promptuary.renderer.interop.source_file import SourceFile
from promptuary.renderer.interop.template_builder import TemplateBuilder, convert_role
from promptuary.renderer.interop.template_text import read_template_text

__all__ = ["KIND", "build_prompts", "read_python_code"]

KIND = "python"


def read_python_code(source: SourceFile) -> list[ImportedTemplate]:
    """Read one template per prompt. Unreadable ones are listed as a difference of the first one. Raises LossError."""
    is_string = is_python_string(source.text)
    prompts, names = find_prompts(f"prompt = {source.text.strip()}" if is_string else source.text)
    if not prompts:
        raise LossError("no text in the code looks like a prompt")
    return build_prompts(prompts, names, source.stem, KIND)


def build_prompts(
    prompts: Sequence[FoundPrompt], names: InputNames, stem: str, source_format: str
) -> list[ImportedTemplate]:
    """Build one template per prompt found in code, named after it or the file. Raises LossError if all are unreadable.

    names: the inputs of the texts with expressions. Unreadable prompts are listed as a difference of the first one.
    """
    imported: list[ImportedTemplate] = []
    refusals: list[Difference] = []
    for prompt, name in zip(prompts, _name_prompts(prompts, stem), strict=True):
        try:
            imported.append(_build(TemplateBuilder(source_format, name), prompt, names))
        except LossError as error:
            refusals.append(Difference(f"`{prompt.name}` is left out: {error.message}", prompt.line))
    if not imported:
        raise LossError(refusals[0].message, refusals[0].line)
    first = imported[0]
    differences = (*refusals, *first.differences)
    return [
        ImportedTemplate(first.name, first.document, first.source_format, first.samples, differences),
        *imported[1:],
    ]


def _name_prompts(prompts: Sequence[FoundPrompt], stem: str) -> list[str]:
    """A unique name for each prompt: its own, or the file's for a single prompt with a generic name."""
    if len(prompts) == 1:
        last = prompts[0].name.rpartition("/")[2]
        return [stem if has_generic_name(last) else last]
    names: list[str] = []
    for prompt in prompts:
        name = f"{stem}/{prompt.name}"
        number, slug = 2, re.sub(r"[^a-z0-9/]+", "-", name.lower())
        used_names = {re.sub(r"[^a-z0-9/]+", "-", other.lower()) for other in names}
        base = name
        while slug in used_names:
            name = f"{base}-{number}"
            slug, number = re.sub(r"[^a-z0-9/]+", "-", name.lower()), number + 1
        names.append(name)
    return names


def _build(builder: TemplateBuilder, prompt: FoundPrompt, names: InputNames) -> ImportedTemplate:
    if isinstance(prompt.content, CodeText):
        pieces = _read_pieces(builder, prompt.content, names)
        return builder.build_text(pieces)
    messages: list[Message | History] = []
    inputs = InputNames()
    for entry in prompt.content:
        if isinstance(entry, str):
            messages.append(History(inputs.input_name(entry)))
            builder.differ(f"the messages of `{entry}` come by a loop: mappings with `role` and `content`")
        else:
            role, text, *addresses = entry
            images = [_read_pieces(builder, address, names) for address in (addresses[0] if addresses else ())]
            items = tuple({"image_url": {"url": address}} for address in images)
            messages.append(Message(convert_role(role), _read_pieces(builder, text, names), items))
    add_request(builder, dict(prompt.settings))
    return builder.build_parts(messages)


def _read_pieces(builder: TemplateBuilder, text: CodeText, names: InputNames) -> tuple[Piece, ...]:
    if text.template is None and text.is_filled_later:
        return _read_filled_pieces(builder, text, names)
    if text.template is None:
        expressions = {piece.expression for piece in text.pieces if hasattr(piece, "expression")}
        builder.add_differences(d for d in names.differences() if any(f"`{e}`" in d.message for e in expressions))
        return text.pieces
    plain = read_template_text(text.template, text.language, InputNames())
    builder.add_differences(plain.differences)
    return plain.pieces


def _read_filled_pieces(builder: TemplateBuilder, text: CodeText, names: InputNames) -> tuple[Piece, ...]:
    """An f-string outside functions that contains placeholders is filled a second time."""
    slots = [piece for piece in text.pieces if not isinstance(piece, str)]
    numbers = iter(range(len(slots)))
    template = "".join(p if isinstance(p, str) else f"\ue000{next(numbers)}\ue001" for p in text.pieces)
    plain = read_template_text(template, "", InputNames())
    builder.add_differences(plain.differences)
    builder.add_differences(names.differences())
    pieces: list[Piece] = []
    for piece in plain.pieces:
        if not isinstance(piece, str):
            pieces.append(piece)
            continue
        for number, part in enumerate(re.split("\ue000(\\d+)\ue001", piece)):
            pieces.append(slots[int(part)] if number % 2 else part)
    return tuple(pieces)
