"""Rendering of columns from the draft or a version, with the code used for previews and the API."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext

from promptuary.renderer.errors import InputError
from promptuary.renderer.problems import select_errors
from registry.accounts.actor import Actor
from registry.connections import queries as connection_queries
from registry.connections.endpoint import Endpoint
from registry.connections.refused_settings import describe_refused_settings
from registry.connections.reply_limits import REPLY_LIMITS, find_longest_reply
from registry.core.errors import Invalid, NotFound
from registry.journal.event import format_canonical_json
from registry.namespaces.models import Namespace
from registry.namespaces.verbs import Verb
from registry.playground.models import PlaygroundColumn
from registry.templates import document_check, preview, version_queries
from registry.templates.document_check import CheckedDocument
from registry.templates.models import Version

__all__ = [
    "MAX_COLUMNS",
    "ColumnRequest",
    "RenderedColumn",
    "choose_settings",
    "find_endpoints",
    "load_bundles",
    "read_columns",
    "render_columns",
    "require_settings_taken",
]

MAX_COLUMNS = 4


@dataclass(frozen=True)
class ColumnRequest:
    """What a column runs. source: `draft`, a label or a version's number; document: the draft's text, else empty.

    settings: those of temperature, top_p, seed and max_tokens that replace the document's.
    """

    source: str
    model: str
    document: str = ""
    settings: Mapping[str, Any] | None = None


@dataclass(frozen=True)
class RenderedColumn:
    """A column's prompt. prompt: messages, tools, settings (all sent to the model), reserve, digest."""

    version: Version | None
    bundle: str
    prompt: dict[str, Any]
    tokens: int | None
    longest_reply: int


def read_columns(columns: Any) -> list[ColumnRequest]:
    """Parse the columns of a request. Raises Invalid with each field at fault."""
    if not isinstance(columns, Sequence) or isinstance(columns, str) or not 1 <= len(columns) <= MAX_COLUMNS:
        raise Invalid(fields={"columns": gettext("from 1 to {most_columns} columns.").format(most_columns=MAX_COLUMNS)})
    faults: dict[str, str] = {}
    requests = [_read_column(column, faults, f"columns.{position}") for position, column in enumerate(columns)]
    if faults:
        raise Invalid(fields=faults)
    return [request for request in requests if request is not None]


def _read_column(value: Any, faults: dict[str, str], place: str) -> ColumnRequest | None:
    """Parse a column of a request; errors are added to `faults` by field, below `place`."""
    if not isinstance(value, Mapping):
        faults[place] = gettext("a column is an object with source, model and settings.")
        return None
    texts = {name: value.get(name, "") for name in ("source", "model", "document")}
    for name, text in texts.items():
        if not isinstance(text, str):
            faults[f"{place}.{name}"] = gettext("this must be text.")
    if not texts["source"]:
        faults[f"{place}.source"] = gettext("choose the draft, a label or a version.")
    if not texts["model"]:
        faults[f"{place}.model"] = gettext("choose a model.")
    settings = _read_settings(value.get("settings") or {}, faults, f"{place}.settings")
    if any(field.startswith(place) for field in faults):
        return None
    return ColumnRequest(texts["source"], texts["model"], texts["document"], settings)


def _read_settings(value: Any, faults: dict[str, str], place: str) -> dict[str, Any]:
    if not isinstance(value, Mapping):
        faults[place] = gettext("settings are an object.")
        return {}
    settings = {name: setting for name, setting in value.items() if setting is not None}
    for name, setting in settings.items():
        if name not in _SETTINGS:
            faults[f"{place}.{name}"] = gettext("one of {names}.").format(names=", ".join(_SETTINGS))
            continue
        is_whole, minimum, maximum = _SETTINGS[name]
        kinds = (int,) if is_whole else (int, float)
        if isinstance(setting, bool) or not isinstance(setting, kinds) or not minimum <= setting <= maximum:
            faults[f"{place}.{name}"] = (
                gettext("a whole number from {least} to {most}.")
                if is_whole
                else gettext("a number from {least} to {most}.")
            ).format(least=minimum, most=maximum)
    return settings


_SETTINGS: dict[str, tuple[bool, int, int]] = {  # whether it is an integer, the minimum, the maximum
    "temperature": (False, 0, 2),
    "top_p": (False, 0, 1),
    "seed": (True, 0, 2**31 - 1),
    "max_tokens": (True, 1, 1_000_000),
}


def find_endpoints(namespace: Namespace, requests: Sequence[ColumnRequest]) -> list[Endpoint]:
    """The model of each column. Raises Invalid for columns whose model the namespace does not have."""
    by_name = {endpoint.name: endpoint for endpoint in connection_queries.list_endpoints(namespace.name)}
    names = ", ".join(by_name)
    faults = {
        f"columns.{position}.model": gettext("{name} has no model {value!r}; it has {names}.").format(
            name=namespace.name, value=request.model[:80], names=names
        )
        for position, request in enumerate(requests)
        if request.model not in by_name
    }
    if faults:
        raise Invalid(fields=faults)
    return [by_name[request.model] for request in requests]


