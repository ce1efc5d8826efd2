"""Sentences made of other texts, such as the messages of errors."""

__all__ = ["end_sentence", "quote_start"]

_MOST_QUOTED = 160  # characters of a message that are in a sentence; the rest is where its link leads


def end_sentence(text: str) -> str:
    """The text with a full stop, unless it ends like a sentence already."""
    return text if text.endswith((".", "!", "?")) else f"{text}."


def quote_start(text: str) -> str:
    """The beginning of what somebody wrote, as a sentence quotes it."""
    return text.strip()[:_MOST_QUOTED]
