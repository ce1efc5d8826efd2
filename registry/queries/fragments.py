"""Fragments: what the references of a document mean to the person who saves it."""

from dataclasses import dataclass, field

import renderer
from registry import names
from registry.access import Actor
from registry.errors import Invalid, NotAllowed, NotFound
from registry.names import split_address
from registry.queries import versions
from renderer.problems import Edit, Fix, Problem

__all__ = ["Resolved", "resolve"]

_CODE = "PT501"  # the renderer's own for a fragment that can't be had
_MOST_BYTES = 1024 * 1024


@dataclass
class Resolved:
    """Fragment texts by ref as written, nested ones too, and what is wrong with the references."""

    texts: dict[str, str] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)


def resolve(actor: Actor, document: str) -> Resolved:
    """Find what each reference names, through versions the actor may read.

    A fragment's own fragments come out of its bundle: they were frozen when it was saved. Labels are refused, because what
    they name can change; the problem then carries a fix with the number the label stands on.
    """
    resolved = Resolved()
    for reference in renderer.references(document):
        if reference.ref in resolved.texts:
            continue
        try:
            _take(actor, reference, resolved)
        except (NotFound, NotAllowed, Invalid) as error:
            resolved.problems.append(_problem(reference, error.message))
    if sum(len(text) for text in resolved.texts.values()) > _MOST_BYTES:
        resolved.problems.append(
            Problem(_CODE, "error", f"The fragments come to more than {_MOST_BYTES} characters together.", 1, 1)
        )
    return resolved


def _take(actor: Actor, reference: "renderer.Reference", resolved: Resolved) -> None:
    name, at = split_address(reference.ref)
    label = names.parse_ref(at).label
    version = versions.resolve(actor, name, at)
    if label is None:
        bundle = version.unpacked()
        resolved.texts.update(bundle["fragments"])
        resolved.texts[reference.ref] = bundle["document"]
        return
    pinned = f"{name}@{version.number}"
    cure = Fix(f"Pin it to {pinned}", (_edit(reference, pinned),))
    sentence = f"{at} can come to mean another version: a fragment is pinned by number or digest."
    resolved.problems.append(_problem(reference, sentence, cure))


def _edit(reference: "renderer.Reference", text: str) -> Edit:
    return Edit(reference.line, reference.column, reference.end_line, reference.end_column, text)


def _problem(reference: "renderer.Reference", message: str, fix: Fix | None = None) -> Problem:
    return Problem(
        _CODE,
        "error",
        f"{reference.ref}: {message}",
        reference.line,
        reference.column,
        reference.end_line,
        reference.end_column,
        fix,
    )