def render_columns(
    actor: Actor, name: str, requests: Sequence[ColumnRequest], inputs: Mapping[str, Any]
) -> list[RenderedColumn]:
    """Render all columns. Raises Invalid with the faults of all of them."""
    faults: dict[str, str] = {}
    rendered = []
    for position, request in enumerate(requests):
        try:
            rendered.append(_render_column(actor, name, request, inputs, f"columns.{position}"))
        except Invalid as error:
            faults = {**error.fields, **faults}
    if faults:
        raise Invalid(fields=faults)
    return rendered


def _render_column(
    actor: Actor, name: str, request: ColumnRequest, inputs: Mapping[str, Any], place: str
) -> RenderedColumn:
    """Render what the column runs.

    Raises Invalid with the fields at fault: `inputs.…`, or those of the column at `place`.
    """
    version = None
    if request.source == PlaygroundColumn.DRAFT:
        bundle, rendered = _render_draft(actor, request.document, inputs, place)
    else:
        version = _find_version(actor, name, request.source, place)
        bundle = format_canonical_json(version.unpacked())
        try:
            rendered = preview.render_prompt(actor=actor, data=inputs, name=name, ref=str(version.number))
        except Invalid as error:
            raise _place_error(error, f"{place}.source") from error
    settings, longest = choose_settings(rendered, request)
    prompt = {
        "messages": rendered["messages"],
        "tools": rendered["tools"],
        "settings": settings,
        "reserve": rendered["reserve"],
        "digest": rendered["stamp"]["rendered_digest"],
    }
    return RenderedColumn(version, bundle, prompt, rendered["token_count"], longest)


def choose_settings(rendered: Mapping[str, Any], request: ColumnRequest) -> tuple[dict[str, Any], int]:
    """The settings of a column's call, and the most tokens that its reply may take."""
    settings = _merge_settings(rendered["settings"] or {}, request.settings or {})
    return settings, find_longest_reply(settings, rendered["reserve"])


def require_settings_taken(endpoints: Sequence[Endpoint], settings: Sequence[Mapping[str, Any]]) -> None:
    """Raise Invalid of each column's `settings` if its model's protocol does not support one. settings: by column."""
    sentences = [describe_refused_settings(*pair) for pair in zip(endpoints, settings, strict=True)]
    if any(sentences):
        faults = {f"columns.{index}.settings": sentence for index, sentence in enumerate(sentences) if sentence}
        raise Invalid(fields=faults)


def load_bundles(actor: Actor, name: str, requests: Sequence[ColumnRequest]) -> list[dict[str, Any]]:
    """The bundle that each column renders: document, fragments, profile. Raises Invalid with each column at fault."""
    faults: dict[str, str] = {}
    bundles: list[dict[str, Any]] = []
    for position, request in enumerate(requests):
        try:
            bundles.append(_load_bundle(actor, name, request, f"columns.{position}"))
        except Invalid as error:
            faults |= error.fields
    if faults:
        raise Invalid(fields=faults)
    return bundles


def _load_bundle(actor: Actor, name: str, request: ColumnRequest, place: str) -> dict[str, Any]:
    if request.source == PlaygroundColumn.DRAFT:
        bundle: dict[str, Any] = json.loads(_examine_draft(actor, request.document, place).bundle)
        return bundle
    return _find_version(actor, name, request.source, place).unpacked()


def _examine_draft(actor: Actor, document: str, place: str) -> CheckedDocument:
    """Check the draft's text. Raises Invalid if it has an error."""
    examined = document_check.check_document(actor, document)
    if not examined.is_sound:
        errors = select_errors(examined.problems)
        raise _place_error(Invalid(problems=errors), f"{place}.document")
    return examined


def _render_draft(actor: Actor, document: str, inputs: Mapping[str, Any], place: str) -> tuple[str, dict[str, Any]]:
    examined = _examine_draft(actor, document, place)
    try:
        rendered = preview.render_examined_document(examined=examined, data=inputs)
    except Invalid as error:
        raise _place_error(error, f"{place}.document") from error
    if rendered["prompts"] > 1:
        sentence = gettext("with these inputs the document makes {prompts} prompts; a column runs one.").format(
            prompts=rendered["prompts"]
        )
        raise Invalid(fields={f"{place}.document": sentence})
    return examined.bundle, rendered


def _find_version(actor: Actor, name: str, source: str, place: str) -> Version:
    try:
        version = version_queries.resolve_version(actor, name, source, verb=Verb.TRY)
    except (NotFound, Invalid) as error:
        raise Invalid(fields={f"{place}.source": error.message}) from error
    version.require_text()
    return version


def _place_error(error: Invalid, field: str) -> Invalid:
    """The error with inputs at fault kept under their own names and everything else under the column's field."""
    cause = error.__cause__
    if isinstance(cause, InputError) and cause.path:
        return Invalid(fields={f"inputs.{cause.path}": cause.message}, problems=error.problems)
    return Invalid(fields={field: error.message}, problems=error.problems)


def _merge_settings(own: Mapping[str, Any], replacing: Mapping[str, Any]) -> dict[str, Any]:
    """The document's settings overridden by the column's; the reply limit keeps the name that the document uses."""
    settings = json.loads(json.dumps({**own, **replacing}))
    limit = next((limit for limit in REPLY_LIMITS if limit in own), "max_tokens")
    if "max_tokens" in replacing and limit != "max_tokens":
        settings[limit] = settings.pop("max_tokens")
    return dict(settings)
