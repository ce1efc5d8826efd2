"""Personal data in documents, samples and datasets: card and bank account numbers, e-mail addresses.

These are stored permanently like everything else, but can be legitimate (a service's own address), so they are a
warning.
"""

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass

from stdnum import iban, luhn
from stdnum.iso7064 import mod_97_10

from promptuary.renderer.validation.secrets import find_hints

__all__ = ["PersonalDatum", "find_personal_data"]

_CARD = re.compile(r"(?<![\w.,+-])(?<!\d\d[ -])[2-6]\d{3}(?:[ -]?\d){9,15}(?![\w]|[.,-]\d)")
_IBAN = re.compile(r"(?<![A-Za-z0-9])[A-Z]{2}\d{2}(?: ?[A-Z0-9]){11,30}(?![a-z0-9])")
_EMAIL = re.compile(
    r"(?<![A-Za-z0-9._%+-])[A-Za-z0-9_%+][A-Za-z0-9._%+-]{0,63}"
    r"@((?:[A-Za-z0-9-]{1,63}\.){1,8}[A-Za-z]{2,24})(?![A-Za-z0-9-])"
)
_HINTS = (r"\p{Nd}(?:[ -]?\p{Nd}){12}", r"[A-Z]{2}\p{Nd}{2}", "@")
# Names that RFC 2606 and RFC 6761 reserve for examples: nobody has an address there.
_RESERVED = re.compile(r"(?i)(?:^|\.)(?:example(?:\.(?:com|net|org))?|test|invalid|localhost)$")


@dataclass(frozen=True, slots=True)
class PersonalDatum:
    """`start` and `end` are offsets."""

    kind: str
    start: int
    end: int


def find_personal_data(text: str) -> Iterator[PersonalDatum]:
    """Find numbers with correct check digits, and e-mail addresses outside reserved example domains, by kind."""
    return _find(text, find_hints(text, _HINTS))


def _find(text: str, hints: Collection[int]) -> Iterator[PersonalDatum]:
    """As `find_personal_data`; `hints` are the indices in _HINTS of what can occur."""
    if 0 in hints:
        for match in _CARD.finditer(text):
            digits = re.sub(r"\D", "", match.group())
            if len(digits) >= 13 and len(set(digits)) > 1 and luhn.is_valid(digits):
                yield PersonalDatum("the number of a payment card", *match.span())
    if 1 in hints:
        for match in _IBAN.finditer(text):
            end = _end_of_iban(match.group())
            if end:
                yield PersonalDatum("the number of a bank account", match.start(), match.start() + end)
    if 2 in hints:
        for match in _EMAIL.finditer(text):
            if not _RESERVED.search(match.group(1)):
                yield PersonalDatum("an e-mail address", *match.span())


def _end_of_iban(text: str) -> int:
    """The length of the account number at the start of the text, 0 without one; capitals may follow it directly."""
    compact = text.replace(" ", "")
    for length in range(len(compact), 14, -1):
        number = compact[:length]
        # Check digits first: the library's other checks are ten times slower.
        if mod_97_10.checksum(number[4:] + number[:4]) == 1 and iban.is_valid(number):
            return _find_place(text, length)
    return 0


def _find_place(text: str, count: int) -> int:
    """The offset after this many non-blank characters."""
    for place, character in enumerate(text, start=1):
        count -= character != " "
        if not count:
            return place
    return len(text)
