"""Renames an input throughout a document: its declaration, if any, and its uses in the text."""

import re
from collections import Counter
from collections.abc import Mapping

from promptuary.renderer import formats
from promptuary.renderer.document import parser as documents
from promptuary.renderer.document.parser import Document
from promptuary.renderer.errors import RenderError
from promptuary.renderer.formats import fragments as document_fragments
from promptuary.renderer.formats.jinja_body import parse_units
from promptuary.renderer.functions import FUNCTIONS
from promptuary.renderer.inputs import declarations
from promptuary.renderer.jinja import Use, list_used_names
from promptuary.renderer.problems import Edit, Fix, Place, unify_newlines
from promptuary.renderer.validation import fixes

__all__ = ["InputRenameError", "rename_input"]

_MAX_NAME_LENGTH = 64


class InputRenameError(ValueError):
    """The input can't be renamed; the message says why. Nothing was changed."""


def rename_input(document: Document, old: str, new: str, fragments: Mapping[str, str]) -> Fix:
    """Return the edits that rename an input, declared or not; the rest of the text stays as it is.

    fragments: the fragments' texts by reference as written. Raises InputRenameError for an invalid name, a name that
    the text uses already or that a fragment uses, and for a use that a small edit can't change.
    """
    _check_new_name(document, new)
    uses = _list_uses(document, fragments)
    is_declared = old in (document.inputs or {})
    if not is_declared and all(use.name != old for use in uses):
        raise InputRenameError(f"There is no input `{old}`.")
    edits = [_make_key_edit(document, old, new)] if is_declared else []
    # A variable that the text sets under the new name isn't a use of an input, and would shadow it.
    if any(use.name == new for use in uses) or re.search(rf"{{[{{%][^{{}}]*(?<![\w.]){new}(?!\w)", document.body):
        raise InputRenameError(f"The text uses `{new}` already.")
    lines = unify_newlines(document.text).split("\n")
    edits.extend(_use_edit(use, lines, new) for use in uses if use.name == old)
    fix = Fix(f"Rename `{old}` to `{new}`", tuple(edits))
    _check_result(fixes.apply_fix(document.text, fix), fragments, _count_names(uses, {old: new}))
    return fix


def _check_new_name(document: Document, new: str) -> None:
    if not declarations.is_input_name(new) or len(new) > _MAX_NAME_LENGTH:
        raise InputRenameError("Use letters, digits and _, starting with a letter; 64 characters at most.")
    if new in (document.inputs or {}):
        raise InputRenameError(f"There is an input `{new}` already.")
    if new in declarations.RESERVED or new in FUNCTIONS:
        raise InputRenameError(f"`{new}` means something else in a text: choose another name.")


def _list_uses(document: Document, fragments: Mapping[str, str]) -> list[Use]:
    offered = {name: function.call for name, function in FUNCTIONS.items()}
    try:
        if document_fragments.can_have_fragments(document):
            return [
                use
                for unit in parse_units(document, fragments, offered)
                for use in list_used_names(unit)
                if use.name not in unit.sandbox.globals
            ]
        body = formats.find_format(document.format).compile(document, fragments, offered)
        return list(body.list_uses()) if isinstance(body, formats.WithUses) else []
    except (LookupError, RecursionError, RenderError) as error:  # LookupError: a missing fragment
        raise InputRenameError("The text has errors. Mend them first.") from error


def _make_key_edit(document: Document, old: str, new: str) -> Edit:
    """An edit that renames the input's declaration."""
    value = document.places.get(("inputs", old))
    lines = unify_newlines(document.text).split("\n")
    key = re.compile(rf"(?<![\w.$-])(?P<name>{re.escape(old)}|\"{re.escape(old)}\"|'{re.escape(old)}')\s*:\s*$")
    before = lines[value.line - 1][: value.column - 1] if value else ""
    match = key.search(before)
    line = value.line if value else 0
    if value and not match and not before.strip():  # the value is on the lines below its key
        line -= 1
        match = key.search(lines[line - 1])
    if match is None:
        raise InputRenameError("The inputs are laid out in a way that only the source can change. Rename it there.")
    return Edit(line, match.start("name") + 1, line, match.end("name") + 1, new)


def _use_edit(use: Use, lines: list[str], new: str) -> Edit:
    if use.is_elsewhere:
        raise InputRenameError(f"A fragment uses `{use.name}`: its name can't change here.")
    place: Place = use.place
    at = lines[place.line - 1][place.column - 1 :]
    if not use.sure or not at.startswith(use.name) or at[len(use.name) : len(use.name) + 1].isidentifier():
        raise InputRenameError(f"Line {place.line} uses `{use.name}` in a way that only the source can change.")
    return Edit(place.line, place.column, place.line, place.column + len(use.name), new)


def _count_names(uses: list[Use], renamed: Mapping[str, str]) -> Counter[str]:
    return Counter(renamed.get(use.name, use.name) for use in uses)


def _check_result(text: str, fragments: Mapping[str, str], expected: Counter[str]) -> None:
    """Check that the new text uses the same inputs as often: a loop variable with the new name would capture some."""
    document, _ = documents.inspect_document(text)
    if document is None or _count_names(_list_uses(document, fragments), {}) != expected:
        raise InputRenameError("The text has something else of that name: choose another, or rename it in the source.")
