"""A reply of a model as far as it has come, with the tools that it calls."""

from dataclasses import dataclass, field
from typing import Any

from promptuary.evaluation.characters import clean_text

__all__ = ["PartialReply", "ToolCall", "read_count"]

_MOST_TOKENS = 100_000_000  # no prompt and no reply has more: a higher count is an error of the server


@dataclass
class ToolCall:
    """A call of a tool that a model asks for. arguments: JSON text as the model wrote it."""

    name: str = ""
    arguments: str = ""


@dataclass
class PartialReply:
    """A reply as far as it has come. Counts are the provider's, None until it tells them.

    is_complete: whether the provider said that nothing follows. A refusal's words are its text. thoughts: what the
    model wrote for itself before it; it is billed as the text is.
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
        """Characters that came so far, in its text and beside it."""
        calls = sum(len(call.name) + len(call.arguments) for call in self.tool_calls.values())
        return len(self.text) + len(self.thoughts) + calls

    def clean(self) -> None:
        """Leave only what can be stored and counted: servers send counts and reasons that are none."""
        self.prompt_tokens, self.completion_tokens = read_count(self.prompt_tokens), read_count(self.completion_tokens)
        self.finish_reason, self.thoughts = _clean(self.finish_reason) or None, _clean(self.thoughts)
        for call in self.tool_calls.values():
            call.name, call.arguments = _clean(call.name), _clean(call.arguments)


def read_count(value: Any) -> int | None:
    """The tokens that a server counted; None if the value is no such count."""
    return value if type(value) is int and 0 <= value <= _MOST_TOKENS else None


def _clean(value: Any) -> str:
    return clean_text(value) if isinstance(value, str) else ""
