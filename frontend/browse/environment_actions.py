"""The primary action of a row on the environments page, and the role it requires."""

from dataclasses import dataclass
from datetime import datetime
from urllib.parse import urlencode

from django.urls import reverse
from django.utils.translation import gettext

from frontend.changes.failure_rows import FailureRow
from frontend.changes.rollout_rows import RolloutRow
from frontend.web.wording import check_word
from registry.changes.gate import Gate
from registry.changes.promotion_state import PromotionState
from registry.namespaces.models import Role
from registry.namespaces.verbs import TABLE, Verb
from registry.rollouts.models import Rollout
from registry.templates.models import Template

__all__ = ["RowAction", "choose_action", "find_schedule", "may", "write_label_address"]


@dataclass(frozen=True)
class RowAction:
    """The primary action of a template. Without a URL it is shown as unavailable, with `reason` next to it. is_blocked:
    even with a URL, because what it leads to can't be published yet.
    """

    word: str
    url: str = ""
    reason: str = ""
    in_panel: bool = False
    is_blocked: bool = False


def choose_action(
    template: Template,
    state: PromotionState,
    role: Role | None,
    label: str,
    failure: FailureRow | None,
    rollout: RolloutRow | None,
) -> RowAction | None:
    """The first that applies: review of an emergency, rollback of a failing version, a rollout, a change of a scheduled
    date, an open request, a promotion; None if the label is up to date. label: the one to promote to; failure, rollout:
    of the version it serves.
    """
    if state.emergency:
        return RowAction(
            gettext("Review v{number}").format(number=state.target), reverse("change", args=[state.emergency])
        )
    if failure and failure.back_url:
        word = gettext("Roll back to v{number}").format(number=failure.back)
        return RowAction(word, failure.back_url, in_panel=True)
    if rollout is not None:
        return _choose_rollout_action(rollout, role)
    if state.gate is not None:
        return _request_action(state, state.gate, role)
    if state.state != "ready" or state.source is None:
        return None
    needed = Verb.PROPOSE if state.is_protected else Verb.MOVE
    promote = gettext("Promote v{number}").format(number=state.source)
    if not may(role, needed):
        return RowAction(promote, reason=gettext("needs the author role"))
    page = "propose" if state.is_protected else "labels"
    address = write_label_address(page, template, label, state.source)
    if not state.is_protected:
        return RowAction(promote, address, in_panel=True)
    reason = gettext("was stopped in a rollout") if state.stopped else ""
    reason = gettext("was rolled back") if state.rolled_back else reason
    reason = gettext("has to be merged") if state.drifted else reason
    if state.blocking:
        names = ", ".join(check_word(check.name) for check in state.blocking)
        reason = gettext("failed: {checks}").format(checks=names)
    return RowAction(promote, address, reason, in_panel=True, is_blocked=bool(state.blocking))


def _choose_rollout_action(rollout: RolloutRow, role: Role | None) -> RowAction:
    """The next step of the rollout, if the user may take it; a freeze makes it unavailable."""
    if not may(role, Verb.PUBLISH) or rollout.rollout.state == Rollout.PAUSED:
        return RowAction(gettext("Open rollout"), f"{reverse('change', args=[rollout.rollout.change_id])}#rollout")
    word = gettext("Go to {step}").format(step=rollout.following)
    if rollout.freeze is not None:
        return RowAction(word, reason=rollout.freeze.short_notice)
    return RowAction(word, f"{reverse('change', args=[rollout.rollout.change_id])}#rollout")


def _request_action(state: PromotionState, gate: Gate, role: Role | None) -> RowAction:
    """The action for an open request."""
    date_url = find_schedule(state, role)[1]
    if date_url and gate.approval_status.is_enough:
        return RowAction(gettext("Change date"), date_url)
    number = gate.change.number
    word = gettext("Review change {number}") if gate.may_approve else gettext("Open change {number}")
    return RowAction(word.format(number=number), reverse("change", args=[number]))


def find_schedule(state: PromotionState, role: Role | None) -> tuple[datetime | None, str]:
    """When the open request is scheduled to go live, and where to change that: in its release if it has one."""
    if state.gate is None:
        return None, ""
    change = state.gate.change
    if change.release is not None and change.release.is_open:
        goes_live_at, page = change.release.goes_live_at, reverse("release", args=[change.release.number])
    else:
        goes_live_at, page = change.goes_live_at, reverse("change", args=[change.number])
    return goes_live_at, f"{page}#goes-live-at" if goes_live_at and may(role, Verb.PUBLISH) else ""


def may(role: Role | None, verb: Verb) -> bool:
    """Whether the role permits this; False without a role."""
    return role is not None and role.rank >= TABLE[verb].rank


def write_label_address(page: str, template: Template, label: str, version: int) -> str:
    """The URL of the page that moves a label of the template to a version."""
    return f"{reverse(page, args=[template.name])}?{urlencode({'label': label, 'version': version})}"
