"""Findings in the language of the page.

The problems of the renderer, the results of checks and the like are created, stored and sent in English. Pages
translate them with `translate_finding`: it finds the pattern of a text, such as `There is no input {old}.`, and formats
the pattern's translation with the same values. A value may itself be a finding. Text that matches no pattern is
returned unchanged.
"""

import re
from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache

from django.conf import settings
from django.utils.formats import number_format
from django.utils.translation import get_language

from frontend.web.finding_catalogue import FindingCatalogue, FindingPattern, read_catalogue
from promptuary.renderer.problems import Fix, Problem

__all__ = ["translate_fields", "translate_finding", "translate_problem"]

_MAX_LENGTH = 4000  # longer texts aren't translated
_DEEPEST = 5  # how deep values of findings are searched for findings
_JOINTS = ("\n", "; ", ". ", ", ", " and ", " or ")  # separators between findings, the widest first
_GROUPED = re.compile(r"\d{1,3}(?:,\d{3})+")  # a number as formatted in findings
_NUMBER = re.compile(r"_\d+$")  # of a value whose name occurs twice in a pattern


def translate_finding(message: str) -> str:
    """Translate the finding to the language of the page; unchanged in English, or if no pattern matches."""
    language = (get_language() or settings.LANGUAGE_CODE).partition("-")[0]
    if language == settings.LANGUAGE_CODE or not message or len(message) > _MAX_LENGTH:
        return message
    return _translate_text(language, str(message))


def translate_problem(problem: Problem) -> Problem:
    """Translate the problem's message and the title of its fix to the language of the page."""
    fix = Fix(translate_finding(problem.fix.title), problem.fix.edits) if problem.fix else None
    return replace(problem, message=translate_finding(problem.message), fix=fix)


def translate_fields(sentences: Mapping[str, str]) -> dict[str, str]:
    """Translate messages by field name to the language of the page."""
    return {name: translate_finding(sentence) for name, sentence in sentences.items()}


@lru_cache(maxsize=2048)
def _translate_text(language: str, text: str) -> str:
    return _translate(read_catalogue(language), text, _DEEPEST) or text


def _translate(catalogue: FindingCatalogue, text: str, depth: int) -> str | None:
    """The translation, None if no part of the text is known."""
    if _GROUPED.fullmatch(text):
        return number_format(int(text.replace(",", "")), force_grouping=True)
    if depth == 0 or not any(map(str.isalpha, text)):
        return None
    for pattern, values in catalogue.find_matches(text):
        if pattern.is_loose and ". " in text and (joined := _translate_joined(catalogue, text, depth)):
            return joined  # `{where}: {message}` would match a preceding sentence as the place
        translations = _translate_values(catalogue, pattern, values, depth)
        if not pattern.is_loose or any(translations.values()):
            return _fill(pattern, values, translations)
    for translate in (_translate_tail, _translate_edges, _translate_joined):
        translated = translate(catalogue, text, depth)
        if translated:
            return translated
    return None


def _translate_values(
    catalogue: FindingCatalogue, pattern: FindingPattern, values: Mapping[str, str], depth: int
) -> dict[str, str | None]:
    """Translate the values of a finding that are words or findings; None for the others."""
    return {
        name: catalogue.words.get((_NUMBER.sub("", name), value)) or _translate(catalogue, value, depth - 1)
        for name, value in values.items()
        if not pattern.is_quoted(name)
    }


def _fill(pattern: FindingPattern, values: Mapping[str, str], translations: Mapping[str, str | None]) -> str:
    return pattern.translation.format_map({name: translations.get(name) or value for name, value in values.items()})


def _translate_tail(catalogue: FindingCatalogue, text: str, depth: int) -> str | None:
    """Translate a finding that ends with a tail pattern."""
    for pattern in catalogue.tails:
        at = text.rfind(pattern.literals[0], 1)
        values = pattern.read_values(text[at:]) if at > 0 else None
        if values is not None:
            translations = _translate_values(catalogue, pattern, values, depth)
            return (_translate(catalogue, text[:at], depth - 1) or text[:at]) + _fill(pattern, values, translations)
    return None


def _translate_edges(catalogue: FindingCatalogue, text: str, depth: int) -> str | None:
    """Translate a finding that was turned into a sentence, with a full stop or a capital."""
    if text.endswith("."):
        core = _translate(catalogue, text[:-1], depth - 1)
        return f"{core}." if core else None
    if text[0].isupper() and not text[1:2].isupper():
        core = _translate(catalogue, text[0].lower() + text[1:], depth - 1)
        return core[0].upper() + core[1:] if core else None
    return None


def _translate_joined(catalogue: FindingCatalogue, text: str, depth: int) -> str | None:
    """Translate several findings in one text; unknown ones stay unchanged."""
    joint = next((joint for joint in _JOINTS if joint in text), None)
    if joint is None:
        return None
    pieces = _split_outside(text, joint)
    translations = [_translate(catalogue, piece, depth - 1) for piece in pieces]
    if joint == ". ":  # a finding that is a sentence includes its full stop
        sentences = [_translate(catalogue, f"{piece}.", depth - 1) for piece in pieces]
        ends = [sentence.removesuffix(".") if sentence else None for sentence in sentences]
        translations = [translation or end for translation, end in zip(translations, ends, strict=True)]
    between = catalogue.words.get(("joint", joint), joint)
    return (
        between.join(translation or piece for translation, piece in zip(translations, pieces, strict=True))
        if any(translations)
        else None
    )


def _split_outside(text: str, joint: str) -> list[str]:
    """Split at joints outside parentheses."""
    pieces: list[str] = []
    for piece in text.split(joint):
        if pieces and pieces[-1].count("(") > pieces[-1].count(")"):
            pieces[-1] += joint + piece
        else:
            pieces.append(piece)
    return pieces
