"""Shapers for replies and answers, with the documents that an answer refers to.

An answer is `{"answer", "type", "score", "context", "offsets_in_document", "offsets_in_context", "document_ids",
"meta"}`.
"""

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

from promptuary.renderer.errors import OutputError
from promptuary.renderer.functions.documents import read_id, show_all
from promptuary.renderer.replies.shapers.context import Reader, require_list, require_text, require_texts
from promptuary.renderer.syntax.regular_expressions import Pattern, PatternError, TooLong, compile_pattern

__all__ = ["answers_to_strings", "strings_to_answers"]


def answers_to_strings(
    answers: Sequence[Any], pattern: str | None = None, str_replace: Mapping[str, str] | None = None
) -> list[str]:
    """The text of each answer, shown through `pattern`: `$answer`, `$idx` and the fields of its meta."""
    return show_all(answers, pattern, str_replace)


def strings_to_answers(
    strings: Sequence[str],
    prompts: Sequence[Any] | None = None,
    documents: Sequence[Any] | None = None,
    pattern: str | None = None,
    reference_pattern: str | None = None,
    reference_mode: str = "index",
    reference_meta_field: str | None = None,
    *,
    reader: Reader,
) -> list[dict[str, Any]]:
    """An answer for each reply.

    `pattern` finds the answer in the reply: its one group, or the whole match; no match gives an empty answer.
    `reference_pattern` finds the documents the answer refers to, by number from 1 (`index`), `id`, or a `meta` field;
    several in one bracket, as in `[1, 3]`, are all found, and each document is named once. Without it an answer has
    all. With as many prompts as documents, the n-th prompt's replies belong to the n-th document.
    """
    texts = require_texts(strings, "strings")
    owners = _list_owners(len(texts), prompts, documents)
    answers = []
    for number, (text, (prompt, own_documents)) in enumerate(zip(texts, owners, strict=True), start=1):
        candidates = _list_candidates(own_documents, reference_mode, reference_meta_field)
        answer = text if pattern is None or pattern == "" else _extract(pattern, text)
        references, unknown = _find_references(answer, reference_pattern, candidates)
        if unknown:
            reader.notes.append(f"answer {number} refers to {', '.join(unknown)}, which is not a document it was given")
        answers.append(_answer(answer, references, prompt))
    return answers


def _answer(text: str, document_ids: list[str] | None, prompt: Any) -> dict[str, Any]:
    return {
        "answer": text,
        "type": "generative",
        "score": None,
        "context": None,
        "offsets_in_document": None,
        "offsets_in_context": None,
        "document_ids": document_ids,
        "meta": {"prompt": prompt},
    }


def _list_owners(count: int, prompts: Any, documents: Any) -> list[tuple[Any, Sequence[Any] | None]]:
    """The prompt and the documents of each reply."""
    document_list = None if documents is None else require_list(documents, "documents")
    prompt_list = require_list(prompts, "prompts") if prompts is not None else []
    if len(prompt_list) <= 1:
        return [(prompt_list[0] if prompt_list else None, document_list)] * count
    if count % len(prompt_list):
        raise OutputError(f"{count} replies cannot be shared out among {len(prompt_list)} prompts")
    if document_list is not None and len(document_list) != len(prompt_list):
        raise OutputError(
            f"{len(prompt_list)} prompts cannot be matched to {len(document_list)} documents; one each is needed"
        )
    share = count // len(prompt_list)
    return [
        (prompt, [document_list[index]] if document_list else None)
        for index, prompt in enumerate(prompt_list)
        for _ in range(share)
    ]


def _list_candidates(documents: Sequence[Any] | None, mode: str, field: str | None) -> dict[str, str]:
    """The possible texts of a reference, each with the id of its document."""
    if mode not in ("index", "id", "meta"):
        raise OutputError(f"`reference_mode` is index, id or meta, not {mode!r}")
    if mode == "meta" and not field:
        raise OutputError("`reference_meta_field` must name the field that `reference_mode: meta` looks at")
    candidates = {}
    for number, document in enumerate(documents or (), start=1):
        name = read_id(document)
        if mode == "meta":
            meta = document.get("meta") if isinstance(document, Mapping) else None
            value = meta.get(field) if isinstance(meta, Mapping) else None
            if value:
                candidates[str(value)] = name
        else:
            candidates[str(number) if mode == "index" else name] = name
    return candidates


def _extract(pattern: str, text: str) -> str:
    try:
        match = _compile_pattern(require_text(pattern, "pattern")).search(text)
    except TooLong as error:
        raise OutputError(f"`pattern` can't be used: {error}") from error
    if match is None:
        return ""
    if match.lastindex is not None and match.lastindex > 1:
        raise OutputError(f"the pattern {pattern!r} took more than one group; one says what the answer is")
    extracted: str = match[match.lastindex or 0]
    return extracted


def _find_references(
    text: str, pattern: str | None, candidates: Mapping[str, str]
) -> tuple[list[str] | None, list[str]]:
    """(ids of the documents referred to, without duplicates and in order; references that match none)"""
    if not candidates:
        return None, []
    if not pattern:
        return list(candidates.values()), []
    compiled = _widen_pattern(require_text(pattern, "reference_pattern"))
    if compiled.groups > 1:
        raise OutputError(f"the reference pattern {pattern!r} has {compiled.groups} groups; at most one is taken")
    references: dict[str, None] = {}
    unknown: dict[str, None] = {}
    try:
        matches = list(compiled.finditer(text))
    except TooLong as error:
        raise OutputError(f"`reference_pattern` can't be used: {error}") from error
    for match in matches:
        captured = match[compiled.groups] or ""
        for reference in [captured] if captured in candidates else _SEPARATOR.split(captured):
            if reference.strip() in candidates:
                references[candidates[reference.strip()]] = None
            else:
                unknown[reference.strip()] = None
    return list(references), [reference for reference in unknown if reference]


_SEPARATOR = re.compile(r"\s*(?:,|;|&|\band\b)\s*")


@lru_cache(maxsize=64)
def _compile_pattern(pattern: str) -> Pattern:
    try:
        return compile_pattern(pattern)
    except PatternError as error:
        raise OutputError(f"the pattern {pattern!r} is not a regular expression: {error}") from error


@lru_cache(maxsize=64)
def _widen_pattern(pattern: str) -> Pattern:
    r"""The pattern with its one group, such as `(\d+)`, extended to match a list of references too: `1, 3`."""
    compiled = _compile_pattern(pattern)
    group = _find_only_group(pattern) if compiled.groups == 1 else None
    if group is None:
        return compiled
    start, end, inner = group
    try:
        inner_pattern = compile_pattern(inner)
        if inner_pattern.search(",") or inner_pattern.search(";"):  # it matches lists already
            return compiled
        wide = compile_pattern(f"{pattern[:start]}((?:{inner})(?:{_SEPARATOR.pattern}(?:{inner}))*){pattern[end:]}")
    except PatternError:
        return compiled
    return wide if wide.groups == 1 else compiled


def _find_only_group(pattern: str) -> tuple[int, int, str] | None:
    """(start, end, inner pattern) of the only capturing group, skipping escapes and character classes."""
    openings: list[int] = []
    group: tuple[int, int, str] | None = None
    for match in re.finditer(r"\\.|\[\^?\]?(?:\\.|[^\]\\])*\]|\(|\)", pattern, re.DOTALL):
        if match[0] == "(":
            openings.append(match.start())
        elif match[0] == ")" and openings:
            start = openings.pop()
            if pattern[start + 1 : start + 2] != "?":
                group = start, match.end(), pattern[start + 1 : match.start()]
    return group
