"""Free text from outside: what the databases, Git and UTF-8 can all hold, and no more of it than is sensible."""

from registry.errors import Invalid, TooLarge

__all__ = ["DOCUMENT_BYTES", "MESSAGE_BYTES", "SAMPLES_BYTES", "check_size", "check_text"]

DOCUMENT_BYTES = 256 * 1024
SAMPLES_BYTES = 1024 * 1024
MESSAGE_BYTES = 10_000


def check_text(field: str, value: object, most: int = MESSAGE_BYTES) -> str:
    """The value, when it is text without NUL or lone surrogates of at most `most` bytes in UTF-8."""
    if not isinstance(value, str):
        raise Invalid(fields={field: f"this must be text, not {type(value).__name__}."})
    if "\0" in value:
        line = value[: value.index("\0")].count("\n") + 1
        raise Invalid(fields={field: f"line {line} holds a NUL character, which no text may."})
    try:
        size = len(value.encode("utf-8"))
    except UnicodeEncodeError as error:
        line = value[: error.start].count("\n") + 1
        raise Invalid(fields={field: f"line {line} holds half of a surrogate pair, which is no character."}) from error
    check_size(field, size, most)
    return value


def check_size(field: str, size: int, most: int) -> None:
    """Raise TooLarge where a text has more bytes than allowed."""
    if size > most:
        raise TooLarge(f"{field}: {size} bytes; at most {most} are allowed.", field=field, limit=most)
