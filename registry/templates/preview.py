"""Rendering on the server, for previews and for callers without a client library. Nothing is stored."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext

from promptuary.renderer.errors import RenderError
from promptuary.renderer.isolation.examined import ExaminedDocument
from promptuary.renderer.problems import select_errors
from registry.accounts.actor import Actor
from registry.core import metrics, tracing
from registry.core.errors import Invalid
from registry.core.lru import Recent
from registry.core.renderer_pool import borrow_renderer, list_sources
from registry.namespaces import key_rights
from registry.namespaces.verbs import Verb
from registry.templates import version_queries
from registry.templates.document_check import CheckedDocument, PreviewRequest, check_document, is_limit

__all__ = [
    "TARGETS",
    "render_compared_version",
    "render_examined_document",
    "render_prompt",
    "subscribe_to_renders",
]

TARGETS = ("messages", "text", "tokens")


@dataclass(frozen=True)
class _Comparison:
    """A version's prompt as JSON, `null` if it can't be rendered. Text takes a fraction of the memory of parsed
    data.
    """

    text: str
    is_lasting: bool


_compared: Recent[tuple[int, str, int | None], _Comparison] = Recent(limit=16)
_listeners: list[Callable[[str, int, str], object]] = []


def subscribe_to_renders(listener: Callable[[str, int, str], object]) -> None:
    """Call the listener for each version that a key has rendered here: key id, the version's row id, ref as written."""
    if listener not in _listeners:
        _listeners.append(listener)


def render_prompt(  # noqa: PLR0913  # what a rendering can be asked for
    *,
    actor: Actor,
    data: Mapping[str, Any],
    target: str = "messages",
    name: str | None = None,
    ref: str | None = None,
    document: str | None = None,
    prompt: str | None = None,
    index: int | None = None,
    extra: str = "ignore",
    token_limit: int | None = None,
) -> dict[str, Any]:
    """Render a version (name and ref) or an unsaved document with data, in the bounded child.

    `prompt` is a body to try instead of the document's. `index` selects one if a document makes several prompts.
    Returns the renderer's dict plus `overridden`, `version` and `digest`; both of the latter are None for an overridden
    prompt, and `version` for a document. Invalid carries the problem.
    """
    if target not in TARGETS:
        raise Invalid(fields={"target": gettext("one of {names}.").format(names=", ".join(TARGETS))})
    if (document is None) == (name is None):
        raise Invalid(fields={"template": gettext("give either a template with a ref, or a document.")})
    with tracing.span("render", name, ref or ("production" if name else None)) as current:
        bundle, digest, number = _find_bundle(actor, name, ref, document)
        tracing.record_version(current, number, digest)
        options = {"prompt": prompt, "extra": extra, "token_limit": token_limit}
        rendered = _render_bundle(bundle, data, target, index, **options)
    if prompt is not None:
        return {**rendered, "overridden": True, "version": None, "digest": None}
    stamp = {**rendered["stamp"], "name": name, "version": number}
    return {**rendered, "stamp": stamp, "overridden": False, "version": number, "digest": digest}


def render_examined_document(
    *,
    examined: CheckedDocument,
    data: Mapping[str, Any],
    target: str = "messages",
    index: int = 0,
    with_placeholders: bool = False,
) -> dict[str, Any]:
    """Render a document that was just examined, for the editor's preview, whatever is wrong with its samples.

    Of several prompts it returns the one at `index`, or the last; `prompts` is their number. Invalid carries the
    problem that stops it, or all problems if there is no bundle to render. with_placeholders: missing values are
    rendered as `[path]`, and `placeholders` lists their paths.
    """
    if not examined.bundle:
        raise Invalid(problems=select_errors(examined.problems))
    request, previewed = PreviewRequest(data, target), examined.previewed
    is_rendered = previewed is not None and previewed.data is data and previewed.target == target
    if with_placeholders and is_rendered and examined.preview is not None:
        rendered, placeholders = _read_preview(examined.preview)
    else:
        rendered, placeholders = _render_prompts(examined, request, with_placeholders=with_placeholders)
    if not rendered:
        raise Invalid(fields={"data": gettext("with these inputs the document makes no prompt.")})
    chosen = rendered[min(max(index, 0), len(rendered) - 1)]
    facts = {"prompts": len(rendered), "placeholders": placeholders, "version": None, "digest": examined.digest}
    return {**chosen, **facts}


