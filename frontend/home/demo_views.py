"""How far the demo is loaded, which the pages of a new instance show until all of it is there."""

from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from frontend.web.page import show
from registry.starter.progress import read_progress

__all__ = ["show_demo_progress"]


@require_safe
def show_demo_progress(request: HttpRequest) -> HttpResponse:
    """The banner that htmx asks for. It needs no sign-in, because it names templates of the demo only."""
    return show(request, "home/_demo_progress.html", {"demo": read_progress()})
