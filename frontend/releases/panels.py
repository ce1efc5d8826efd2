"""The panels before a release is published or rolled back; their forms post to the page of the release."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.translation import ngettext

from frontend.changes.goes_live import read_goes_live
from frontend.changes.presenters import find_free_minute
from frontend.releases import presenters
from frontend.releases.move_rows import MoveRow
from frontend.releases.todo_rows import list_todo_rows
from frontend.web.decorators import signed_in
from frontend.web.forms import parse_form_number
from frontend.web.page import render_page
from frontend.web.reasons import build_reason_context
from registry.accounts.actor import Actor
from registry.changes import label_preview
from registry.core.errors import PromptuaryError
from registry.core.problem_details import find_status
from registry.namespaces.verbs import Verb
from registry.releases import gate as release_gate
from registry.releases import queries, roll_back_preview
from registry.releases.moved_members import MemberVersions

__all__ = [
    "PanelMember",
    "preview_publish",
    "preview_roll_back",
    "read_seen",
    "show_publish_panel",
    "show_roll_back_panel",
]

PUBLISH_PANEL = "releases/_publish_panel.html"
ROLL_BACK_PANEL = "releases/_roll_back_panel.html"


@dataclass(frozen=True)
class PanelMember(MoveRow):
    """A template in the panel, with the effects of moving its label. fault: why it doesn't move, empty if it does;
    is_chosen: whether it is ticked.
    """

    fault: str = ""
    is_chosen: bool = True

    @property
    def expected(self) -> str:
        """The state that the panel shows, as posted back by the form: name, version, and the version served by the
        label.
        """
        preview = self.preview
        return f"{preview.template.name} {preview.version.number} {preview.serves.number if preview.serves else 0}"


def read_seen(lines: Iterable[str]) -> MemberVersions:
    """Parse the state that a panel showed, from lines such as `support/reply 3 2`; invalid lines are ignored."""
    parts = [line.rsplit(" ", 2) for line in lines]
    return {part[0]: (parse_form_number(part[1]), parse_form_number(part[2])) for part in parts if len(part) == 3}


@signed_in
def preview_publish(request: HttpRequest, actor: Actor, number: int) -> HttpResponse:
    """The effects of publishing the release and the button, or what blocks it."""
    return show_publish_panel(request, actor, number)


@signed_in
def preview_roll_back(request: HttpRequest, actor: Actor, number: int) -> HttpResponse:
    """The effects of rolling the release back, and the form."""
    return show_roll_back_panel(request, actor, number)


def show_publish_panel(
    request: HttpRequest, actor: Actor, number: int, refusal: PromptuaryError | None = None
) -> HttpResponse:
    """The panel; after a refused form also with the reason and the user's choices."""
    release = queries.find_release(actor, Verb.READ, number)
    gate = release_gate.evaluate_release(release, actor)
    act = presenters.find_permitted_release_actions(gate, actor)
    moves = [(member.change.template, member.change.version) for member in gate.open_members]
    members = [PanelMember(preview) for preview in label_preview.preview_moves(release.label, moves)]
    context = {
        "panel_title": ngettext(
            "Publish {count} template to {label}", "Publish {count} templates to {label}", len(members)
        ).format(count=len(members), label=release.label),
        "gate": gate,
        "todo_rows": list_todo_rows(gate, actor),
        "rows": [row for row in presenters.list_member_rows(gate, actor, may_change=False) if row.change.is_open],
        "act": act,
        "slot": find_free_minute(blocker for _, blocker in gate.blockers),
        "may_choose": act.publish and act.schedule and release.goes_live_at is None,
        "goes_live": read_goes_live(request.POST),
        "expected_states": [member.expected for member in members],
    }
    return _show(request, PUBLISH_PANEL, release, members, context, refusal)


def show_roll_back_panel(
    request: HttpRequest, actor: Actor, number: int, refusal: PromptuaryError | None = None
) -> HttpResponse:
    """The panel; after a refused form also with the reason and the user's input."""
    release = queries.find_release(actor, Verb.READ, number)
    gate = release_gate.evaluate_release(release, actor)
    is_published = release.state == release.PUBLISHED
    previews = roll_back_preview.preview_roll_back(release, actor).members if is_published else ()
    act = presenters.find_permitted_release_actions(gate, actor)
    ticked = request.POST.getlist("template")
    members = [
        PanelMember(
            member.preview,
            member.fault or (member.missing_right if act.roll_back else ""),
            not ticked or member.target.template.name in ticked,
        )
        for member in previews
        if member.preview is not None
    ]
    movable = [member for member in members if not member.fault]
    context = {
        "panel_title": ngettext(
            "Roll {label} of {count} template back", "Roll {label} of {count} templates back", len(movable)
        ).format(count=len(movable), label=release.label),
        "act": act,
        "movable": movable,
        "first_time": [member.target.template.path for member in previews if member.preview is None],
        **build_reason_context(request.POST),
    }
    return _show(request, ROLL_BACK_PANEL, release, members, context, refusal)


def _show(
    request: HttpRequest,
    panel: str,
    release: Any,
    members: Sequence[PanelMember],
    context: dict[str, Any],
    refusal: PromptuaryError | None,
) -> HttpResponse:
    moving = [member.preview for member in members if not member.fault]
    context |= {
        "section": "changes",
        "panel": f"frontend/{panel}",
        "leave_url": reverse("release", args=[release.number]),
        "release": release,
        "members": members,
        "services": len({effect.fetches.service for preview in moving for effect in preview.services if effect.moves}),
        "fetches": sum(preview.fetches_moving for preview in moving),
        "refusal": refusal,
    }
    status = find_status(refusal) if refusal else 200
    return render_page(request, "web/panel.html", context, regions={"panel": panel}, status=status)
