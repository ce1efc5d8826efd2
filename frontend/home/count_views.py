"""The two counts of the top bar, for the script that follows the journal on an open page."""

from django.http import HttpRequest, JsonResponse

from frontend.web.decorators import signed_in
from frontend.web.page import build_frame
from registry.accounts.actor import Actor

__all__ = ["count_open_work"]


@signed_in
def count_open_work(request: HttpRequest, _actor: Actor) -> JsonResponse:
    """How many changes wait for the user, and how many are open, as JSON; the same counts as in the top bar."""
    frame = build_frame(request)
    response = JsonResponse({"waiting": frame.waiting, "open_changes": frame.open_changes})
    response["Cache-Control"] = "private, no-store"
    return response
