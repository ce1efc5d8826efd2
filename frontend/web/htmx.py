"""One view serves a whole page, or only the region that htmx asked for."""

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.utils.cache import patch_vary_headers

__all__ = ["FRAME", "asks_for", "show"]

FRAME = "frame"  # the name under which every page has what its frame shows
# Names that belong to the frame and to Django: a view that set one would change the top bar of its page.
_RESERVED = {FRAME, "request", "user", "perms", "messages", "csrf_token", "CSP_NONCE"}


def asks_for(request: HttpRequest, region: str) -> bool:
    """True where htmx asks to swap the element with this id, and not to restore a page from its history."""
    return (
        request.headers.get("HX-Request") == "true"
        and request.headers.get("HX-History-Restore-Request") != "true"
        and request.headers.get("HX-Target", "").removeprefix("#").rpartition("#")[2] == region
    )


def show(
    request: HttpRequest,
    template: str,
    context: dict[str, Any],
    *,
    regions: dict[str, str] | None = None,
    status: int = 200,
) -> HttpResponse:
    """The page `frontend/<template>`, or the fragment of the region asked for.

    regions: {id of the element htmx swaps: fragment file beside the page}. Raises ValueError where the context uses a
    name that belongs to the frame.
    """
    if taken := _RESERVED & context.keys():
        raise ValueError(f"{template}: {', '.join(sorted(taken))} belongs to the frame of the page")
    chosen = template
    for region, fragment in (regions or {}).items():
        if asks_for(request, region):
            chosen = fragment
    response = TemplateResponse(request, f"frontend/{chosen}", context, status=status)
    patch_vary_headers(response, ["HX-Request", "HX-Target"])
    response["Cache-Control"] = "private, no-store"
    return response
