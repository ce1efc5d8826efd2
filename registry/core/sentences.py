"""Building sentences from other texts, such as error messages."""

__all__ = ["end_sentence", "quote_start"]

_MAX_QUOTED = 160  # the most characters of a message quoted in a sentence; the rest is behind its link


def end_sentence(text: str) -> str:
    """The text with a full stop, unless it already ends with one."""
    return text if text.endswith((".", "!", "?")) else f"{text}."


def quote_start(text: str) -> str:
    """The beginning of a text, for quoting in a sentence."""
    return text.strip()[:_MAX_QUOTED]
