"""References as they are written in a document: `"support/policy@3"` in quotes of either kind."""

import re
from collections.abc import Iterable

__all__ = ["replace_references", "written_references"]


def written_references(document: str, refs: Iterable[str]) -> list[str]:
    """Those of the refs that the document itself names, in the order of the refs."""
    return [ref for ref in refs if _pattern(ref).search(document)]


def replace_references(document: str, refs: Iterable[str], target: str) -> str:
    """The document with each of the refs replaced by the target, whatever quotes it is in."""
    for ref in refs:
        document = _pattern(ref).sub(lambda found: f"{found[1]}{target}{found[1]}", document)
    return document


def _pattern(ref: str) -> re.Pattern[str]:
    return re.compile(rf"([\"']){re.escape(ref)}\1")
