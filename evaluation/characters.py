"""Characters of a model's reply that can be stored: no database takes NUL, or half of a surrogate pair."""

__all__ = ["CharacterReader", "clean_text"]


class CharacterReader:
    """Reads text in pieces, of which one may end between the halves of a surrogate pair."""

    def __init__(self) -> None:
        self._half = ""

    def read(self, piece: str) -> str:
        """The characters that the piece completes, as `clean_text` gives them."""
        text, self._half = self._half + piece, ""
        if "\ud800" <= text[-1:] <= "\udbff":
            text, self._half = text[:-1], text[-1]
        return clean_text(text)


def clean_text(text: str) -> str:
    """The text with surrogate pairs joined; NUL and what is left of lone halves become U+FFFD."""
    if not text.isascii():
        text = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text.replace("\0", "\ufffd")
