"""Shapers that make documents, or texts of them. A document is `{"content", "id", "meta", "score"}`."""

from collections.abc import Mapping, Sequence
from typing import Any

from promptuary.renderer.errors import OutputError
from promptuary.renderer.functions import join
from promptuary.renderer.functions.documents import read_content, show_all
from promptuary.renderer.functions.murmur3 import hash_text
from promptuary.renderer.replies.shapers.context import require_list, require_texts

__all__ = [
    "documents_to_strings",
    "join_documents",
    "join_documents_and_scores",
    "join_documents_to_string",
    "strings_to_documents",
]


def _build_document(content: str, meta: Mapping[str, Any] | None = None, key: str | None = None) -> dict[str, Any]:
    return {
        "content": content,
        "id": hash_text(content if key is None else key),
        "meta": dict(meta or {}),
        "score": None,
    }


def join_documents_to_string(
    documents: Sequence[Any],
    delimiter: str = " ",
    pattern: str | None = None,
    str_replace: Mapping[str, str] | None = None,
) -> str:
    """One text of all documents, each shown through `pattern`."""
    return join(documents, delimiter, pattern, str_replace)


def join_documents(
    documents: Sequence[Any],
    delimiter: str = " ",
    pattern: str | None = None,
    str_replace: Mapping[str, str] | None = None,
) -> list[dict[str, Any]]:
    """One document, in a list, of the contents of all; their meta is dropped."""
    return [_build_document(join(documents, delimiter, pattern, str_replace))]


def join_documents_and_scores(documents: Sequence[Any]) -> list[dict[str, Any]]:
    """One document, in a list, with a line `-[score] content` for each; the score is read from `meta.score` or
    `score`.
    """
    lines = [
        f"-[{round(_score(document), 2)}] {read_content(document)}" for document in require_list(documents, "documents")
    ]
    return [_build_document("\n".join(lines))]


def _score(document: Any) -> float:
    fields = document if isinstance(document, Mapping) else {}
    meta = fields.get("meta") or {}
    score = meta.get("score", fields.get("score")) if isinstance(meta, Mapping) else None
    try:
        return float(score)  # type: ignore[arg-type]  # None and worse raise the TypeError caught here
    except (TypeError, ValueError):
        raise OutputError("a document has no score, neither in `meta` nor beside it") from None


def documents_to_strings(
    documents: Sequence[Any], pattern: str | None = None, str_replace: Mapping[str, str] | None = None
) -> list[str]:
    """The text of each document, shown through `pattern`."""
    return show_all(documents, pattern, str_replace)


def strings_to_documents(
    strings: Sequence[str],
    meta: Mapping[str, Any] | Sequence[Mapping[str, Any] | None] | None = None,
    id_hash_keys: Sequence[str] | None = None,
) -> list[dict[str, Any]]:
    """A document for each text. `meta` is one mapping for all, or a list with one for each.

    A document's id is the fingerprint of its content, or of the fields that `id_hash_keys` names: `content`, `meta`,
    `meta.<field>`.
    """
    texts = require_texts(strings, "strings")
    if meta is None or isinstance(meta, Mapping):
        metas: Sequence[Mapping[str, Any] | None] = [meta] * len(texts)
    else:
        metas = require_list(meta, "meta")
        if len(metas) != len(texts):
            raise OutputError(f"`meta` has {len(metas)} items for {len(texts)} texts")
    keys = None if id_hash_keys is None else require_texts(id_hash_keys, "id_hash_keys")
    return [
        _build_document(text, own_meta, _hash_key(text, own_meta or {}, keys))
        for text, own_meta in zip(texts, metas, strict=True)
    ]


def _hash_key(content: str, meta: Mapping[str, Any], keys: list[str] | None) -> str | None:
    if keys is None:
        return None
    text = ""
    for key in keys:
        if key.startswith("meta."):
            text += f":{meta[key[5:]]}" if key[5:] in meta else ""
        elif key in ("content", "meta"):
            text += f":{content if key == 'content' else dict(meta)}"
        else:
            raise OutputError(f"`{key}` in `id_hash_keys` is none of content, meta and meta.<field>")
    if not text:
        raise OutputError("none of the fields in `id_hash_keys` is there")
    return text
