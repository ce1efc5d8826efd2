"""Fragments: other documents' texts, included by a pinned reference and stored in the bundle."""

import re
from collections.abc import Callable, Mapping

from promptuary.renderer.document import parser as documents
from promptuary.renderer.document.parser import Document
from promptuary.renderer.errors import DocumentError, FragmentError
from promptuary.renderer.jinja import Reference, Sandbox, find_references, parse_template
from promptuary.renderer.problems import Edit, Fix, Place

__all__ = ["MAX_DEPTH", "Source", "can_have_fragments", "resolve_fragments"]

MAX_DEPTH = 8
_LIMIT = 64
_MAX_BYTES = 1024 * 1024

Source = Mapping[str, str] | Callable[[str], str] | None
"""Where fragments are looked up: a mapping, or a function that raises LookupError for an unknown reference.

A function may have an attribute `pin(reference) -> str | None` that returns the pinned form of a label reference, for
the problem's fix.
"""

_NAME = r"[a-z0-9](?:[a-z0-9-]{0,62}[a-z0-9])?(?:/[a-z0-9](?:[a-z0-9-]{0,62}[a-z0-9])?)+"
_PINNED = re.compile(rf"{_NAME}@(?:[1-9][0-9]{{0,8}}|sha256:[0-9a-f]{{64}})")


_SPELLED = re.compile(r"\b(?:fragment|include)\b")


def resolve_fragments(document: Document, source: Source) -> dict[str, str]:
    """Return every fragment's text, nested ones too, by the reference as written. Raises FragmentError."""
    texts: dict[str, str] = {}
    _resolve_includes(document, source, texts, (), None)
    return texts


def can_have_fragments(document: Document) -> bool:
    """Whether the format allows fragments: only Jinja bodies can refer to them."""
    return document.format in ("parts", "text")


def _resolve_includes(
    document: Document, source: Source, texts: dict[str, str], path: tuple[str, ...], place: Place | None
) -> None:
    if not can_have_fragments(document) or not _SPELLED.search(document.body):
        return
    unit = parse_template(Sandbox({}), None, document.body, document.body_line, place)
    for reference in find_references(unit):
        if reference.ref in path:
            chain = " includes ".join((*path[path.index(reference.ref) :], reference.ref))
            raise FragmentError(f"fragments go in a circle: {chain}", code="PT503", place=reference.place)
        if len(path) >= MAX_DEPTH:
            raise FragmentError(f"fragments nested deeper than {MAX_DEPTH}", code="PT504", place=reference.place)
        if reference.ref not in texts:
            texts[reference.ref] = _fetch(reference, source)
            if len(texts) > _LIMIT or sum(map(len, texts.values())) > _MAX_BYTES:
                message = f"more than {_LIMIT} fragments, or more than {_MAX_BYTES:,} characters of them"
                raise FragmentError(message, code="PT504", place=reference.place)
        inner = read_fragment(reference, texts[reference.ref], document)
        _resolve_includes(inner, source, texts, (*path, reference.ref), reference.place)


def _fetch(reference: Reference, source: Source) -> str:
    ref = reference.ref
    if not _PINNED.fullmatch(ref):
        raise _refuse_unpinned(reference, source)
    try:
        if source is None:
            raise LookupError(ref)
        return source(ref) if callable(source) else source[ref]
    except LookupError as error:
        raise FragmentError(f"there is no fragment `{ref}`", code="PT501", place=reference.place) from error


def _refuse_unpinned(reference: Reference, source: Source) -> FragmentError:
    ref, place = reference.ref, reference.place
    pin = getattr(source, "pin", None)
    pinned = pin(ref) if callable(pin) else None
    fix, quotes = None, reference.quotes
    if pinned and quotes.end_line is not None and quotes.end_column is not None:
        edit = Edit(quotes.line, quotes.column, quotes.end_line, quotes.end_column, f'"{pinned}"')
        fix = Fix(f"Pin to {pinned}", (edit,))
    if re.fullmatch(rf"{_NAME}@.+", ref):
        message = f"`{ref}` names a label, which moves; name a version such as `{ref.partition('@')[0]}@3`"
    else:
        message = f"`{ref}` is not a pinned reference; write `namespace/name@3`"
    return FragmentError(message, code="PT502", place=place, fix=fix)


def read_fragment(reference: Reference, text: str, includer: Document) -> Document:
    """Parse a fragment and check that it can be used where it is included."""
    try:
        inner = documents.parse_document(text)
    except DocumentError as error:
        message = f"the fragment `{reference.ref}` has an error: {error}"
        raise FragmentError(message, code="PT501", place=reference.place) from error
    if not can_have_fragments(inner):
        message = f"the fragment `{reference.ref}` has format {inner.format}; only parts and text can be fragments"
        raise FragmentError(message, code="PT507", place=reference.place)
    if reference.kind == "parts" and inner.format != includer.format:
        message = f"`{reference.ref}` has format {inner.format}, this document {includer.format}; use fragment()"
        raise FragmentError(message, code="PT507", place=reference.place)
    return inner
