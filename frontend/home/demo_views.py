"""The progress of loading the demo, shown on the pages of a new instance until it is complete."""

from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from frontend.web.page import render_page
from registry.starter.progress import read_progress

__all__ = ["show_demo_progress"]


@require_safe
def show_demo_progress(request: HttpRequest) -> HttpResponse:
    """The banner, requested by htmx. It needs no sign-in, because it names only templates of the demo."""
    return render_page(request, "home/_demo_progress.html", {"demo": read_progress()})
