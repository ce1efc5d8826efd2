"""A mail about notifications: a part of text and one of HTML that say the same.

What tells of a proposed change comes with its title, its reason and what it does to the prompt.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from django.conf import settings
from django.core.mail import EmailMultiAlternatives
from django.template.loader import render_to_string
from django.utils.formats import number_format
from django.utils.safestring import SafeString
from django.utils.translation import get_language, gettext, ngettext

from registry.accounts.actor import Actor
from registry.accounts.models import User, speak_to
from registry.changes.conversation_events import ReviewRequested
from registry.changes.events import ChangeHeaded, ChangeProposed, ChangeReopened
from registry.changes.models import ChangeRequest
from registry.changes.remark_markdown import render_mail_remark
from registry.namespaces import permissions
from registry.namespaces.verbs import Verb
from registry.notifications.models import Notification
from registry.notifications.proposal_diff import ProposalDiff, compare_proposal

__all__ = ["Proposals", "write_mail"]

_PROPOSALS = {ChangeProposed.kind, ChangeHeaded.kind, ChangeReopened.kind, ReviewRequested.kind}
_MOST_PROPOSALS = 10  # of one mail that come with what they change


@dataclass(frozen=True)
class _Proposal:
    """title: the reason's first line, or what is asked for. reason: the rest of it; empty for none."""

    title: str
    reason: str
    diff: ProposalDiff | None

    @property
    def reason_html(self) -> SafeString:
        """The reason's Markdown."""
        return render_mail_remark(self.reason, settings.BASE_URL)


@dataclass(frozen=True)
class _Item:
    """One notification: what happened, where it is seen, and the proposal it tells of.

    title: of the change, where no proposal says it; empty for none.
    """

    sentence: str
    title: str
    url: str
    proposal: _Proposal | None


class Proposals:
    """The proposals of the mails of one go: each is compared once a language, however many people hear of it."""

    def __init__(self) -> None:
        self._proposals: dict[tuple[int, str | None], _Proposal] = {}

    def describe_proposal(self, change: ChangeRequest) -> _Proposal:
        """The change's title, reason and diff; the caller has checked the right to read it."""
        key = (change.number, get_language())
        if key not in self._proposals:
            first, _, rest = change.message.partition("\n")
            move = gettext("Move {label} to v{number}").format(label=change.label, number=change.version.number)
            self._proposals[key] = _Proposal(first.strip() or move, rest.strip(), compare_proposal(change))
        return self._proposals[key]


def write_mail(person: User, notifications: Sequence[Notification], proposals: Proposals) -> EmailMultiAlternatives:
    """One mail with all notifications of a person, in their language."""
    with speak_to(person):
        return _write_mail(person, notifications, proposals)


def _write_mail(person: User, notifications: Sequence[Notification], proposals: Proposals) -> EmailMultiAlternatives:
    items = _items(person, notifications, proposals)
    subject = items[0].sentence
    if len(items) > 1:
        subject = gettext("{sentence} (and {count} more)").format(sentence=subject, count=len(items) - 1)
    choose = f"{settings.BASE_URL}/mail"
    message = EmailMultiAlternatives(
        subject=" ".join(subject.split())[:200],
        body=_write_text(items, choose),
        to=[person.email],
        headers={"List-Unsubscribe": f"<{choose}>", "Auto-Submitted": "auto-generated"},
    )
    message.attach_alternative(render_to_string("registry/mail.html", {"items": items, "choose": choose}), "text/html")
    return message


def _items(person: User, notifications: Sequence[Notification], proposals: Proposals) -> list[_Item]:
    items: list[_Item] = []
    described: set[int] = set()
    for row in notifications:
        proposal, title, change = None, "", row.change
        if change and change.number not in described and _may_see(person, change):
            if row.kind in _PROPOSALS and len(described) < _MOST_PROPOSALS:
                described.add(change.number)
                proposal = proposals.describe_proposal(change)
            else:
                title = change.message.partition("\n")[0].strip()
        items.append(_Item(row.sentence, title, f"{settings.BASE_URL}{_path(row)}", proposal))
    return items


def _may_see(person: User, change: ChangeRequest) -> bool:
    """Whether texts go to them by mail: who left the namespace since gets the sentence alone."""
    return settings.MAIL_HAS_DIFFS and permissions.is_allowed(Actor(person), Verb.READ, change.template.namespace)


def _path(row: Notification) -> str:
    if row.change:
        return f"/changes/{row.change.number}"
    return f"/t/{row.template.name}" if row.template else "/account/keys"


def _write_text(items: Sequence[_Item], choose: str) -> str:
    lines: list[str] = []
    for item in items:
        lines += [item.sentence, *([item.title] if item.title else []), item.url, ""]
        if item.proposal is not None:
            lines += _write_proposal(item.proposal)
    return "\n".join(
        [*lines, "--", gettext("What you get mail about is yours to choose: {choose}").format(choose=choose)]
    )


def _write_proposal(proposal: _Proposal) -> list[str]:
    lines = [proposal.title, *([proposal.reason] if proposal.reason else []), ""]
    if proposal.diff is None:
        return lines
    lines += [f"{proposal.diff.heading}:", "", *(f"    {line}" for line in proposal.diff.lines)]
    if proposal.diff.more:
        lines.append(f"    … {_count_more_lines(proposal.diff.more)}")
    return [*lines, ""]


def _count_more_lines(count: int) -> str:
    text = ngettext(
        "and {count} more line on the page of the change", "and {count} more lines on the page of the change", count
    )
    return text.format(count=number_format(count, force_grouping=True))
