"""Fixes that an author applies with one click; each edits the text or the samples of the editor's state."""

from collections.abc import Callable, Mapping
from typing import Any

from django.utils.translation import gettext, ngettext

from frontend.editor.example_fillings import fill_with_examples
from frontend.editor.example_inputs import drop_spent_inputs
from frontend.editor.input_kinds import list_schemas
from frontend.editor.notices import KINDS, MissingValue, choose_input_kind, list_missing_values
from frontend.editor.sample_edits import (
    drop_value,
    fill_missing_value,
    read_value,
    remove_sample,
    rename_value,
    set_values,
)
from frontend.editor.state import EditorState, select_sample
from frontend.web.findings import translate_finding
from promptuary.renderer.document import parser
from promptuary.renderer.document.parser import Document
from promptuary.renderer.inputs.example_data import build_bare
from promptuary.renderer.problems import Fix
from promptuary.renderer.validation import fixes
from promptuary.renderer.validation.input_renames import InputRenameError, rename_input
from registry.accounts.actor import Actor
from registry.core.errors import Invalid
from registry.core.input_checks import BadJson, parse_json
from registry.templates import document_check, imports
from registry.templates.document_check import ReadDocument

__all__ = ["QUICK_FIXES", "apply_quick_fix"]

Fields = Mapping[str, Any]


def apply_quick_fix(actor: Actor, state: EditorState, verb: str, subject: str, fields: Fields) -> str:
    """Change the state's text or samples, and return the message about it.

    subject: an input, a path such as `customer.name`, or a sample's name. fields: the values of the notices' controls.
    Raises Invalid if the layout of the text can only be edited in the source, or if there is nothing to do.
    """
    return QUICK_FIXES[verb](actor, state, subject, fields)


def _declare(actor: Actor, state: EditorState, _: str, fields: Fields) -> str:
    read = document_check.read_document(actor, state.document)
    schemas = {
        undeclared_input.name: _choose_schema(undeclared_input.name, undeclared_input.schema, fields)
        for undeclared_input in read.undeclared.inputs
    }
    _declare_all(state, read, schemas)
    message = ngettext("Declared {count} input.", "Declared {count} inputs.", len(schemas)).format(count=len(schemas))
    if dropped := drop_spent_inputs(actor, state):
        removed = gettext("Removed what only the example used: {names}.").format(names=", ".join(dropped))
        return f"{message} {removed}"
    return message


def _make_optional(actor: Actor, state: EditorState, name: str, _: Fields) -> str:
    read = document_check.read_document(actor, state.document)
    _set_default(state, read, name, build_bare)
    return gettext("{name} is optional now: it is empty where nobody sends it.").format(name=name)


def _give_default(actor: Actor, state: EditorState, name: str, fields: Fields) -> str:
    typed = str(fields.get(f"default.{name}", ""))
    if not typed.strip():
        raise Invalid(fields={f"default.{name}": gettext("Enter the default first.")})
    read = document_check.read_document(actor, state.document)
    _set_default(state, read, name, lambda schema: _read_typed(name, schema, typed, f"default.{name}"))
    return gettext("{name} has a default now.").format(name=name)


def _use_value(_: Actor, state: EditorState, path: str, __: Fields) -> str:
    value = read_value(state.data, path)
    if value is None:
        raise Invalid(fields={"data": gettext("Enter a value for {path} first.").format(path=path)})
    state.samples = fill_missing_value(state.samples, path, value)
    return gettext("Every sample has a value for {path} now.").format(path=path)


def _find_missing(actor: Actor, state: EditorState) -> list[MissingValue]:
    examined = document_check.check_document(actor, state.document, state.samples, name=state.name)
    return list_missing_values(examined.problems, state.samples, state.sample)


def _use_all_values(actor: Actor, state: EditorState, _: str, __: Fields) -> str:
    """Copy the displayed sample's values to the samples that lack them."""
    paths = [missing.path for missing in _find_missing(actor, state) if missing.has_value]
    if not paths:
        raise Invalid(fields={"data": gettext("Enter the values first.")})
    for path in paths:
        state.samples = fill_missing_value(state.samples, path, read_value(state.data, path))
    return gettext("Every sample has a value for {path} now.").format(path=", ".join(paths))


