"""What a shaper needs besides its arguments, and its warnings."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from promptuary.renderer.errors import OutputError

__all__ = ["Clock", "Reader", "require_list", "require_text", "require_texts"]

Clock = Callable[[], datetime]


def _read_clock() -> datetime:
    return datetime.now(UTC)


@dataclass(slots=True)
class Reader:
    """The state of one reading: the clock, the document's output schema, a tokenizer's name, and the notes so far."""

    clock: Clock = _read_clock
    schema: Mapping[str, Any] | None = None
    tokenizer: Any = None
    notes: list[str] = field(default_factory=list)


def require_text(value: Any, name: str) -> str:
    if not isinstance(value, str):
        raise OutputError(f"`{name}` must be text, not {type(value).__name__}")
    return value


def require_list(value: Any, name: str) -> Sequence[Any]:
    if isinstance(value, str | Mapping) or not isinstance(value, Sequence):
        raise OutputError(f"`{name}` must be a list, not {type(value).__name__}")
    return value


def require_texts(value: Any, name: str) -> list[str]:
    return [require_text(item, name) for item in require_list(value, name)]
