"""Exports: a version, or all templates of a folder, as files in our own or another system's format."""

import io
import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from django.utils.translation import gettext

from promptuary.renderer.errors import RenderError
from promptuary.renderer.interop.writing import EXPORT_FORMATS, ExportResult
from promptuary.renderer.syntax import yaml_writer
from registry.accounts.actor import Actor
from registry.core.errors import Invalid, NotFound, PromptuaryError, TooLarge
from registry.core.renderer_pool import borrow_renderer
from registry.namespaces import permissions
from registry.namespaces.verbs import Verb
from registry.templates import queries as template_queries
from registry.templates import version_queries
from registry.templates.models import Template, Version

__all__ = [
    "DOCUMENT",
    "FORMS",
    "MAX_TEMPLATES",
    "REPORT",
    "ExportedFile",
    "export_folder",
    "export_version",
    "list_exports",
]

DOCUMENT = "document"
FORMS: Mapping[str, str] = {
    DOCUMENT: "Promptuary",
    **{entry.name: entry.title for entry in EXPORT_FORMATS.values()},
}
"""The forms by name, with their titles."""
MAX_TEMPLATES = 300
"""The most templates in one folder's export."""
REPORT = "EXPORT.txt"
"""The file in a folder's export that lists what was left out."""


@dataclass(frozen=True)
class ExportedFile:
    """A version in one form: the file's name and text, and what is lost; or why the form can't represent it."""

    form: str
    file_name: str
    text: str = ""
    losses: tuple[str, ...] = ()
    refusal: str = ""

    @property
    def title(self) -> str:
        """The form's title."""
        return FORMS[self.form]


def list_exports(*, actor: Actor, name: str, ref: str) -> list[ExportedFile]:
    """A version in every form."""
    version = version_queries.resolve_version(actor, name, ref, verb=Verb.READ)
    return [_convert(version, form) for form in FORMS]


def export_version(*, actor: Actor, name: str, ref: str, form: str) -> ExportedFile:
    """A version in one form, without what the form can't represent. Raises Invalid if the form refuses it."""
    _require_form(form)
    exported = _convert(version_queries.resolve_version(actor, name, ref, verb=Verb.READ), form)
    if exported.refusal:
        raise Invalid(
            fields={
                "form": gettext("This version can't be written as {form}: {refusal}.").format(
                    form=FORMS[form], refusal=exported.refusal
                )
            }
        )
    return exported


def export_folder(*, actor: Actor, folder: str, form: str) -> bytes:
    """A zip archive of the newest versions of a namespace or a folder in it, with their samples in our own form.

    Its REPORT file lists what each file lacks and which templates are left out, and why. Raises Invalid for an unknown
    form, NotFound if the actor can read nothing there, and TooLarge for more than MAX_TEMPLATES templates.
    """
    _require_form(form)
    space, _, _ = folder.partition("/")
    namespace = permissions.find_namespace(actor, Verb.READ, space)
    rows = Template.objects.filter(namespace=namespace, latest__isnull=False).select_related("latest", "namespace")
    inside = None if folder == space else folder
    template_rows = template_queries.filter_templates(rows, folder=inside).order_by("name")[: MAX_TEMPLATES + 1]
    newest = [(template, template.latest) for template in template_rows if template.latest is not None]
    if not newest:
        raise NotFound(gettext("There is no template in {folder}.").format(folder=folder))
    if len(newest) > MAX_TEMPLATES:
        raise TooLarge(
            gettext("{folder} has more than {most} templates: export its folders one by one.").format(
                folder=folder, most=MAX_TEMPLATES
            )
        )
    return _pack(actor, newest, form)


def _pack(actor: Actor, newest: Sequence[tuple[Template, Version]], form: str) -> bytes:
    report: list[str] = []
    packed = io.BytesIO()
    samples = template_queries.read_current_samples([row.pk for row, _ in newest]) if form == DOCUMENT else {}
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for template, version in newest:
            version.template = template
            try:
                version_queries.require_readable_version(actor, template, version, None)
                exported = _convert(version, form)
            except PromptuaryError as error:
                report.append(f"{template.name}: left out. {error}")
                continue
            if exported.refusal:
                report.append(f"{template.name}: left out. {exported.refusal}")
                continue
            report += [f"{template.name}: without {loss}" for loss in exported.losses]
            archive.writestr(f"{template.name}{_find_suffix(form)}", exported.text)
            sample_set = samples.get(template.pk)
            if sample_set is not None and sample_set.samples:
                archive.writestr(
                    f"{template.name}.samples.yml", yaml_writer.write_yaml(sample_set.samples, sort_keys=False)
                )
        if report:
            archive.writestr(REPORT, "\n".join(report) + "\n")
    return packed.getvalue()


def _convert(version: Version, form: str) -> ExportedFile:
    file_name = version.template.name.rpartition("/")[2] + _find_suffix(form)
    if form == DOCUMENT:
        return ExportedFile(form, file_name, version.document)
    bundle = version.unpacked()
    try:
        with borrow_renderer() as bounded:
            result = bounded.convert_document(
                form, version.document, version.template.name, bundle.get("fragments") or {}
            )
    except RenderError as error:
        result = ExportResult(refusal=error.message)
    return ExportedFile(form, file_name, result.text, result.losses, result.refusal)


def _find_suffix(form: str) -> str:
    return ".yml.j2" if form == DOCUMENT else EXPORT_FORMATS[form].suffix


def _require_form(form: str) -> None:
    if form not in FORMS:
        raise Invalid(
            fields={
                "form": gettext("there is no form {value!r}; there are {names}.").format(
                    value=form[:40], names=", ".join(FORMS)
                )
            }
        )