def _make_all_optional(actor: Actor, state: EditorState, _: str, fields: Fields) -> str:
    names = [missing.path for missing in _find_missing(actor, state) if missing.can_be_optional]
    for name in names:
        _make_optional(actor, state, name, fields)
    return ngettext(
        "{count} input is optional now: it is empty where nobody sends it.",
        "{count} inputs are optional now: they are empty where nobody sends them.",
        len(names),
    ).format(count=len(names))


def _give_defaults(actor: Actor, state: EditorState, _: str, fields: Fields) -> str:
    """Set the typed defaults; inputs without one stay required."""
    names = [
        missing.path
        for missing in _find_missing(actor, state)
        if missing.can_be_optional and str(fields.get(f"default.{missing.path}", "")).strip()
    ]
    if not names:
        raise Invalid(fields={"document": gettext("Enter a default first.")})
    for name in names:
        _give_default(actor, state, name, fields)
    sentence = ngettext("{count} input has a default now.", "{count} inputs have a default now.", len(names))
    return sentence.format(count=len(names))


def _remove_lacking_samples(actor: Actor, state: EditorState, _: str, __: Fields) -> str:
    names = list(dict.fromkeys(name for missing in _find_missing(actor, state) for name in missing.samples))
    for name in names:
        _remove_sample(actor, state, name, {})
    return ngettext("Removed {count} sample.", "Removed {count} samples.", len(names)).format(count=len(names))


def _set_for_all(actor: Actor, state: EditorState, name: str, fields: Fields) -> str:
    """Set the typed value of an input in every sample that lacks one."""
    typed = str(fields.get(f"set.{name}", ""))
    if not typed.strip():
        raise Invalid(fields={f"set.{name}": gettext("Enter the value first.")})
    schemas = list_schemas(document_check.read_document(actor, state.document))
    if name not in schemas:
        raise Invalid(fields={"name": gettext("The text does not use {name}.").format(name=name)})
    state.samples = fill_missing_value(state.samples, name, _read_typed(name, schemas[name], typed, f"set.{name}"))
    select_sample(state, state.sample)
    return gettext("Every sample has a value for {path} now.").format(path=name)


def _fill_with_examples(actor: Actor, state: EditorState, _: str, __: Fields) -> str:
    """Fill every missing input of the displayed sample with an example value; creates the first sample if there are
    none.
    """
    schemas = list_schemas(document_check.read_document(actor, state.document))
    values = fill_with_examples(state.data, schemas)
    if values == state.data:
        raise Invalid(fields={"data": gettext("Every input has a value or a default already.")})
    state.samples, name = set_values(state.samples, state.sample, values)
    select_sample(state, name)
    return gettext("Filled the sample {name} with examples.").format(name=name)


def _drop_value(_: Actor, state: EditorState, name: str, __: Fields) -> str:
    """Remove the values of an input that the text no longer has."""
    count = sum(name in values for values in state.samples.values())
    state.samples = drop_value(state.samples, name)
    select_sample(state, state.sample)
    sentence = ngettext("Removed {name} from {count} sample.", "Removed {name} from {count} samples.", count)
    return sentence.format(name=name, count=count)


def _remove_sample(_: Actor, state: EditorState, name: str, __: Fields) -> str:
    if name not in state.samples:
        raise Invalid(fields={"sample": gettext("There is no sample called {name}.").format(name=name)})
    state.samples = remove_sample(state.samples, name)
    select_sample(state, state.sample)
    return gettext("Removed the sample {name}.").format(name=name)


def _rename(actor: Actor, state: EditorState, name: str, fields: Fields) -> str:
    read = document_check.read_document(actor, state.document)
    new = str(fields.get("new_name", "")).strip()
    try:
        fix = rename_input(_require_document(read), name, new, read.fragment_texts)
    except InputRenameError as error:
        raise Invalid(fields={"new_name": translate_finding(str(error))}) from error
    _apply(state, fix)
    state.samples = rename_value(state.samples, name, new)
    select_sample(state, state.sample)
    return gettext("{old} is called {new} now, in the text and in the samples.").format(old=name, new=new)


