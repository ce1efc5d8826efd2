"""Finding whole words and phrases in a text."""

import re
from collections.abc import Iterator

from promptuary.renderer.syntax.regular_expressions import Pattern, compile_pattern

__all__ = ["blank_expressions", "find_word", "has_word", "remove_comments"]

_CLOSING = {"{{": "}}", "{%": "%}"}


def has_word(word: str, text: str) -> bool:
    """Whether the text contains the word or phrase as a whole word, ignoring case."""
    return bool(_compile_word(word).search(text))


def find_word(word: str, text: str) -> Iterator[tuple[int, int]]:
    """Return start and end offsets of the word or phrase as a whole word, ignoring case.

    Of two that are separated by one character only the first is found.
    """
    for match in _compile_word(word).finditer(text):
        yield match.span(1)


def remove_comments(body: str) -> str:
    """Return the body of a document without the template language's comments."""
    pieces: list[str] = []
    start = 0
    while (opening := body.find("{#", start)) >= 0 and (closing := body.find("#}", opening + 2)) >= 0:
        pieces.append(body[start:opening])
        start = closing + 2
    return "".join([*pieces, body[start:]])


def blank_expressions(body: str) -> str:
    """Replace the inside of `{{ }}` and `{% %}` by spaces, since names there aren't text. Offsets and lines stay."""
    pieces: list[str] = []
    start = 0
    open_ended: set[str] = set()  # no closing mark in the rest, so don't search for it again
    for opening in re.finditer(r"\{[{%]", body):
        mark = opening.group()
        if opening.start() < start or mark in open_ended:
            continue
        closing = body.find(_CLOSING[mark], opening.end())
        if closing < 0:
            open_ended.add(mark)
            continue
        pieces += [body[start : opening.end()], re.sub(r"[^\n]", " ", body[opening.end() : closing])]
        start = closing
    return "".join([*pieces, body[start:]])


def _compile_word(word: str) -> Pattern:
    """A pattern in which a space matches any white space.

    Word boundaries are required only next to a letter or digit, so that `C++` is found too.
    """
    phrase = r"\s+".join(re.escape(piece) for piece in word.split())
    before = r"(?:\A|\W)" if _is_letter(word.strip()[0]) else ""
    after = r"(?:\W|\Z)" if _is_letter(word.strip()[-1]) else ""
    return compile_pattern(f"{before}({phrase}){after}", ignore_case=True)


def _is_letter(character: str) -> bool:
    return character.isalnum() or character == "_"
