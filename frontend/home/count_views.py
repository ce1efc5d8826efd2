"""The two counts of the top bar, for the script that follows the journal on an open page."""

from django.http import HttpRequest, JsonResponse

from frontend.web.decorators import signed_in
from frontend.web.page import frame_of
from registry.accounts.actor import Actor

__all__ = ["count_open_work"]


@signed_in
def count_open_work(request: HttpRequest, _actor: Actor) -> JsonResponse:
    """As JSON: how many changes wait on the person, and how many are open; as the top bar of a new page has them."""
    frame = frame_of(request)
    response = JsonResponse({"waiting": frame.waiting, "open_changes": frame.open_changes})
    response["Cache-Control"] = "private, no-store"
    return response
