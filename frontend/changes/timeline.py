"""The conversation of a request: its events in words, checks that came in together as one."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import groupby
from typing import Any
from urllib.parse import urlencode

from registry.changes import timeline
from registry.changes.events import (
    ChangeDecided,
    ChangeHeaded,
    ChangeProposed,
    ChangeReopened,
    ChangeWithdrawn,
    CommentAdded,
    EmergencyClosed,
    ThreadResolved,
    VerdictGiven,
)
from registry.changes.models import ChangeRequest
from registry.changes.timeline import Moment
from registry.templates.events import LabelMoved

__all__ = ["Entry", "count_said", "entries"]

_DECIDED = {
    "approve": ("check", "ok", "approved v{version} for {label}"),
    "request_changes": ("message-square", "bad", "asks for edits of v{version}"),
    "acknowledge": ("triangle-alert", "warn", "accepts the break of the contract by v{version}"),
    "comment": ("message-square", "", "on v{version}"),
}
_PLAIN = {
    ChangeProposed.kind: ("git-pull-request", "asked to move {label} to v{version}"),
    ChangeHeaded.kind: ("git-commit-horizontal", "put v{version} into the request; approvals given before are void"),
    ChangeWithdrawn.kind: ("x", "withdrew the request"),
    EmergencyClosed.kind: ("x", "closed the emergency without approving v{version}"),
    ChangeReopened.kind: ("rotate-ccw", "opened the request again on v{version}"),
}
_MOVED = {
    "published": "published it: {label} is on v{to}",
    "broke_glass": "published it in an emergency, before it was approved: {label} is on v{to}",
    "rolled_back": "rolled {label} back to v{to}",
}


@dataclass(frozen=True)
class Entry:
    """One row of the conversation. `voided`: a decision that a newer head took the force of. `is_said`: somebody's words."""

    at: datetime
    person: str
    icon: str
    look: str
    words: str
    text: str = ""
    url: str = ""
    url_word: str = ""
    voided: bool = False
    is_said: bool = False


def entries(change: ChangeRequest) -> list[Entry]:
    """The whole story, oldest first."""
    shown: list[Entry] = []
    for is_check, moments in groupby(timeline.list_moments(change), lambda moment: moment.kind == VerdictGiven.kind):
        if not is_check:
            shown += [entry for moment in moments if (entry := _entry(change, moment)) is not None]
            continue
        of_version: dict[int, list[Moment]] = {}
        for moment in moments:
            of_version.setdefault(moment.body["version"], []).append(moment)
        shown += [_checked(found) for found in of_version.values()]
    return shown


def count_said(shown: Sequence[Entry]) -> int:
    """How many of them are people's words."""
    return sum(entry.is_said for entry in shown)


def _entry(change: ChangeRequest, moment: Moment) -> Entry | None:
    body = moment.body
    plain = Entry(moment.at, moment.person, "", "", "", text=str(body.get("reason") or ""))
    if moment.kind == ChangeDecided.kind:
        icon, look, words = _DECIDED[body["decision"]]
        voided = change.takes_decisions and (body["digest"], body["round"]) != (change.version.digest, change.round)
        told = replace(plain, icon=icon, look=look, words=words.format(**body), text=moment.text, is_said=True)
        return replace(told, voided=voided and body["decision"] != "comment")
    if moment.kind == CommentAdded.kind:
        return _commented(plain, moment)
    if moment.kind == ThreadResolved.kind:
        words = "resolved" if body["resolved"] else "opened again"
        return replace(plain, icon="check", words=f"{words} thread {body['thread']}")
    if moment.kind == LabelMoved.kind:
        words = _MOVED.get(body["how"], "moved {label}")
        if body["from"] == body["to"]:
            words = "published it: {label} stays on v{to}, approved now"
        return replace(plain, icon="check", look="ok", words=words.format(**body))
    if moment.kind in _PLAIN:
        icon, words = _PLAIN[moment.kind]
        return replace(plain, icon=icon, words=words.format(**body))
    return None


def _commented(plain: Entry, moment: Moment) -> Entry:
    body = moment.body
    lines = (
        f"line {body['line']}" if body["line"] == body["end_line"] else f"lines {body['line']} to {body['end_line']}"
    )
    place = f"source {lines}" if body["side"] == "source" else f"{lines} of part {body['part'] + 1} on {body['sample']}"
    words = f"{'suggests for' if moment.suggests else 'on'} {place} of v{body['version']}"
    return replace(
        plain,
        icon="message-square",
        words=words,
        text=moment.text,
        url=_address(body),
        url_word="See the thread",
        is_said=True,
    )


def _address(body: Mapping[str, Any]) -> str:
    query = {"view": body["side"], **({"sample": body["sample"]} if body["side"] == "rendered" else {})}
    return f"?{urlencode(query)}#thread-{body['thread']}"


def _checked(moments: Sequence[Moment]) -> Entry:
    failed = [
        f"{moment.body['check']}: {moment.body['summary']}" for moment in moments if moment.body["outcome"] == "failed"
    ]
    passed = len(moments) - len(failed)
    words = " and ".join(f"{count} {word}" for count, word in ((passed, "passed"), (len(failed), "failed")) if count)
    look, icon = ("bad", "circle-x") if failed else ("ok", "check")
    return Entry(
        moments[-1].at, "", icon, look, f"checks of v{moments[-1].body['version']}: {words}", "\n".join(failed)
    )
