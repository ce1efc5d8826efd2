"""Exports in the browser: a version's files in every format, and a folder as a zip archive."""

from urllib.parse import quote

from django.http import HttpRequest, HttpResponse

from frontend.web.decorators import signed_in
from frontend.web.page import build_breadcrumbs, render_page
from registry.accounts.actor import Actor
from registry.namespaces.verbs import Verb
from registry.templates import exports, version_queries
from registry.templates import queries as template_queries

__all__ = ["download_folder", "download_version", "export_version"]


@signed_in
def export_version(request: HttpRequest, actor: Actor, name: str) -> HttpResponse:
    """The formats that a version can be downloaded in, and what each can't represent."""
    template = template_queries.find_template(actor, Verb.READ, name)
    version = version_queries.resolve_version(actor, name, request.GET.get("ref") or "latest")
    context = {
        "section": "templates",
        "template": template,
        "crumbs": build_breadcrumbs(name),
        "version": version,
        "files": exports.list_exports(actor=actor, name=name, ref=str(version.number)),
        "folder": name.rpartition("/")[0],
        "forms": exports.FORMS.items(),
        "most": exports.MAX_TEMPLATES,
    }
    return render_page(request, "browse/export.html", context)


@signed_in
def download_version(request: HttpRequest, actor: Actor, name: str, form: str) -> HttpResponse:
    """A version in one format, as a file."""
    ref = request.GET.get("ref") or "latest"
    file = exports.export_version(actor=actor, name=name, ref=ref, form=form)
    return _answer_file(file.file_name, file.text.encode(), "text/plain; charset=utf-8")


@signed_in
def download_folder(request: HttpRequest, actor: Actor, folder: str) -> HttpResponse:
    """The newest versions of a folder in one format, as a zip archive."""
    form = request.GET.get("form") or exports.DOCUMENT
    content = exports.export_folder(actor=actor, folder=folder, form=form)
    return _answer_file(f"{folder.replace('/', '-')}-{form}.zip", content, "application/zip")


def _answer_file(name: str, content: bytes, content_type: str) -> HttpResponse:
    response = HttpResponse(content, content_type=content_type)
    response["Content-Disposition"] = f"attachment; filename*=UTF-8''{quote(name)}"
    response["Cache-Control"] = "private, no-store"
    return response
