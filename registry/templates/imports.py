"""Imports: what other systems' prompts would become here, and saving them as versions or as drafts."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.db import transaction
from django.utils.translation import gettext

from promptuary.renderer.document import parser
from promptuary.renderer.errors import RenderError
from promptuary.renderer.interop.imported import ImportedTemplate
from promptuary.renderer.interop.pasted import PastedPrompt
from promptuary.renderer.problems import Problem
from promptuary.renderer.validation import text_scan
from registry.accounts.actor import Actor
from registry.core import names
from registry.core.errors import Conflict, Invalid, PreconditionRequired, PromptuaryError
from registry.core.input_checks import check_size
from registry.core.renderer_pool import borrow_renderer
from registry.namespaces import permissions
from registry.namespaces.verbs import Verb
from registry.templates import drafts
from registry.templates.models import Draft, Template, Version
from registry.templates.save import save_version

__all__ = [
    "IMPORT_BYTES",
    "ChosenTemplate",
    "ImportedFile",
    "PlacedTemplate",
    "SavedImport",
    "list_possible_secrets",
    "preview_import",
    "read_pasted_prompt",
    "save_imported_drafts",
    "save_imported_versions",
]

IMPORT_BYTES = 2_000_000
"""The most bytes of all files of one import."""
_CREDENTIAL_CODE = "PT701"


@dataclass(frozen=True)
class PlacedTemplate:
    """A template from a file, and its target address.

    `state` is `new`, or `exists` if the address is taken; `problem` says why the name can't become an address.
    """

    name: str
    state: str
    imported: ImportedTemplate
    problem: str = ""


@dataclass(frozen=True)
class ImportedFile:
    """The result of one file: its templates, or why and on which line it was refused.

    holds_secret: whether a refused file certainly has a credential in it, so that trying another format won't help.
    """

    path: str
    templates: tuple[PlacedTemplate, ...]
    refusal: str = ""
    line: int | None = None
    holds_secret: bool = False


@dataclass(frozen=True)
class ChosenTemplate:
    """A template to keep: its path inside the namespace, its document, its samples as data, and its version message."""

    path: str
    document: str
    samples: Mapping[str, dict[str, Any]]
    message: str = ""


@dataclass(frozen=True)
class SavedImport:
    """The result of one saved template: its version 1, or why it was refused."""

    chosen: ChosenTemplate
    version: Version | None = None
    refusal: str = ""


def preview_import(
    *,
    actor: Actor,
    namespace: str,
    files: Mapping[str, bytes],
    source_format: str = "",
    folder: str = "",
    name: str = "",
) -> list[ImportedFile]:
    """What the files would become in a namespace; nothing is stored. They are read in the bounded child.

    files: bytes by name, of which each may be a zip archive. source_format: as `reading.read_templates`. folder: the
    target inside the namespace. name: the address inside the folder if the files become a single template; otherwise
    each has its own. Raises Invalid for files that are too large or take too long; a file that can't be read is part of
    the result.
    """
    permissions.find_namespace(actor, Verb.SAVE, namespace)
    if not files:
        raise Invalid(fields={"files": gettext("there is no file.")})
    check_size("files", sum(map(len, files.values())), IMPORT_BYTES)
    try:
        with borrow_renderer() as bounded:
            results = bounded.read_templates(files, source_format)
    except RenderError as error:
        raise Invalid(
            fields={"files": gettext("reading them was stopped: {message}").format(message=error.message)}
        ) from error
    place = f"{namespace}/{folder}" if folder else namespace
    own_names = [template.name for result in results for template in result.templates]
    only_name = name if len(own_names) == 1 else ""
    addresses = [f"{place}/{only_name or own_name}" for own_name in own_names]
    existing_names = set(Template.objects.filter(name__in=addresses).values_list("name", flat=True))
    return [
        ImportedFile(
            result.path,
            tuple(_place(f"{place}/{only_name or each.name}", each, existing_names) for each in result.templates),
            result.refusal,
            result.line,
            result.holds_secret,
        )
        for result in results
    ]


def list_possible_secrets(document: str, samples: Mapping[str, dict[str, Any]]) -> list[Problem]:
    """Possible credentials in a template to import, with their line in the document or path in a sample.

    Certain ones are refused when the file is read; these only the author can judge.
    """
    read, _ = parser.inspect_document(document)
    problems = [*(text_scan.scan_text(read) if read else ()), *text_scan.scan_samples(samples)]
    return [problem for problem in problems if problem.code == _CREDENTIAL_CODE]


def read_pasted_prompt(*, actor: Actor, namespace: str, text: str, as_document: bool = False) -> PastedPrompt | None:
    """How a text pasted into a part could be rewritten; None if the part reads it the same way.

    as_document: the text is the whole document and has no parts yet. Nothing is stored. Raises Invalid for a text that
    is too large or takes too long.
    """
    permissions.find_namespace(actor, Verb.SAVE, namespace)
    check_size("text", len(text.encode("utf-8", "replace")), IMPORT_BYTES)
    try:
        with borrow_renderer() as bounded:
            return bounded.read_pasted_prompt(text, as_document=as_document)
    except RenderError as error:
        sentence = gettext("reading it was stopped: {message}").format(message=error.message)
        raise Invalid(fields={"text": sentence}) from error


def save_imported_drafts(*, actor: Actor, namespace: str, chosen: Sequence[ChosenTemplate]) -> list[Draft]:
    """Save templates as the actor's drafts, all or none; based on the newest version if the template exists.

    Raises Conflict if the actor already has a draft of one of them, and what `drafts.save_draft` raises.
    """
    with transaction.atomic():
        return [_save_draft(actor, namespace, template) for template in chosen]


def save_imported_versions(*, actor: Actor, namespace: str, chosen: Sequence[ChosenTemplate]) -> list[SavedImport]:
    """Save each template as version 1 of a new template; a refused one does not prevent the others."""
    permissions.find_namespace(actor, Verb.SAVE, namespace)
    return [_save_version(actor, namespace, template) for template in chosen]


def _save_draft(actor: Actor, namespace: str, chosen: ChosenTemplate) -> Draft:
    name = f"{namespace}/{chosen.path}"
    existing = Template.objects.select_related("latest").filter(name=name).first()
    try:
        return drafts.save_draft(
            actor=actor,
            namespace=namespace,
            path=chosen.path,
            document=chosen.document,
            samples=json.dumps(chosen.samples, ensure_ascii=False) if chosen.samples else "",
            base=existing.latest.number if existing and existing.latest else None,
            message=chosen.message,
            revision=0,
        )
    except drafts.NewerDraft as error:
        raise Conflict(
            gettext("You have a draft of {name} already: save or discard it, or choose another name.").format(name=name)
        ) from error


def _save_version(actor: Actor, namespace: str, chosen: ChosenTemplate) -> SavedImport:
    name = f"{namespace}/{chosen.path}"
    try:
        saved = save_version(
            actor=actor,
            name=name,
            document=chosen.document,
            message=chosen.message,
            samples=dict(chosen.samples),
            ends_draft=False,
        )
    except PreconditionRequired:
        return SavedImport(
            chosen,
            refusal=gettext("There is a {name} already: choose another name, or save it as a draft.").format(name=name),
        )
    except PromptuaryError as error:
        return SavedImport(chosen, refusal=str(error))
    if not saved.created:
        return SavedImport(
            chosen, refusal=gettext("There is a {name} already, and it says the same.").format(name=name)
        )
    return SavedImport(chosen, saved.version)


def _place(name: str, template: ImportedTemplate, existing_names: set[str]) -> PlacedTemplate:
    """name: the template's full name."""
    try:
        names.check_template(name)
    except Invalid as error:
        return PlacedTemplate(name, "new", template, str(error))
    return PlacedTemplate(name, "exists" if name in existing_names else "new", template)
