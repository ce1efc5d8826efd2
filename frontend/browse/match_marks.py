"""Highlighted search matches in the list of templates: text in pieces, and the matching line of a document."""

import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from django.db.models.functions import Length

from registry.templates.models import TOMBSTONE, Template, Version

__all__ = ["Piece", "compile_text_pattern", "compile_word_pattern", "find_matching_lines", "mark_words"]

_MAX_CHARACTERS = 60_000  # of a bundle that is searched for the line
_BEFORE, _MAX_LENGTH = 30, 110  # characters per line


@dataclass(frozen=True)
class Piece:
    """A piece of text, and whether it matches a word."""

    text: str
    marked: bool = False


def compile_word_pattern(words: str) -> re.Pattern[str] | None:
    """A pattern that matches the words of a search anywhere, as in names, or None if there aren't any."""
    parts = sorted(re.findall(r"[^\W_]+", words), key=len, reverse=True)
    return re.compile("|".join(map(re.escape, parts)), re.IGNORECASE) if parts else None


def compile_text_pattern(words: str) -> re.Pattern[str] | None:
    """A pattern that matches as a search does in texts, or None without words: at the beginning of words, and a word
    with signs in it, such as `0.50`, as a whole where it occurs.
    """
    parts = {*words.split(), *re.findall(r"[^\W_]+", words)}
    words_and_parts = [part for part in sorted(parts, key=len, reverse=True) if re.search(r"[^\W_]", part)]
    # Scripts without spaces between words are ASCII in no part.
    starts = [f"(?<![^\\W_]){re.escape(part)}" if part.isascii() else re.escape(part) for part in words_and_parts]
    return re.compile("|".join(starts), re.IGNORECASE) if starts else None


def mark_words(text: str, pattern: re.Pattern[str] | None) -> list[Piece]:
    """Split the text into pieces, with those that match the pattern marked."""
    if pattern is None:
        return [Piece(text)] if text else []
    pieces, place = [], 0
    for match in pattern.finditer(text):
        pieces += [Piece(text[place : match.start()]), Piece(match[0], marked=True)]
        place = match.end()
    return [piece for piece in (*pieces, Piece(text[place:])) if piece.text]


def find_matching_lines(templates: Sequence[Template], pattern: re.Pattern[str] | None) -> dict[int, list[Piece]]:
    """The line of the latest document with most of the words, marked, by template id; only templates with a match.

    Long documents are skipped to limit what a list reads.
    """
    if pattern is None or not templates:
        return {}
    rows = Version.objects.filter(pk__in=[template.latest_id for template in templates]).exclude(bundle=TOMBSTONE)
    rows = rows.annotate(size=Length("bundle")).filter(size__lte=_MAX_CHARACTERS)
    lines = {}
    for template, bundle in rows.values_list("template_id", "bundle"):
        line = _find_line(str(json.loads(bundle)["document"]).split("\n"), pattern)
        if line:
            lines[template] = mark_words(line, pattern)
    return lines


def _find_line(lines: Iterable[str], pattern: re.Pattern[str]) -> str:
    """The first of the lines in which most characters of different words are found; empty without any."""
    line = max(lines, key=lambda each: sum(map(len, {match.casefold() for match in pattern.findall(each)})), default="")
    match = pattern.search(line)
    if match is None:
        return ""
    start = max(0, match.start() - _BEFORE)
    piece = line[start : start + _MAX_LENGTH].strip()
    return f"{'… ' if start else ''}{piece}{' …' if len(line) > start + _MAX_LENGTH else ''}"
