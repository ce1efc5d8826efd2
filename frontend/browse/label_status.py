"""The status of a template's labels: which version each serves, who moved it, and what the reader may do."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from urllib.parse import urlencode

from django.urls import reverse
from django.utils import timezone
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext, gettext_lazy

from frontend.web.wording import format_time_since
from registry.accounts.actor import Actor
from registry.core.names import LATEST
from registry.namespaces import permissions
from registry.namespaces.models import Namespace
from registry.namespaces.queries import choose_live_label
from registry.namespaces.verbs import Verb
from registry.rollouts.models import Rollout
from registry.templates.label_models import LabelMove
from registry.templates.label_moves import Approval, find_approvals_of_labels
from registry.templates.label_ways_back import find_ways_back
from registry.templates.models import Template

__all__ = ["LabelStatus", "list_label_statuses", "list_labels_ahead", "mark_rollouts"]

MOVED_BY = {
    "moved": gettext_lazy("moved by {person}"),
    "published": gettext_lazy("published by {person}"),
    "rolled_back": gettext_lazy("rolled back by {person}"),
    "removed": gettext_lazy("removed by {person}"),
    "broke_glass": gettext_lazy("published in an emergency by {person}"),
}


@dataclass(frozen=True)
class LabelStatus:
    """A label and its state. `number` is None if it was never set; `ahead` is relative to live.

    `approvals` counts the approvals that its last move was based on; None if it wasn't published by a change. During a
    rollout of the label, `back` is the stable version and `back_url` opens the panel that stops it. `unapproved`: the
    label is protected, and the version it serves was never approved for it.
    """

    label: str
    protected: bool = False
    number: int | None = None
    digest: str = ""
    ahead: int = 0
    person: str = ""
    moved_at: datetime | None = None
    moved_by: str = ""
    approvals: int | None = None
    title: str = ""
    act: str = ""
    act_url: str = ""
    back: int | None = None
    back_url: str = ""
    unapproved: bool = False

    @property
    def behind(self) -> int:
        """How many versions the label is behind live."""
        return -self.ahead


def list_label_statuses(
    actor: Actor, template: Template, label_numbers: dict[str, int], moves: Sequence[LabelMove]
) -> list[LabelStatus]:
    """Protected labels first, set or not, then the others, then `latest`.

    label_numbers: version number by label, including `latest`. moves: the template's label moves, newest first.
    """
    namespace = template.namespace
    live = choose_live_label(namespace)
    last = {move.label: move for move in reversed(moves)}
    digests = {move.after.number: move.after.digest for move in moves if move.after}
    others = [label for label in label_numbers if label not in namespace.protected_labels and label != LATEST]
    may_write = permissions.is_allowed(actor, Verb.MOVE, namespace, template.path)
    may_go_back = permissions.is_allowed(actor, Verb.ROLL_BACK, namespace, template.path)
    approval, ways_back = find_approvals_of_labels([template])[template.pk], find_ways_back([template.pk])
    marks = []
    for label in [*_sort_live_first(namespace.protected_labels, live), *_sort_live_first(others, live), LATEST]:
        number = label_numbers.get(label)
        protected = label in namespace.protected_labels
        move = last.get(label)
        back = ways_back.get((template.pk, label)) if protected and may_go_back else None
        act, act_url = _choose_action(template, label, protected) if may_write and label != LATEST else ("", "")
        marks.append(
            LabelStatus(
                label=label,
                protected=protected,
                number=number,
                digest=digests.get(number, "") if number else "",
                ahead=_count_ahead(number, label_numbers.get(live)) if label != live else 0,
                person=move.person.username if move else "",
                moved_at=move.created_at if move else None,
                moved_by=_mark_person(move) if move else "",
                approvals=_count_approvals(move) if move else None,
                title=_write_title(move),
                act=act,
                act_url=act_url,
                back=back,
                back_url=_build_back_address(template, label, back) if back else "",
                unapproved=approval.get(label) == Approval.NEVER_APPROVED,
            )
        )
    return marks


def mark_rollouts(statuses: Iterable[LabelStatus], rollouts: Iterable[Rollout]) -> list[LabelStatus]:
    """Point the rollback of each label in a rollout at stopping it, the only way back during a rollout."""
    by_label = {rollout.label: rollout for rollout in rollouts}
    return [
        replace(
            status,
            back=rollout.stable.number,
            back_url=_build_back_address(rollout.template, rollout.label, rollout.stable.number),
        )
        if (rollout := by_label.get(status.label))
        else status
        for status in statuses
    ]


def _build_back_address(template: Template, label: str, number: int) -> str:
    """The URL of the panel that rolls a label back to this version, or stops its rollout."""
    return f"{reverse('labels', args=[template.name])}?{urlencode({'label': label, 'version': number})}"


def list_labels_ahead(label_numbers: dict[str, int], namespace: Namespace) -> list[LabelStatus]:
    """The labels of a template that are ahead of live; `latest` only if no other label is."""
    live = choose_live_label(namespace)
    number = label_numbers.get(live)
    if number is None:
        return []
    ahead = [
        LabelStatus(label, label in namespace.protected_labels, at, ahead=at - number)
        for label, at in label_numbers.items()
        if at > number and label != LATEST
    ]
    if not ahead and label_numbers.get(LATEST, number) > number:
        ahead = [LabelStatus(LATEST, number=label_numbers[LATEST], ahead=label_numbers[LATEST] - number)]
    return ahead


def _sort_live_first(labels: Iterable[str], live: str) -> list[str]:
    return sorted(labels, key=lambda label: (label != live, label))


def _count_ahead(number: int | None, live: int | None) -> int:
    return number - live if number is not None and live is not None else 0


def _write_title(move: LabelMove | None) -> str:
    if move is None:
        return ""
    why = f": {move.reason}" if move.reason else ""
    if move.change_id and not why:
        why = gettext(", change {number}").format(number=move.change_id)
    age = format_time_since(timezone.localtime(move.created_at), timezone.localtime())
    title = f"{str(MOVED_BY[move.how]).format(person=move.person.username)} {age}{why}"
    return title[:1].upper() + title[1:]


def _mark_person(move: LabelMove) -> SafeString:
    return format_html(str(MOVED_BY[move.how]), person=format_html("<b>{}</b>", move.person.username))


def _count_approvals(move: LabelMove) -> int | None:
    decided = move.change.decided if move.change else None
    return len(decided["approvals"]) if decided else None


def _choose_action(template: Template, label: str, protected: bool) -> tuple[str, str]:
    if protected:
        address = reverse("propose", args=[template.name])
        return gettext("Propose"), f"{address}?{urlencode({'label': label})}"
    return gettext("Move"), f"{reverse('labels', args=[template.name])}?{urlencode({'label': label})}"
