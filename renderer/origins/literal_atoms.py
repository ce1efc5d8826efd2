"""Atoms of a content: the characters of one run of the author's, or one slot for a value."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from promptuary.renderer.origins.scalar_text import Run

__all__ = ["Atom", "cut_run", "shorten_atom", "spell_escapes"]

_SPELLING = re.compile(r"<\|space\|>|\\n|\\r")


@dataclass(frozen=True, slots=True)
class Atom:
    """Characters of a content before values are filled in: the author's, with the run they came from, or one slot."""

    text: str
    run: Run | None = None
    style: str = ""
    indent: int = 0
    slot: int = -1


def cut_run(words: str, run: Run, start: int, end: int, style: str, indent: int) -> Atom:
    """Return the atom of a run's characters `start` to `end`; the whole run if it is written differently."""
    if not run.is_verbatim:
        return Atom(words, run, style, indent)
    source = run.source_start
    return Atom(words[start:end], Run(0, end - start, source + start, source + end), style, indent)


def shorten_atom(atom: Atom, start: int, end: int) -> Atom:
    """Return the atom's characters `start` to `end`."""
    if atom.run is None or (start == 0 and end == len(atom.text)):
        return atom
    if not atom.run.is_verbatim:
        return replace(atom, text=atom.text[start:end])
    return cut_run(atom.text, atom.run, start, end, atom.style, atom.indent)


def spell_escapes(atoms: Sequence[Atom]) -> list[Atom]:
    """Join adjacent literals and replace `<|space|>`, `\\n` and `\\r` by what they mean."""
    text = "".join(atom.text for atom in atoms)
    spellings = list(_SPELLING.finditer(text))
    if not spellings:
        return list(atoms)
    result: list[Atom] = []
    at = 0
    for match in spellings:
        result += _select_between(atoms, at, match.start())
        pieces = [atom.run for atom in _select_between(atoms, match.start(), match.end()) if atom.run is not None]
        character = {"<|space|>": " ", "\\n": "\n", "\\r": "\r"}[match[0]]
        run = Run(0, 1, pieces[0].source_start, pieces[-1].source_end)
        result.append(Atom(character, run, atoms[0].style, atoms[0].indent))
        at = match.end()
    return result + _select_between(atoms, at, len(text))


def _select_between(atoms: Sequence[Atom], start: int, end: int) -> list[Atom]:
    result: list[Atom] = []
    at = 0
    for atom in atoms:
        left, right = max(start, at), min(end, at + len(atom.text))
        if left < right:
            result.append(shorten_atom(atom, left - at, right - at))
        at += len(atom.text)
    return result
