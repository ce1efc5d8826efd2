"""The page that imports prompts from other systems: paste or upload them, review the result, then save."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import PurePosixPath
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext, gettext_lazy, ngettext

from frontend.editor.example_documents import EXAMPLES
from frontend.editor.import_marks import write_marks
from frontend.editor.import_rows import (
    PASTED,
    FileReport,
    ImportRow,
    apply_chosen_kinds,
    read_posted_rows,
    render_rows,
    report_files,
    write_payload,
)
from frontend.editor.new_views import derive_address, describe_address
from frontend.web.decorators import form_page, signed_in
from frontend.web.findings import translate_finding
from frontend.web.page import is_htmx, render_page
from promptuary.renderer.interop.labelled_turns import count_labelled_turns
from promptuary.renderer.interop.placeholder_syntax import find_syntax
from promptuary.renderer.interop.reading import FORMATS, READABLE_SUFFIXES
from registry.accounts.actor import Actor
from registry.core.errors import Invalid, PromptuaryError
from registry.core.input_checks import BadJson, check_size, parse_json
from registry.core.problem_details import find_status
from registry.namespaces import queries as namespace_queries
from registry.templates import imports
from registry.templates.imports import IMPORT_BYTES

__all__ = ["import_prompts"]

_HEADING = re.compile(r"^#{1,6}[ \t]+(.+?)[ \t]*#*$", re.MULTILINE)  # of Markdown
SHOWN_EXAMPLES = ("parts", "sort", "extract", "text", "score")
FORMAT_CHOICES = [
    *((entry.name, entry.title) for entry in FORMATS),
    ("single", gettext_lazy("text with {name}")),
    ("double", gettext_lazy("text with {{ name }}")),
    ("dollar", gettext_lazy("text with $name")),
    ("braced_dollar", gettext_lazy("text with {$name}")),
    ("ruby", gettext_lazy("text with #{name} or %{name}")),
    ("percent", gettext_lazy("text with %(name)s")),
    ("angle", gettext_lazy("text with <<name>>")),
    ("square", gettext_lazy("text with [[name]]")),
    ("tag", gettext_lazy("text with <name>")),
    ("capitals", gettext_lazy("text with [NAME]")),
    ("jinja", "Jinja"),
    ("handlebars", "Handlebars"),
    ("mustache", "Mustache"),
    ("go", "Go"),
    ("erb", "ERB, EEx"),
    ("liquid", "Liquid"),
    ("none", gettext_lazy("plain text, braces and all")),
]


@form_page
@signed_in
def import_prompts(request: HttpRequest, actor: Actor) -> HttpResponse:
    """The form, the result of the conversion, and the buttons: save as versions, or as drafts."""
    namespaces = namespace_queries.require_writable_namespaces(actor)
    fields = _read_fields(request, namespaces)
    if request.method != "POST":
        return _render_page(request, actor, namespaces, fields)
    try:
        verb, _, chosen_format = request.POST.get("do", "").partition(":")
        if verb in ("versions", "drafts"):
            return _keep(request, actor, namespaces, fields)
        if verb == "read":
            fields["source_format"] = chosen_format
        return _render_page(request, actor, namespaces, fields, files=_preview(request, actor, fields))
    except PromptuaryError as error:
        return _render_page(request, actor, namespaces, fields, rows=read_posted_rows(request.POST), error=error)


def _read_fields(request: HttpRequest, namespaces: Sequence[str]) -> dict[str, str]:
    """The posted fields of the form; `?in=support/refunds` prefills the place.

    A text from the page of a new template comes without a name, and is named after its first heading.
    """
    text = request.POST.get("text", "").replace("\r\n", "\n")
    heading = _HEADING.search(text)
    space, _, folder = request.GET.get("in", "").partition("/")
    namespace = request.POST.get("namespace", space)
    return {
        "namespace": namespace if namespace in namespaces or request.method == "POST" else namespaces[0],
        "folder": request.POST.get("folder", folder).strip().strip("/"),
        "name": request.POST.get("name", heading[1][:80] if heading else "").strip(),
        "source_format": request.POST.get("source_format", ""),
        "text": text,
        "line_ends": request.POST.get("line_ends", ""),
        "shown_as": request.POST.get("shown_as", ""),
        **_read_edited_path(request),
    }


def _read_edited_path(request: HttpRequest) -> dict[str, str]:
    """The path typed for the only template, and the one generated for it; both empty if there isn't one, or if the
    folder or the name were changed since.
    """
    fields = request.POST
    folder, name = fields.get("folder", "").strip().strip("/"), fields.get("name", "").strip()
    typed = next((fields[key].strip().strip("/") for key in fields if key.startswith("path-")), "")
    generated = fields.get("address_made", "")
    if not generated or typed in ("", generated) or fields.get("address_of") != f"{folder}/{name}":
        return {"edited_path": "", "address_made": ""}
    return {"edited_path": typed, "address_made": generated}


def _count_turns(fields: Mapping[str, str], rows: Sequence[ImportRow]) -> int:
    """How many parts pasted text would have if split at labels such as `USER:`; 0 for other text."""
    if fields["source_format"] or not fields["text"].strip() or [row.is_text for row in rows] != [True]:
        return 0
    return count_labelled_turns(fields["text"])


def _preview(request: HttpRequest, actor: Actor, fields: Mapping[str, str]) -> list[FileReport]:
    """Convert the files and the pasted text. A typed name is the path of a single template; else each has its own."""
    files = _read_files(request)
    if fields["text"].strip():
        # A browser normalizes line ends when text is pasted. The page's script sends the original kind, so that the
        # reader reports it as it does for a file.
        text = fields["text"].replace("\n", "\r\n") if fields["line_ends"] == "crlf" else fields["text"]
        files[PASTED] = text.encode()
    if not files:
        if is_htmx(request):
            return []
        raise Invalid(fields={"files": gettext("paste a prompt or choose a file first.")})
    preview = imports.preview_import(
        actor=actor,
        namespace=fields["namespace"],
        files=files,
        source_format=fields["source_format"],
        folder="" if fields["edited_path"] else fields["folder"],
        name=fields["edited_path"] or derive_address(fields["name"]),
    )
    reports = report_files(preview, fields["namespace"])
    return [replace(report, rows=apply_chosen_kinds(actor, report.rows, request.POST)) for report in reports]


def _read_files(request: HttpRequest) -> dict[str, bytes]:
    """The uploaded files by name, with their folders if a script sent them; duplicates of a name get a number."""
    uploads = [*request.FILES.getlist("files"), *request.FILES.getlist("folder_files")]
    check_size("files", sum(upload.size or 0 for upload in uploads), IMPORT_BYTES)
    names = [upload.name or "file" for upload in uploads]
    files: dict[str, bytes] = {}
    for given_path, upload in zip(_read_paths(request, names), uploads, strict=True):
        path = PurePosixPath(given_path)
        name, number = given_path, 1
        while name in files:
            number += 1
            name = str(path.with_name(f"{path.stem}-{number}{path.suffix}"))
        files[name] = upload.read()
    return files


def _read_paths(request: HttpRequest, names: Sequence[str]) -> Sequence[str]:
    """The files' paths inside their folder, sent separately by the page's script because a browser sends only names.

    Returns the names if there are no matching paths.
    """
    try:
        paths = parse_json(request.POST.get("paths", "").encode("utf-8", "replace"))
    except BadJson:
        return names
    if not isinstance(paths, list) or [str(path).rpartition("/")[2] for path in paths] != list(names):
        return names
    return [str(path) for path in paths]


def _keep(request: HttpRequest, actor: Actor, namespaces: Sequence[str], fields: dict[str, str]) -> HttpResponse:
    """Save the ticked templates; refused ones stay on the page with the reason."""
    rows = apply_chosen_kinds(actor, read_posted_rows(request.POST), request.POST)
    kept_rows = [row for row in rows if row.is_kept]
    if not kept_rows:
        raise Invalid(fields={"templates": gettext("tick at least one template.")})
    namespace = fields["namespace"]
    chosen = [row.chosen() for row in kept_rows]
    if request.POST["do"] == "drafts":
        saved = imports.save_imported_drafts(actor=actor, namespace=namespace, chosen=chosen)
        kept_as = ngettext("Saved as a draft.", "Saved as {count} drafts.", len(saved))
        messages.success(request, kept_as.format(count=len(saved)))
        return redirect("edit", f"{namespace}/{saved[0].path}") if len(saved) == 1 else redirect("home")
    results = imports.save_imported_versions(actor=actor, namespace=namespace, chosen=chosen)
    versions = [result.version for result in results if result.version]
    if len(versions) == len(results):
        sentence = ngettext("Imported {count} template.", "Imported {count} templates.", len(versions))
        messages.success(request, sentence.format(count=len(versions)))
        return redirect("template", versions[0].template.name) if len(versions) == 1 else redirect("folder", namespace)
    refusals = {row.index: result.refusal for row, result in zip(kept_rows, results, strict=True) if not result.version}
    saved_rows = {row.index for row in kept_rows} - set(refusals)
    unsaved_rows = [row.with_refusal(refusals.get(row.index, "")) for row in rows if row.index not in saved_rows]
    names = [version.template.name for version in versions]
    return _render_page(request, actor, namespaces, fields, rows=unsaved_rows, imported=names)


def _render_page(
    request: HttpRequest,
    actor: Actor,
    namespaces: Sequence[str],
    fields: Mapping[str, str],
    *,
    files: Sequence[FileReport] = (),
    rows: Sequence[ImportRow] = (),
    imported: Sequence[str] = (),
    error: PromptuaryError | None = None,
) -> HttpResponse:
    """files: those just read. rows: those that were posted back and refused; imported: the others."""
    shown_rows = render_rows(actor, [row for file in files for row in file.rows] or rows)
    status = find_status(error) if error is not None else 422 if rows else 200
    context: dict[str, Any] = {
        "section": "templates",
        "namespaces": namespaces,
        "fields": fields,
        "formats": [(value, translate_finding(str(title))) for value, title in FORMAT_CHOICES],
        "detected_format": "" if fields["source_format"] or len(shown_rows) != 1 else shown_rows[0].format_title,
        "accepted": ",".join((*READABLE_SUFFIXES, ".zip")),
        "refused_files": [file for file in files if file.refusal],
        "files": [file for file in files if file.path != PASTED],
        "holds_secret": any(file.holds_secret for file in files),
        # Without its tags, a text has at least the inputs written like this.
        "text_format": "double" if find_syntax(fields["text"]) == "double" else "none",
        "turn_count": _count_turns(fields, shown_rows),
        "marks": write_marks(fields["text"], fields["source_format"], shown_rows),
        "shows_source": fields["shown_as"] == "source",
        "examples": [EXAMPLES[key] for key in SHOWN_EXAMPLES],
        "example_count": len(EXAMPLES),
        **_describe_rows(shown_rows),
        **_describe_place(actor, fields, shown_rows),
        "imported": imported,
        "sentences": _list_sentences(error),
        "is_read": bool(files),
    }
    # htmx doesn't swap in a response with an error status, but the reader has to see the message in it.
    return render_page(
        request,
        "editor/import.html",
        context,
        regions={"becomes": "editor/_import_regions.html"},
        status=200 if is_htmx(request) else status,
    )


def _describe_rows(rows: Sequence[ImportRow]) -> dict[str, Any]:
    """The templates that the files would become, and the form field that posts them back."""
    return {
        "rows": rows,
        "only_row": rows[0] if len(rows) == 1 else None,
        "several": len(rows) > 1,
        "has_parts": any(row.messages for row in rows),
        "payload": write_payload(rows) if rows else "",
        "kept_count": sum(row.is_kept for row in rows),
    }


def _list_sentences(error: PromptuaryError | None) -> list[str]:
    """What is wrong: a sentence for each field, else the message; empty without an error."""
    if error is None:
        return []
    return list(error.fields.values()) if isinstance(error, Invalid) and error.fields else [error.message]


def _describe_place(actor: Actor, fields: Mapping[str, str], rows: Sequence[ImportRow]) -> dict[str, str]:
    """The path of the only template, else the one derived from the typed name, and why it can't be used."""
    path = rows[0].path if len(rows) == 1 else ""
    if not rows and fields["name"]:
        path = "/".join(part for part in (fields["folder"], derive_address(fields["name"])) if part)
    return describe_address(actor, fields["namespace"], path)
