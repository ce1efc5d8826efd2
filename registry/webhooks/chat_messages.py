"""Chat messages: an event as a Slack message or a Microsoft Teams card.

They say who did what and why, with a link. User input is shown as plain text: it can't make links, notify a channel or
imitate another message. As in other webhooks, documents and discussion are not sent.
"""

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from django.conf import settings
from django.utils import translation

from registry.journal.event import JournalEvent, Page, describe_kind, format_canonical_json, parse_event
from registry.journal.models import Event
from registry.releases.events import ReleaseStep
from registry.webhooks.joint_decisions import JointDecisions
from registry.webhooks.models import Webhook

__all__ = ["write_event_message", "write_trial_message"]

_LIMIT = 1000  # characters of one part; Slack accepts 3000 in a section, Teams 28 KB in total
_WAITING = {  # kinds of events after which a change or a release may be published
    "change.proposed",
    "change.headed",
    "change.decided",
    "change.reopened",
    "change.scheduled",
    "change.unscheduled",
    "review.requested",
    "release.opened",
    "release.changed",
    "release.scheduled",
    "release.unscheduled",
}
_CARD = "http://adaptivecards.io/schemas/adaptive-card.json"


@dataclass(frozen=True)
class _Message:
    """title: what kind of event. sentence: follows the name of `who`. why: their reason, or empty.

    subject: the text of the link. place: the namespace, unless the subject contains it, and the key if one was used.
    panel_url: of the panel before publishing; empty if nothing is ready to publish.
    """

    title: str
    who: str
    sentence: str
    why: str
    subject: str
    url: str
    place: str
    panel_url: str = ""


def write_event_message(receiver: str, event: Event, who: str, joint: JointDecisions | None = None) -> str:
    """The JSON text for an event. receiver: slack or teams. who: the name of the event's person.

    joint: the decisions of the act that the event ends, all told in this message.
    """
    body = json.loads(event.text)["body"]
    parsed = parse_event(event.kind, body)
    with translation.override("en"):  # a channel has no language setting
        sentence = parsed.write_sentence() if parsed else event.kind.replace(".", ": ")
    why = str(body.get("reason") or body.get("message") or "").strip()
    subject, path = _find_subject(event, parsed)
    if joint:
        sentence = joint.write_sentence()
        subject, path = _describe_release(joint.release)
    names_namespace = subject == event.namespace or f"{event.namespace}/" in subject  # a template's name contains it
    place = "" if names_namespace else f" in {event.namespace}"
    if event.key:
        place += f", through the key pb_{event.key}"
    message = _Message(
        title=describe_kind(event.kind),
        who=who,
        sentence=_cut(sentence),
        why="" if why in sentence else _cut(why),
        subject=subject,
        url=f"{settings.BASE_URL}{path}",
        place=place,
        panel_url=f"{settings.BASE_URL}{path}/publish" if event.kind in _WAITING else "",
    )
    return format_canonical_json(_WRITERS[receiver](message))


def write_trial_message(webhook: Webhook, who: str) -> str:
    """The JSON text of a test message."""
    namespace = webhook.namespace.name
    message = _Message(
        title="Test message",
        who=who,
        sentence=f"sent a test message: events of {namespace} will appear here",
        why="",
        subject=namespace,
        url=f"{settings.BASE_URL}/t/{namespace}/",
        place="",
    )
    return format_canonical_json(_WRITERS[webhook.receiver](message))


def _find_subject(event: Event, parsed: JournalEvent | None) -> tuple[str, str]:
    """A title of the event's subject, and the path of its page."""
    if isinstance(parsed, ReleaseStep):
        return _describe_release(parsed.release)
    if event.change is not None:
        return f"Change {event.change}: {event.template}", f"/changes/{event.change}"
    if event.template:
        return event.template, f"/t/{event.template}"
    page = parsed.page if parsed else None
    if page is None or page is Page.DIFF:
        return event.namespace, f"/t/{event.namespace}/"
    address = "models" if page is Page.CONNECTIONS else page.value
    return event.namespace, f"/n/{event.namespace}/{address}"


def _describe_release(release: int) -> tuple[str, str]:
    """The title of a release, and the path of its page."""
    return f"Release {release}", f"/releases/{release}"


def _write_slack_message(message: _Message) -> dict[str, Any]:
    """Blocks, and the text that notifications and services without blocks show.

    What people wrote is in plain text objects: in the other kind, Slack formats `*words*` and links bare addresses.
    """
    sentence = f"{message.who} {message.sentence}"
    link = f"<{message.url}|{_escape(message.subject)}>{_escape(message.place)}"
    if message.panel_url:
        link += f" · <{message.panel_url}|What publishing changes>"
    blocks = [
        {"type": "section", "text": {"type": "mrkdwn", "text": f"*{_escape(message.title)}*"}},
        *(
            {"type": "section", "text": {"type": "plain_text", "text": text, "emoji": False}}
            for text in (sentence, message.why)
            if text
        ),
        {
            "type": "context",
            "elements": [{"type": "mrkdwn", "text": link, "verbatim": True}],
        },
    ]
    return {"text": _escape(_prevent_links(sentence)), "blocks": blocks}


def _write_teams_message(message: _Message) -> dict[str, Any]:
    """An adaptive card for the workflow "When a Teams webhook request is received"."""
    lines = [
        _build_line({"text": message.title, "weight": "Bolder", "size": "Medium"}),
        _build_line({"text": message.who, "weight": "Bolder"}, {"text": f" {message.sentence}"}),
        *([_build_line({"text": message.why})] if message.why else []),
        _build_line({"text": f"{message.subject}{message.place}", "isSubtle": True, "size": "Small"}),
    ]
    actions = [{"type": "Action.OpenUrl", "title": "Open in Promptuary", "url": message.url}]
    if message.panel_url:
        actions.append({"type": "Action.OpenUrl", "title": "What publishing changes", "url": message.panel_url})
    card = {
        "$schema": _CARD,
        "type": "AdaptiveCard",
        "version": "1.4",
        "fallbackText": f"{message.who} {message.sentence}",
        "body": lines,
        "actions": actions,
    }
    attachment = {"contentType": "application/vnd.microsoft.card.adaptive", "contentUrl": None, "content": card}
    return {"type": "message", "attachments": [attachment]}


def _build_line(*runs: Mapping[str, Any]) -> dict[str, Any]:
    """A line of a card; in text runs, unlike text blocks, Teams does not interpret Markdown."""
    return {"type": "RichTextBlock", "inlines": [{"type": "TextRun", **run} for run in runs]}


def _escape(text: str) -> str:
    """Escape the three characters special to Slack: links and mentions begin with the second."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def _prevent_links(text: str) -> str:
    """The text with zero-width spaces, so that it makes no link and notifies nobody where it is read as Markdown."""
    return re.sub(r"@|\](?=\()|:(?=//)", lambda match: f"{match[0]}\u200b", text)


def _cut(text: str) -> str:
    return text if len(text) <= _LIMIT else f"{text[: _LIMIT - 1]}…"


_WRITERS: Mapping[str, Callable[[_Message], dict[str, Any]]] = {
    Webhook.SLACK: _write_slack_message,
    Webhook.TEAMS: _write_teams_message,
}
