"""The help pages. Anyone may read them without signing in, because they contain no data of the registry."""

from django.http import HttpRequest, HttpResponse
from django.utils.safestring import SafeString
from django.utils.translation import gettext

from frontend.help.documents import find_page
from frontend.web.page import render_page
from registry.core.errors import NotFound

__all__ = ["help_page"]

_START = "index"


def help_page(request: HttpRequest, path: str = _START) -> HttpResponse:
    """One page of the documentation; without a path the index."""
    page = find_page(path)
    if page is None:
        raise NotFound(gettext("There is no help page {path}.").format(path=path))
    # The files are the project's own, and the renderer drops their HTML.
    context = {"section": "help", "page": page, "content": SafeString(page.html), "is_start": path == _START}
    return render_page(request, "help/page.html", context)