def _read_preview(preview: ExaminedDocument) -> tuple[list[dict[str, Any]], list[str]]:
    """The prompts that the check rendered, and the placeholders in them."""
    if preview.error is not None:
        raise Invalid(problems=[preview.error.to_problem()]) from preview.error
    return preview.prompts, preview.placeholders


def _render_prompts(
    examined: CheckedDocument, preview: PreviewRequest, *, with_placeholders: bool
) -> tuple[list[dict[str, Any]], list[str]]:
    """Render every prompt of the document. Returns them with the paths of the placeholders in them."""
    bundle = json.loads(examined.bundle)
    try:
        with metrics.RENDER_SECONDS.time(), borrow_renderer() as bounded:
            arguments = (bundle["document"], dict(preview.data))
            if with_placeholders:
                return bounded.render_with_placeholders(*arguments, **list_sources(bundle), target=preview.target)
            return bounded.render_all(*arguments, **list_sources(bundle), target=preview.target), []
    except RenderError as error:
        raise Invalid(problems=[error.to_problem()]) from error


def render_compared_version(
    *, actor: Actor, name: str, number: int, data: Mapping[str, Any], index: int | None
) -> dict[str, Any] | None:
    """Render a version to messages for a comparison, as `render_prompt` does; None if it can't be rendered.

    Recent renderings are cached: while an author types, the version and the data stay the same.
    """
    version = version_queries.resolve_version(actor, name, str(number))

    def render() -> _Comparison:
        try:
            rendered = render_prompt(actor=actor, data=data, name=name, ref=str(number), index=index)
        except Invalid as error:
            return _Comparison("null", is_lasting=not any(is_limit(problem) for problem in error.problems))
        return _Comparison(json.dumps(rendered), is_lasting=rendered["token_count"] is not None)

    key = (version.pk, json.dumps(data, sort_keys=True), index)
    compared: dict[str, Any] | None = json.loads(
        _compared.get(key, render, keep=lambda comparison: comparison.is_lasting).text
    )
    return compared


def _render_bundle(
    bundle: Mapping[str, Any], data: Mapping[str, Any], target: str, index: int | None, **options: Any
) -> dict[str, Any]:
    try:
        with metrics.RENDER_SECONDS.time(), borrow_renderer() as bounded:
            if index is None:
                return bounded.render(bundle["document"], dict(data), **list_sources(bundle), target=target, **options)
            rendered = bounded.render_all(
                bundle["document"], dict(data), **list_sources(bundle), target=target, **options
            )
    except RenderError as error:
        raise Invalid(problems=[error.to_problem()]) from error
    if index >= len(rendered):
        raise Invalid(
            fields={"index": gettext("these data give {count} prompts, counted from 0.").format(count=len(rendered))}
        )
    return rendered[index]


def _find_bundle(
    actor: Actor, name: str | None, ref: str | None, document: str | None
) -> tuple[dict[str, Any], str, int | None]:
    """The bundle to render, its digest, and the number of its version, None for an unsaved document."""
    if name is not None:
        version = version_queries.resolve_version(actor, name, ref or "production")
        if actor.key is not None:
            for listener in _listeners:
                listener(actor.key.id, version.pk, ref or "production")
        return version.unpacked(), version.digest, version.number
    if actor.key is not None:
        key_rights.require_key(actor.key, Verb.CHECK)
    examined = check_document(actor, document or "")
    if not examined.is_sound:
        raise Invalid(problems=select_errors(examined.problems))
    return json.loads(examined.bundle), examined.digest, None
