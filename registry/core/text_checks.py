"""Free text from outside: what the databases, Git and UTF-8 can all hold, no more of it than is sensible, and no
secrets."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from promptuary.renderer.problems import Problem
from promptuary.renderer.validation import secrets, text_scan
from registry.core.errors import Invalid, TooLarge

__all__ = [
    "DOCUMENT_BYTES",
    "MESSAGE_BYTES",
    "SAMPLES_BYTES",
    "check_secrets",
    "check_size",
    "check_text",
    "find_private",
]

DOCUMENT_BYTES = 256 * 1024
SAMPLES_BYTES = 1024 * 1024
MESSAGE_BYTES = 10_000
_BATCH = 100  # rows that are looked through together
_MOST_FOUND = 100


def check_text(field: str, value: object, most: int = MESSAGE_BYTES, *, may_hold_secrets: bool = False) -> str:
    """The value, when it is text without NUL or lone surrogates of at most `most` bytes in UTF-8, and without a
    credential.

    may_hold_secrets: for what never reaches the journal or the mirror, and for what is looked through in another way.
    """
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
    if not may_hold_secrets:
        check_secrets(field, value)
    return value


def check_secrets(field: str, text: str) -> None:
    """Raise Invalid where a credential is in the text, naming the field and the line and never the credential."""
    for secret in secrets.find_secrets(text):
        if secret.sure:
            line = text.count("\n", 0, secret.start) + 1
            raise Invalid(
                fields={
                    field: f"line {line} looks like {secret.kind}. This is kept for ever and mirrored to Git: leave it "
                    f"out, and revoke it where it is real ({secrets.ADVICE})."
                }
            )


def find_private(rows: Sequence[Mapping[str, Any]]) -> Iterator[tuple[int, Problem]]:
    """Secrets and personal data in the values of rows, each with the row's index; at most 100 of them."""
    count = 0
    for start in range(0, len(rows), _BATCH):
        batch = rows[start : start + _BATCH]
        if text_scan.is_harmless(batch):
            continue
        for offset, row in enumerate(batch):
            for problem in text_scan.of_values(row, "", "rows are kept for ever"):
                yield start + offset, problem
                count += 1
                if count == _MOST_FOUND:
                    return


def check_size(field: str, size: int, most: int) -> None:
    """Raise TooLarge where a text has more bytes than allowed."""
    if size > most:
        raise TooLarge(f"{field}: {size} bytes; at most {most} are allowed.", field=field, limit=most)
