"""The part of a model's reply received so far, with the tools that it calls."""

from dataclasses import dataclass, field
from typing import Any

from promptuary.evaluation.characters import clean_text

__all__ = ["PartialReply", "ToolCall", "read_count"]

_MAX_TOKENS = 100_000_000  # higher than any real prompt or reply: a larger count is the server's error


@dataclass
class ToolCall:
    """A tool call in a reply. arguments: JSON text as the model wrote it."""

    name: str = ""
    arguments: str = ""


@dataclass
class PartialReply:
    """The part of a reply received so far. Counts are the provider's, None until reported.

    is_complete: whether the provider marked the reply as finished. thoughts: the model's reasoning before the text,
    billed like the text. The text of a refusal is in `text`.
    """

    text: str = ""
    thoughts: str = ""
    tool_calls: dict[Any, ToolCall] = field(default_factory=dict)
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    finish_reason: str | None = None
    is_complete: bool = False

    @property
    def size(self) -> int:
        """Characters received so far: text, thoughts and tool calls."""
        calls = sum(len(call.name) + len(call.arguments) for call in self.tool_calls.values())
        return len(self.text) + len(self.thoughts) + calls

    def clean(self) -> None:
        """Keep only what can be stored and counted: some servers send invalid counts and reasons."""
        self.prompt_tokens, self.completion_tokens = read_count(self.prompt_tokens), read_count(self.completion_tokens)
        self.finish_reason, self.thoughts = _clean(self.finish_reason) or None, _clean(self.thoughts)
        for call in self.tool_calls.values():
            call.name, call.arguments = _clean(call.name), _clean(call.arguments)


def read_count(value: Any) -> int | None:
    """The server's token count; None if the value isn't a plausible count."""
    return value if type(value) is int and 0 <= value <= _MAX_TOKENS else None


def _clean(value: Any) -> str:
    return clean_text(value) if isinstance(value, str) else ""
