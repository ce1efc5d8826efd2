"""Bytes as text, and places of problems in it."""

from collections.abc import Iterable

from promptuary.renderer.problems import Edit, Problem, unify_newlines

__all__ = ["check_places", "decode_text"]


def decode_text(data: bytes) -> str:
    """Decode any bytes. Bytes that are not UTF-8 become lone surrogates, which are refused in documents."""
    return data.decode("utf-8", "surrogateescape")


def check_places(text: str, problems: Iterable[Problem]) -> None:
    """Fail if the place of a problem or of its fix is outside the text."""
    lines = [len(line) for line in unify_newlines(text).split("\n")]
    for problem in problems:
        assert problem.message
        places: list[Problem | Edit] = [problem, *(problem.fix.edits if problem.fix else ())]
        for place in places:
            assert 1 <= place.line <= len(lines), problem
            assert 1 <= place.column <= lines[place.line - 1] + 1, problem
            if place.end_line is not None and place.end_column is not None:
                assert (place.line, place.column) <= (place.end_line, place.end_column), problem
                assert place.end_line <= len(lines), problem
                assert place.end_column <= lines[place.end_line - 1] + 1, problem
