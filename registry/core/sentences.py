"""Sentences that are made of texts from elsewhere, such as the messages of errors."""

__all__ = ["end_sentence"]


def end_sentence(text: str) -> str:
    """The text with a full stop, unless it ends like a sentence already."""
    return text if text.endswith((".", "!", "?")) else f"{text}."
