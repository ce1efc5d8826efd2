"""Chat markup of open models other than ChatML: Llama 2 and 3, Mistral, Gemma, Phi, Zephyr; one part per message.

The markup itself is dropped, since each model's profile adds its own when the prompt is rendered.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from promptuary.renderer.interop.chat_messages import read_messages
from promptuary.renderer.interop.imported import ImportedTemplate, LossError
from promptuary.renderer.interop.source_file import SourceFile
from promptuary.renderer.interop.template_builder import TemplateBuilder

__all__ = ["KIND", "TurnText", "build_turns", "is_chat_markup", "read_chat_markup"]

KIND = "chat-markup"
_ROLES = {"model": "assistant", "ipython": "tool"}


@dataclass(frozen=True)
class TurnText:
    """The text of a message between its marks; `is_closed` tells whether a mark ends it."""

    role: str
    text: str
    is_closed: bool


# For each family: the mark that starts a message, with its role, and the marks that may end one.
_FAMILIES = (
    (re.compile(r"<\|start_header_id\|>(?P<role>\w+)<\|end_header_id\|>"), re.compile(r"<\|(?:eot_id|eom_id)\|>")),
    (re.compile(r"<start_of_turn>(?P<role>user|model|system)\b"), re.compile(r"<end_of_turn>")),
    (re.compile(r"<\|(?P<role>system|user|assistant)\|>"), re.compile(r"<\|end\|>|</s>")),
)
_INSTRUCTION = re.compile(r"\[INST\](?P<user>.*?)\[/INST\](?P<answer>.*?)(?=(?:<s>)?\s*\[INST\]|\Z)", re.DOTALL)
_SYSTEM = re.compile(r"\s*<<SYS>>(?P<system>.*?)<</SYS>>", re.DOTALL)
_FIRST_MARKS = ("<s>", "<bos>", "<|begin_of_text|>")
_LAST_MARKS = ("</s>", "<|end_of_text|>")


def is_chat_markup(text: str) -> bool:
    """Whether the text starts with a message in one of these forms."""
    inner = _unwrap(text)
    return inner.startswith("[INST]") or any(start.match(inner) for start, _ in _FAMILIES)


def _unwrap(text: str) -> str:
    """Strip the marks at start and end of the text, and the white space around them."""
    inner = text.strip()
    for mark in _FIRST_MARKS:
        if inner.startswith(mark):
            inner = inner.removeprefix(mark).lstrip()
            break
    for mark in _LAST_MARKS:
        if inner.endswith(mark):
            return inner.removesuffix(mark).rstrip()
    return inner


def read_chat_markup(source: SourceFile) -> list[ImportedTemplate]:
    """Read the messages as one template, less an empty last turn of the assistant. Raises LossError with the line."""
    inner = _unwrap(source.text)
    first_line = source.text.count("\n", 0, source.text.find(inner)) + 1
    builder = TemplateBuilder(KIND, source.stem)
    turns = _split_instructions(inner) if inner.startswith("[INST]") else _split_marked_turns(inner, first_line)
    builder.differ("the markers are left out; each model's own are added when the prompt is rendered")
    return [build_turns(builder, turns)]


def build_turns(builder: TemplateBuilder, turns: list[TurnText]) -> ImportedTemplate:
    """Build a template of the turns, stripped of surrounding white space. Raises LossError."""
    if turns and turns[-1].role == "assistant" and not turns[-1].text.strip() and not turns[-1].is_closed:
        turns = turns[:-1]
        builder.differ("the empty last turn is left out; the reply starts there anyway")
    if any(turn.text != turn.text.strip() for turn in turns):
        builder.differ("white space around each message is left out")
    messages = [{"role": turn.role, "content": turn.text.strip()} for turn in turns]
    return builder.build_parts(read_messages(builder, messages))


def _split_marked_turns(text: str, first_line: int) -> list[TurnText]:
    start, end = next((family for family in _FAMILIES if family[0].match(text)), _FAMILIES[0])
    marks = list(start.finditer(text))
    if not marks:
        raise LossError("it starts with no message of a role")
    turns = []
    for mark, following in zip(marks, [*marks[1:], None], strict=True):
        content = text[mark.end() : following.start() if following else len(text)]
        closing = end.search(content)
        if closing is not None and content[closing.end() :].strip():
            behind = mark.end() + closing.end()
            raise LossError("there is text between two messages", first_line + text.count("\n", 0, behind))
        role = mark["role"]
        spoken = content[: closing.start()] if closing else content
        turns.append(TurnText(_ROLES.get(role, role), spoken, closing is not None))
    return turns


def _find_instructions(text: str) -> Iterator[re.Match[str]]:
    """Yield the closed instructions. An open one is not searched for: each would be compared with all that follows."""
    end = 0
    while (start := text.find("[INST]", end)) >= 0 and text.find("[/INST]", start) >= 0:
        match = _INSTRUCTION.match(text, start)
        if match is None:
            return
        yield match
        end = match.end()


def _split_instructions(text: str) -> list[TurnText]:
    turns: list[TurnText] = []
    for match in _find_instructions(text):
        user = match["user"]
        if system := _SYSTEM.match(user):
            turns.append(TurnText("system", system["system"], True))
            user = user[system.end() :]
        turns.append(TurnText("user", user, True))
        answer, closed, _ = match["answer"].partition("</s>")
        if answer.strip():
            turns.append(TurnText("assistant", answer, bool(closed)))
    if not turns:
        raise LossError("`[INST]` is not closed by `[/INST]`")
    return turns
