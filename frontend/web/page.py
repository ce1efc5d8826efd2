"""A page: its frame, the user it is for, and the region of it that htmx may request."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from django.core.cache import caches
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.utils.cache import patch_vary_headers
from django_htmx.middleware import HtmxDetails

from registry.accounts.actor import Actor, find_signed_in_person
from registry.accounts.models import User
from registry.changes import gate as change_gate
from registry.changes import queries as change_queries
from registry.changes.gate import Gate
from registry.namespaces import permissions
from registry.releases import gate as release_gate
from registry.starter.progress import LoadProgress, read_progress

__all__ = [
    "FRAME",
    "Breadcrumb",
    "Frame",
    "build_breadcrumbs",
    "build_frame",
    "frame",
    "is_for_region",
    "is_htmx",
    "render_page",
]

FRAME = "frame"  # the context name of the frame's data on every page
# Names reserved for the frame and Django: a view that sets one would change the top bar of its page.
_RESERVED = {FRAME, "request", "user", "perms", "messages", "csrf_token", "CSP_NONCE"}
_KEPT_SECONDS = 20
_STORED = "promptuary_frame"  # the request attribute that stores its frame


class Frame:
    """The counts of the top bar, each queried once and only if rendered."""

    def __init__(self, person: User | None) -> None:
        self._person = person

    @cached_property
    def open_changes(self) -> int:
        """How many open changes the user may read."""
        person = self._person
        return self._keep("open", lambda: change_queries.count_pending(Actor(person))) if person else 0

    @cached_property
    def waiting(self) -> int:
        """How many open changes wait for the user, those of one release counted once; see `read_waiting`."""
        person = self._person
        return self.read_waiting(lambda: change_gate.evaluate_pending(Actor(person))) if person else 0

    @property
    def may_create_namespace(self) -> bool:
        """Whether the user may create namespaces."""
        return self._person is not None and permissions.may_create_namespace(Actor(self._person))

    @cached_property
    def demo(self) -> LoadProgress | None:
        """The progress of loading the demo; None if none is being loaded."""
        return read_progress()

    def read_waiting(self, evaluate: Callable[[], Sequence[Gate]]) -> int:
        """The number of waiting items, cached until the next journal event, and for `_KEPT_SECONDS` at most.

        evaluate: returns the gates of all pending requests if no count is cached. The start of a freeze, a run or a
        fetch may change the count without an event.
        """
        self.waiting = self._keep("waiting", lambda: self._count_waiting(evaluate()))
        return self.waiting

    def set_counts(self, *, open_changes: int, waiting: int) -> None:
        """Take over the counts from a page that has already computed them."""
        self.open_changes, self.waiting = open_changes, waiting

    @cached_property
    def _head(self) -> str:
        """The journal's head, read once for both counts."""
        return change_queries.read_journal_head()

    def _keep(self, name: str, count: Callable[[], int]) -> int:
        """The user's count cached for the journal's head, else a newly computed one."""
        place = f"{name}-{self._person.pk if self._person else ''}"
        kept_head, number = caches["frames"].get(place, ("", 0))
        if kept_head != self._head:
            number = count()
            caches["frames"].set(place, (self._head, number), _KEPT_SECONDS)
        return int(number)

    def _count_waiting(self, pending: Sequence[Gate]) -> int:
        username = self._person.username if self._person else ""
        alone = [gate for gate in pending if gate.change.open_release is None]
        released = [gate for gate in pending if gate.change.open_release is not None]
        waiting = sum(gate.waits_on(username) for gate in alone)
        return waiting + release_gate.count_waiting(released, username) if released else waiting


def build_frame(request: HttpRequest) -> Frame:
    """The frame of this request's page."""
    stored: Frame = request.__dict__.setdefault(_STORED, Frame(find_signed_in_person(request)))
    return stored


def frame(request: HttpRequest) -> dict[str, Any]:
    """The context processor."""
    return {FRAME: build_frame(request)}


def is_htmx(request: HttpRequest) -> bool:
    """Whether htmx requests a part of a page. A request that no middleware has seen is for a full page."""
    return bool(getattr(request, "htmx", False))


def is_for_region(request: HttpRequest, region: str) -> bool:
    """Whether htmx requests a swap of the element with this id, and not a history restore."""
    htmx: HtmxDetails | None = getattr(request, "htmx", None)
    if not htmx or htmx.history_restore_request:
        return False
    # htmx 4 includes the tag name of the element: `section#checks`.
    return (htmx.target or "").rpartition("#")[2] == region


def render_page(
    request: HttpRequest,
    template: str,
    context: dict[str, Any],
    *,
    regions: dict[str, str] | None = None,
    status: int = 200,
) -> HttpResponse:
    """The page `frontend/<template>`, or the fragment of the requested region.

    regions: {id of the element htmx swaps: fragment file next to the page}. Raises ValueError if the context uses a
    reserved name of the frame.
    """
    if reserved := _RESERVED & context.keys():
        raise ValueError(f"{template}: {', '.join(sorted(reserved))} belongs to the frame of the page")
    template_name = template
    for region, fragment in (regions or {}).items():
        if is_for_region(request, region):
            template_name = fragment
    response = TemplateResponse(request, f"frontend/{template_name}", context, status=status)
    patch_vary_headers(response, ["HX-Request", "HX-Target"])
    response["Cache-Control"] = "private, no-store"
    return response


@dataclass(frozen=True)
class Breadcrumb:
    """One segment of a name, and the name up to it."""

    name: str
    path: str


def build_breadcrumbs(name: str) -> list[Breadcrumb]:
    """support/refunds/reply -> support, refunds, reply with their full paths."""
    segments = name.split("/")
    return [Breadcrumb(segment, "/".join(segments[: place + 1])) for place, segment in enumerate(segments)]
