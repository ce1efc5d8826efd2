"""Search terms: how names and texts are indexed and searched.

A term is a word in lower case without accents. A word in a text is found by its beginning; a name is indexed by the
ends of its words too, so any part of a word in a name is found. Scripts that put no space between words are indexed at
every character. A value to filter by (a facet) becomes one term that begins with an underscore, which no word contains.
Terms are ASCII, other letters being written as hexadecimal UTF-8, because the databases support different versions of
Unicode.
"""

import hashlib
import re
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

__all__ = [
    "MAX_VALUE_LENGTH",
    "Term",
    "TermGroup",
    "index_name",
    "list_text_terms",
    "read_words",
    "write_facet_term",
    "write_word_group",
]

MAX_LETTERS = 40
"""Longer words are cut, both when indexed and when searched."""

MAX_VALUE_LENGTH = 200
"""The most characters of a facet value; longer ones are cut."""

MAX_BYTES = 500_000
"""Terms of a text beyond this many bytes are not indexed: PostgreSQL stores at most a mebibyte of them per row."""

_WORD = re.compile(r"[^\W_]+")
_UNSPACED = re.compile(  # Thai, Lao, Burmese, Hangul (decomposed), Khmer, Chinese and Japanese
    "[\u0e00-\u0eff\u1000-\u11ff\u1780-\u17ff\u2e80-\u9fff\uac00-\ud7ff\uf900-\ufaff\U00020000-\U0003ffff]"
)
_WINDOW = 8  # the length of an indexed sequence in a script without spaces
_WORD_MARK, _NAME_MARK, _FACET_MARK = ("", "_u"), ("_n", "_m"), "__"


@dataclass(frozen=True)
class Term:
    """A term to search for, whole or as a prefix."""

    text: str
    is_prefix: bool = False

    @property
    def is_facet(self) -> bool:
        """Whether it is a value to filter by and not a word."""
        return self.text.startswith(_FACET_MARK)


TermGroup = tuple[Term, ...]
"""Alternative terms, of which at least one must occur."""


def read_words(text: str) -> list[str]:
    """The words to search for, in their order and normalized as in the index."""
    words = []
    for word in _split_words(text):
        if _UNSPACED.search(word):
            words += [word[start : start + _WINDOW] for start in range(0, len(word), _WINDOW)]
        else:
            words.append(word[:MAX_LETTERS])
    return words


def list_text_terms(texts: Iterable[str]) -> list[str]:
    """The distinct words of the texts, sorted; only the first ones if there are too many."""
    terms: set[str] = set()
    size = 0
    for word in _list_indexed_words(texts):
        if word not in terms:
            size += len(word) + 1
            if size > MAX_BYTES:
                break
            terms.add(word)
    return sorted(terms)


def index_name(name: str) -> list[str]:
    """The suffixes of all words of a name, sorted, so that `fund` finds `refunds`."""
    words = read_words(name)
    return sorted({_encode(word[start:], _NAME_MARK) for word in words for start in range(len(word))})


def write_facet_term(kind: str, value: str) -> str:
    """The term for a value to filter by. Hashed, so that a value may contain any characters."""
    text = f"{kind}:{value[:MAX_VALUE_LENGTH]}".encode("utf-8", "surrogatepass")
    return _FACET_MARK + hashlib.blake2b(text, digest_size=10).hexdigest()


def write_word_group(word: str, *, only_names: bool = False) -> TermGroup:
    """The terms that find a word from `read_words`: a prefix of a word in the text, or any part of the name."""
    in_name = Term(_encode(word, _NAME_MARK), is_prefix=True)
    return (in_name,) if only_names else (Term(_encode(word, _WORD_MARK), is_prefix=True), in_name)


def _split_words(text: str) -> list[str]:
    folded = text.casefold()
    if not folded.isascii():
        letters = unicodedata.normalize("NFKD", folded)
        folded = "".join(letter for letter in letters if not unicodedata.combining(letter)).casefold()
    return _WORD.findall(folded)


def _list_indexed_words(texts: Iterable[str]) -> Iterator[str]:
    for text in texts:
        for word in _split_words(text):
            if word.isascii():
                yield word[:MAX_LETTERS]
            elif _UNSPACED.search(word):
                for start in range(len(word)):
                    yield _encode(word[start : start + _WINDOW], _WORD_MARK)
            else:
                yield _encode(word[:MAX_LETTERS], _WORD_MARK)


def _encode(word: str, marks: tuple[str, str]) -> str:
    plain, other = marks
    return plain + word if word.isascii() else other + word.encode("utf-8", "surrogatepass").hex()