def _write_parts(actor: Actor, state: EditorState, _: str, __: Fields) -> str:
    """Convert a plain prompt, pasted as the whole document, to parts; valid front matter is kept."""
    text, front = state.document, ""
    document, problems = parser.inspect_document(text)
    if document is not None and document.body != text and not problems:
        text, front = document.body, text[: len(text) - len(document.body)]
    pasted = imports.read_pasted_prompt(actor=actor, namespace=state.namespace.name, text=text, as_document=True)
    if pasted is None:
        raise Invalid(fields={"document": gettext("This text can't be read as a document. Its problems say why.")})
    if pasted.kind == "several":
        message = gettext("This text has {count} prompts. Paste it on the page Import, which makes a template of each.")
        raise Invalid(fields={"document": message.format(count=pasted.count)})
    state.document = front + pasted.body if front else pasted.document or pasted.body
    summary = ngettext(
        "Turned into {count} part: {names}.", "Turned into {count} parts: {names}.", pasted.count
    ).format(count=pasted.count, names=", ".join(pasted.part_names))
    if pasted.title:
        summary = f"{gettext('Looks like {format}.').format(format=translate_finding(pasted.title))} {summary}"
    if pasted.reason:
        summary = f"{summary} {translate_finding(pasted.reason).removesuffix('.')}."
    if pasted.differences:
        summary = f"{summary} {gettext('Changed:')} {'; '.join(map(translate_finding, pasted.differences))}."
    return summary


QUICK_FIXES: Mapping[str, Callable[[Actor, EditorState, str, Fields], str]] = {
    "parts": _write_parts,
    "declare": _declare,
    "optional": _make_optional,
    "default": _give_default,
    "fill": _use_value,
    "fill-all": _use_all_values,
    "optional-all": _make_all_optional,
    "default-all": _give_defaults,
    "remove-samples": _remove_lacking_samples,
    "set-all": _set_for_all,
    "examples": _fill_with_examples,
    "drop-value": _drop_value,
    "remove-sample": _remove_sample,
    "rename": _rename,
}
"""The fixes by the verb of their button."""


def _set_default(
    state: EditorState, read: ReadDocument, name: str, value_of: Callable[[Mapping[str, Any]], Any]
) -> None:
    """Write a default for a declared input. An undeclared one is declared together with all others, because inputs are
    declared all or none.
    """
    document = _require_document(read)
    if name in (document.inputs or {}):
        _apply(state, fixes.set_default(document, name, value_of((document.inputs or {})[name])))
        return
    schemas = {undeclared_input.name: undeclared_input.schema for undeclared_input in read.undeclared.inputs}
    if name not in schemas:
        raise Invalid(fields={"name": gettext("The text does not use {name}.").format(name=name)})
    schemas[name] = {**schemas[name], "default": value_of(schemas[name])}
    _declare_all(state, read, schemas)


def _declare_all(state: EditorState, read: ReadDocument, schemas: Mapping[str, dict[str, Any]]) -> None:
    if not schemas:
        raise Invalid(fields={"document": gettext("Every input of this text is declared already.")})
    _apply(state, fixes.declare_all(_require_document(read), schemas))


def _apply(state: EditorState, fix: Fix | None) -> None:
    if fix is None:
        message = gettext("The inputs are laid out in a way that only the source can change. Edit them there.")
        raise Invalid(fields={"document": message})
    state.document = fixes.apply_fix(state.document, fix)


def _require_document(read: ReadDocument) -> Document:
    if read.document is None:
        raise Invalid(problems=read.problems)
    return read.document


def _choose_schema(name: str, schema: dict[str, Any], fields: Fields) -> dict[str, Any]:
    """The inferred schema, or that of the kind the author chose; it gets a default unless it is required."""
    kind = str(fields.get(f"kind.{name}", ""))
    if kind not in KINDS:
        return schema
    default = schema.get("default")
    chosen = dict(schema if kind == choose_input_kind(schema) else KINDS[kind][1])
    chosen.pop("default", None)
    if f"required.{name}" in fields:
        return chosen
    fits = "default" in schema and kind == choose_input_kind(schema)
    return {**chosen, "default": default if fits else build_bare(chosen)}


def _read_typed(name: str, schema: Mapping[str, Any], typed: str, field: str) -> Any:
    """Parse a typed value as the input's type. Raises Invalid naming the field."""
    if schema.get("type", "string") == "string":
        return typed
    try:
        return parse_json(typed.encode())
    except BadJson as error:
        message = gettext('Enter a value for {name} that can be read as JSON, like 3, true or ["a"].')
        raise Invalid(fields={field: message.format(name=name)}) from error
