"""The kind of each input of a document, as chosen from a list before the template is created."""

from collections.abc import Mapping
from typing import Any

from django.utils.translation import gettext

from frontend.editor.notices import KINDS, choose_input_kind, describe_kind
from promptuary.renderer.inputs.example_data import build_bare
from promptuary.renderer.validation import fixes
from registry.accounts.actor import Actor
from registry.core.errors import Invalid
from registry.templates import document_check
from registry.templates.document_check import ReadDocument

__all__ = ["choose_kinds", "find_kind", "list_kinds", "list_schemas"]

_USERS = ".users"
_FROM_USERS = ("text", "list")
"""Kinds that are also offered for values from users."""
_CHOICE = "choice"
_KEPT = ("description", "untrusted")
"""Keywords that an input keeps when its kind changes."""


def list_schemas(examined: ReadDocument) -> dict[str, dict[str, Any]]:
    """The schemas of all inputs by name: declared ones, then those that the text uses undeclared."""
    declared = dict(examined.document.inputs or {}) if examined.document else {}
    return declared | {undeclared.name: undeclared.schema for undeclared in examined.undeclared.inputs}


def find_kind(schema: Mapping[str, Any]) -> str:
    """The list value of a schema's kind: a key of `KINDS` or `choice`, with `.users` for untrusted values."""
    number = "number" if schema.get("type") == "integer" else choose_input_kind(schema)
    return (_CHOICE if "enum" in schema else number) + (_USERS if schema.get("untrusted") else "")


def list_kinds(schema: Mapping[str, Any]) -> list[tuple[str, str]]:
    """The options for an input, as value and words; its current kind is always included."""
    offered = {kind: str(words) for kind, (words, _) in KINDS.items()}
    offered |= {kind + _USERS: _say_from_users(offered[kind]) for kind in _FROM_USERS}
    own = find_kind(schema)
    if own not in offered:
        words = describe_kind(schema)
        offered[own] = _say_from_users(words) if own.endswith(_USERS) else words
    return list(offered.items())


def choose_kinds(actor: Actor, document: str, kinds: Mapping[str, str]) -> str:
    """The document with the chosen kinds, by input name; unchanged if they are the current ones.

    Choosing a kind for an undeclared input declares all inputs that the text uses, because inputs are declared all or
    none. Values that aren't in the list are ignored. Raises Invalid if only the source can be edited.
    """
    examined = document_check.read_document(actor, document)
    changed_schemas = {
        name: _convert_schema(schema, kinds[name])
        for name, schema in list_schemas(examined).items()
        if name in kinds and kinds[name] != find_kind(schema) and kinds[name] in dict(list_kinds(schema))
    }
    if not changed_schemas or examined.document is None:
        return document
    declared = examined.document.inputs or {}
    edits = [
        fixes.redeclare_input(examined.document, name, schema)
        for name, schema in changed_schemas.items()
        if name in declared
    ]
    undeclared = {
        undeclared_input.name: changed_schemas.get(undeclared_input.name, undeclared_input.schema)
        for undeclared_input in examined.undeclared.inputs
    }
    if undeclared.keys() & changed_schemas.keys():
        edits.append(fixes.declare_all(examined.document, undeclared))
    text = document
    # From the last one up, so that the positions of the others stay valid.
    for fix in sorted(edits, key=lambda fix: fix.edits[0].line if fix else 0, reverse=True):
        if fix is None:
            sentence = gettext("The inputs are laid out in a way that only the source can change. Edit them there.")
            raise Invalid(fields={"document": sentence})
        text = fixes.apply_fix(text, fix)
    return text


def _convert_schema(schema: Mapping[str, Any], kind: str) -> dict[str, Any]:
    """The schema converted to another kind. It is untrusted only if the kind says so."""
    base = kind.removesuffix(_USERS)
    if base == find_kind(schema).removesuffix(_USERS):
        chosen = dict(schema)
    else:
        chosen = {**KINDS[base][1], **{key: schema[key] for key in _KEPT if key in schema}}
        if "default" in schema:
            chosen["default"] = build_bare(chosen)
    chosen.pop("untrusted", None)
    return {**chosen, "untrusted": True} if kind.endswith(_USERS) else chosen


def _say_from_users(words: str) -> str:
    return gettext("{kind}, from users").format(kind=words)
