"""A reply of a model as far as it has come, with the tools that it calls."""

from dataclasses import dataclass, field
from typing import Any

__all__ = ["PartialReply", "ToolCall"]


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
