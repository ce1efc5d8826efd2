"""Imports: what prompts of other systems would become here, and keeping them as drafts."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from django.db import transaction

from promptuary.renderer.errors import RenderError
from promptuary.renderer.interop.imported import ImportedTemplate
from promptuary.renderer.syntax import yaml_writer
from registry.accounts.actor import Actor
from registry.core import names
from registry.core.errors import Invalid
from registry.core.input_checks import check_size
from registry.core.renderer_pool import child
from registry.namespaces import permissions
from registry.namespaces.permissions import Verb
from registry.templates import drafts
from registry.templates.models import Draft, Template

__all__ = ["IMPORT_BYTES", "ChosenTemplate", "ImportedFile", "PlacedTemplate", "preview_import", "save_imported_drafts"]

IMPORT_BYTES = 2_000_000
"""Bytes of all files of one import at most."""


@dataclass(frozen=True)
class PlacedTemplate:
    """A template of a file and where it would go.

    `state` is `new`, or `exists` where the address is taken; `problem` says why the name gives no address.
    """

    name: str
    state: str
    imported: ImportedTemplate
    problem: str = ""


@dataclass(frozen=True)
class ImportedFile:
    """What came of one file: its templates, or why it was refused and on which of its lines."""

    path: str
    templates: tuple[PlacedTemplate, ...]
    refusal: str = ""
    line: int | None = None


@dataclass(frozen=True)
class ChosenTemplate:
    """A template to keep: its path inside the namespace, its document and its samples as data."""

    path: str
    document: str
    samples: Mapping[str, object]


def preview_import(
    *, actor: Actor, namespace: str, files: Mapping[str, bytes], source_format: str = ""
) -> list[ImportedFile]:
    """What the files would become in a namespace; nothing is stored. They are read in the bounded child.

    files: bytes by name, of which each may be a zip archive. source_format: as `reading.read_templates`. Raises Invalid
    for files that are too large or take too long; a file that cannot be read is part of the answer.
    """
    permissions.find_namespace(actor, Verb.SAVE, namespace)
    if not files:
        raise Invalid(fields={"files": "there is no file."})
    check_size("files", sum(map(len, files.values())), IMPORT_BYTES)
    try:
        with child() as bounded:
            results = bounded.read_templates(files, source_format)
    except RenderError as error:
        raise Invalid(fields={"files": f"reading them was stopped: {error.message}"}) from error
    addresses = [f"{namespace}/{template.name}" for result in results for template in result.templates]
    taken = set(Template.objects.filter(name__in=addresses).values_list("name", flat=True))
    return [
        ImportedFile(
            result.path,
            tuple(_place(namespace, template, taken) for template in result.templates),
            result.refusal,
            result.line,
        )
        for result in results
    ]


def save_imported_drafts(*, actor: Actor, namespace: str, chosen: Sequence[ChosenTemplate]) -> list[Draft]:
    """Keep templates as the actor's drafts, all or none. Raises what `drafts.save_draft` raises."""
    with transaction.atomic():
        return [
            drafts.save_draft(
                actor=actor,
                namespace=namespace,
                path=template.path,
                document=template.document,
                samples=yaml_writer.write_yaml(dict(template.samples)) if template.samples else "",
            )
            for template in chosen
        ]


def _place(namespace: str, template: ImportedTemplate, taken: set[str]) -> PlacedTemplate:
    name = f"{namespace}/{template.name}"
    try:
        names.check_template(name)
    except Invalid as error:
        return PlacedTemplate(name, "new", template, str(error))
    return PlacedTemplate(name, "exists" if name in taken else "new", template)
