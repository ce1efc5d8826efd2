"""Model reply text that can be stored: databases reject NUL and unpaired surrogates."""

__all__ = ["CharacterReader", "clean_text"]


class CharacterReader:
    """Cleans text that arrives in chunks; a chunk may end in the middle of a surrogate pair."""

    def __init__(self) -> None:
        self._half = ""

    def read(self, piece: str) -> str:
        """Return the characters that the chunk completes, cleaned as by `clean_text`."""
        text, self._half = self._half + piece, ""
        if "\ud800" <= text[-1:] <= "\udbff":
            text, self._half = text[:-1], text[-1]
        return clean_text(text)


def clean_text(text: str) -> str:
    """Return the text with surrogate pairs joined; NUL and unpaired surrogates become U+FFFD."""
    if not text.isascii():
        text = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text.replace("\0", "\ufffd")
