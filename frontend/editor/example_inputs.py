"""Drops inputs declared by an example document that the text of a new template no longer uses."""

from collections.abc import Iterator
from functools import cache
from typing import Any

from frontend.editor.example_documents import EXAMPLES
from frontend.editor.state import STARTER, STARTER_SAMPLES, EditorState, select_sample
from promptuary.renderer.document import parser
from promptuary.renderer.validation import fixes
from registry.accounts.actor import Actor
from registry.templates import document_check

__all__ = ["drop_spent_inputs"]


def drop_spent_inputs(actor: Actor, state: EditorState) -> list[str]:
    """Remove an example's inputs from the document of a never saved template if the text no longer uses them; returns
    their names.

    An input is removed only if it is declared as in the example. The last one stays, and so do those in a layout that
    only the source can change. Their example values are removed from the samples, and so is a sample that had no
    others.
    """
    if state.latest is not None:
        return []
    read = document_check.read_document(actor, state.document)
    declared = (read.document.inputs if read.document else None) or {}
    candidates = [name for name, schema in declared.items() if schema in _list_schemas().get(name, [])]
    # Finding the inputs in use parses the whole text, so check first whether there are any candidates.
    used = read.undeclared.used if candidates else None
    if used is None:
        return []
    dropped = []
    for name in candidates:
        current, _ = parser.inspect_document(state.document)
        fix = fixes.undeclare_input(current, name) if current and name not in used else None
        if fix is not None:
            state.document = fixes.apply_fix(state.document, fix)
            dropped.append(name)
    if dropped:
        selected = {
            sample: {name: value for name, value in values.items() if name not in dropped or not _is_given(name, value)}
            for sample, values in state.samples.items()
        }
        state.samples = {sample: values for sample, values in selected.items() if values or not state.samples[sample]}
        select_sample(state, state.sample)
    return dropped


@cache
def _list_schemas() -> dict[str, list[Any]]:
    """The schemas that examples declare, by input name."""
    inputs: dict[str, list[Any]] = {}
    for text in (STARTER, *(example.document for example in EXAMPLES.values())):
        for name, schema in (parser.parse_document(text).inputs or {}).items():
            inputs.setdefault(name, []).append(schema)
    return inputs


def _is_given(name: str, value: Any) -> bool:
    return any(values.get(name) == value for values in _list_values())


def _list_values() -> Iterator[dict[str, Any]]:
    yield from STARTER_SAMPLES.values()
    for example in EXAMPLES.values():
        yield from example.samples.values()
