"""Whole numbers in text from outside: forms, query parameters, addresses."""

__all__ = ["parse_number"]


def parse_number(text: str, *, digits: int = 9) -> int | None:
    """The number that a text of ASCII digits says, None for anything else and for more digits than so many.

    The bound keeps numbers within the database's integers, and int() away from texts without end.
    """
    return int(text) if text.isascii() and text.isdigit() and len(text) <= digits else None
