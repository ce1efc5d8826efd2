"""A mail about notifications: a text part and an HTML part with the same content.

Proposed changes include their title, their reason and what they do to the prompt. Comments and decisions include their
text.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from django.conf import settings
from django.core.mail import EmailMultiAlternatives
from django.template.loader import render_to_string
from django.utils.formats import number_format
from django.utils.safestring import SafeString
from django.utils.translation import get_language, gettext, ngettext

from registry.accounts.actor import Actor
from registry.accounts.models import User, use_language_of
from registry.changes.conversation_events import ReviewRequested
from registry.changes.events import ChangeHeaded, ChangeProposed, ChangeReopened
from registry.changes.models import ChangeRequest
from registry.changes.remark_markdown import render_mail_remark
from registry.freezes.events import FreezeSet
from registry.namespaces import permissions
from registry.namespaces.verbs import Verb
from registry.notifications.conversations import describe_change
from registry.notifications.models import TWO_STEP_REMINDER, Notification
from registry.notifications.proposal_diff import ProposalDiff, compare_proposal
from registry.notifications.remarks import Remark, find_remark

__all__ = ["Proposals", "write_mail"]

_PROPOSALS = {ChangeProposed.kind, ChangeHeaded.kind, ChangeReopened.kind, ReviewRequested.kind}
_MAX_PROPOSALS = 10  # per mail that include their diff


@dataclass(frozen=True)
class _Proposal:
    """title: the reason's first line, or the change's description. reason: the rest of it; may be empty."""

    title: str
    reason: str
    diff: ProposalDiff | None

    @property
    def reason_html(self) -> SafeString:
        """The reason's Markdown."""
        return render_mail_remark(self.reason, settings.BASE_URL)


@dataclass(frozen=True)
class _Item:
    """What happened, the page that shows it, and the proposals: several if they belong to one release.

    title: of the change, if neither the sentence nor a proposal contains it, else empty. comment_text: in Markdown;
    empty without a comment, or if mail contains no texts.
    """

    sentence: str
    title: str
    comment_text: str
    url: str
    proposals: tuple[_Proposal, ...]

    @property
    def comment_html(self) -> SafeString:
        """The comment as HTML."""
        return render_mail_remark(self.comment_text, settings.BASE_URL)


class Proposals:
    """The proposals of one batch of mails: each is compared once per language, however many recipients it has."""

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
    """Build one mail with all notifications of a person, in their language."""
    with use_language_of(person):
        return _write_mail(person, notifications, proposals)


def _write_mail(person: User, notifications: Sequence[Notification], proposals: Proposals) -> EmailMultiAlternatives:
    items = _build_items(person, notifications, proposals)
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


def _build_items(person: User, notifications: Sequence[Notification], proposals: Proposals) -> list[_Item]:
    described: set[int] = set()
    items: list[_Item] = []
    for rows in _group_by_release(notifications):
        if len(rows) > 1:
            items.append(_build_release_item(person, rows, proposals, described))
        else:
            items.append(_build_item(person, rows[0], proposals, described))
    return items


def _group_by_release(notifications: Sequence[Notification]) -> list[list[Notification]]:
    """The rows in their order, with review requests of the same open release grouped."""
    groups: dict[tuple[str, int], list[Notification]] = {}
    for row in notifications:
        release = row.change.release if row.change and row.kind in _PROPOSALS else None
        key = (row.kind, release.number) if release is not None and release.is_open else ("", row.pk)
        groups.setdefault(key, []).append(row)
    return list(groups.values())


def _build_item(person: User, row: Notification, proposals: Proposals, described: set[int]) -> _Item:
    proposals_shown: tuple[_Proposal, ...] = ()
    title, change, remark = "", row.change, None
    if change and _may_see(person, change):
        is_new = change.number not in described
        if row.kind not in _PROPOSALS:
            remark = find_remark(row)
        if is_new and row.kind in _PROPOSALS and len(described) < _MAX_PROPOSALS:
            described.add(change.number)
            proposals_shown = (proposals.describe_proposal(change),)
        elif is_new:
            title = change.message.partition("\n")[0].strip()
    title, quote = ("" if title in row.sentence else title), (remark.text if remark else "")
    return _Item(row.sentence, title, quote, f"{settings.BASE_URL}{_build_path(row, remark)}", proposals_shown)


def _build_release_item(person: User, rows: Sequence[Notification], proposals: Proposals, described: set[int]) -> _Item:
    """One item for all changes of a release: its reason, and what each template's change does."""
    changes = {row.change.number: row.change for row in rows if row.change is not None}
    release = next(change.release for change in changes.values() if change.release is not None)
    proposals_shown: list[_Proposal] = []
    for change in changes.values():
        is_new = change.number not in described and len(described) < _MAX_PROPOSALS
        if is_new and _may_see(person, change):
            described.add(change.number)
            proposals_shown.append(
                replace(proposals.describe_proposal(change), title=describe_change(change), reason="")
            )
    sentence = ngettext(
        "Your review is asked for: release {number}, {title}, {count} template.",
        "Your review is asked for: release {number}, {title}, {count} templates.",
        len(changes),
    ).format(number=release.number, title=release.title, count=len(changes))
    description = release.description if proposals_shown else ""
    return _Item(sentence, "", description, f"{settings.BASE_URL}/releases/{release.number}", tuple(proposals_shown))


def _may_see(person: User, change: ChangeRequest) -> bool:
    """Whether mail to the person may contain texts: people who have left the namespace get only the sentence."""
    return settings.MAIL_HAS_DIFFS and permissions.is_allowed(Actor(person), Verb.READ, change.template.namespace)


def _build_path(row: Notification, remark: Remark | None) -> str:
    """The page of the notification's subject. Rows about a release refer to one of its requests."""
    if remark is not None and remark.release is not None:
        return f"/releases/{remark.release}"
    is_of_release = row.kind.startswith("release.") or row.kind == FreezeSet.kind
    if is_of_release and row.change and row.change.release:
        return f"/releases/{row.change.release.number}"
    if row.change:
        return f"/changes/{row.change.number}"
    if row.kind == TWO_STEP_REMINDER:
        return "/account/second-step"
    return f"/t/{row.template.name}" if row.template else "/account/keys"


def _write_text(items: Sequence[_Item], choose: str) -> str:
    lines: list[str] = []
    for item in items:
        lines += [item.sentence, *([item.title] if item.title else []), item.url, ""]
        if item.comment_text:
            lines += [*(f"> {line}".rstrip() for line in item.comment_text.splitlines()), ""]
        for proposal in item.proposals:
            lines += _write_proposal(proposal)
    return "\n".join([*lines, "--", gettext("Choose what you get mail about: {choose}").format(choose=choose)])


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
