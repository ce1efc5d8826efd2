"""The golden journal: a fixture with every kind of event, and what the product makes of it.

`golden_journal.jsonl` has an object a line for each event: number, kind, canonical text, hash, the columns that repeat
parts of its body, and "commits": for each branch that has a commit of it, that commit's id and its tree's.
`golden_mirror.fast-export` is the mirror as text. `golden_rows.json` are the rows after a restore.
`golden_effects.json` is what each event reads as, what a webhook is sent of it, which caches its kind drops, and the
conversations of change requests. `record_golden_journal.py` writes all four.
"""

import json
import os
import re
import subprocess
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

from django.db import connection
from django.test.utils import CaptureQueriesContext

from frontend.changes import timeline
from frontend.web import event_sentences
from registry.accounts.actor import Actor
from registry.accounts.models import User
from registry.changes.models import ChangeRequest
from registry.changes.thread_queries import CommentText
from registry.core import lru
from registry.journal.models import Event
from registry.namespaces import keys
from registry.serving.credentials import Caller
from registry.serving.fetcher import Fetcher, get_fetcher
from registry.serving.label_moves_long_poll import LabelMovesPoll
from registry.webhooks import messages
from tests.support import row_snapshot

__all__ = [
    "BASE_URL",
    "EFFECTS",
    "EXPORT",
    "JOURNAL",
    "ROWS",
    "describe_journal",
    "export_mirror",
    "measure_caches",
    "read_commits",
    "read_conversations",
    "read_effects",
    "read_journal",
    "read_rows",
    "recreate_mirror",
]

BASE_URL = "https://promptuary.example"  # included in webhook messages
_FOLDER = Path(__file__).parent
JOURNAL, EXPORT = _FOLDER / "golden_journal.jsonl", _FOLDER / "golden_mirror.fast-export"
ROWS, EFFECTS = _FOLDER / "golden_rows.json", _FOLDER / "golden_effects.json"
_OWN, _OTHER = "support/refunds/reply", "support/policy"  # both have versions that production or live serves


def read_journal() -> list[dict[str, Any]]:
    """The recorded events, oldest first."""
    return [json.loads(line) for line in JOURNAL.read_text(encoding="utf-8").splitlines()]


def describe_journal(mirror: Path) -> list[dict[str, Any]]:
    """The events of the database in the form of `read_journal`, with this mirror's commits."""
    commits = read_commits(mirror)
    columns = ("number", "kind", "template", "version", "change", "hash", "text")
    rows = Event.objects.order_by("number").values(*columns)
    return [{**row, "commits": commits.get(row["number"], {})} for row in rows]


def read_rows() -> dict[str, list[str]]:
    """The lasting rows of the database by model, but for the events."""
    rows = row_snapshot.snapshot_rows()
    del rows["Event"]
    return rows


def recreate_mirror(path: Path) -> Path:
    """A bare repository with the recorded commits; their ids are a hash of all that they hold, so they are the same."""
    _run_git(path.parent, "init", "--quiet", "--bare", "--initial-branch=main", str(path))
    _run_git(path, "fast-import", "--quiet", content=EXPORT.read_bytes())
    return path


def export_mirror(path: Path) -> bytes:
    """Every branch of a repository as a text that `git fast-import` reads."""
    return _run_git(path, "fast-export", "--all", "--reencode=no")


def read_commits(path: Path) -> dict[int, dict[str, list[str]]]:
    """Event number to {branch: [commit id, tree id]}, of every commit of every branch."""
    commits: dict[int, dict[str, list[str]]] = {}
    for branch in _run_git(path, "for-each-ref", "--format=%(refname:short)").decode().split():
        output = _run_git(path, "log", "--first-parent", "--reverse", "--format=%H %T%n%B%x00", branch, "--")
        for entry in output.decode().split("\0")[:-1]:
            ids, _, message = entry.lstrip("\n").partition("\n")
            number = int(re.findall(r"^Promptuary-Event: (\d+)$", message, re.MULTILINE)[-1])
            commits.setdefault(number, {})[branch] = ids.split(" ")
    return commits


def read_effects() -> dict[str, dict[str, str]]:
    """Number and kind of each event to its sentence and link, for a member and an admin, and a webhook's message."""
    effects = {}
    for event in Event.objects.order_by("number"):
        member, admin = (event_sentences.describe_event(event, may_manage=may_manage) for may_manage in (False, True))
        effects[f"{event.number:03} {event.kind}"] = {
            "sentence": member.sentence,
            "sentence_for_admins": admin.sentence,
            "href": member.href,
            "href_for_admins": admin.href,
            "webhook": messages.build_event_message(event),
        }
    return effects


def read_conversations() -> dict[str, list[dict[str, Any]]]:
    """Number of each change request to the rows of its conversation, as its page shows them."""
    return {
        str(change.number): [_describe_entry(entry) for entry in timeline.list_timeline_entries(change)]
        for change in ChangeRequest.objects.order_by("number")
    }


def _describe_entry(entry: timeline.TimelineEntry) -> dict[str, Any]:
    """The entry under the names of the recording, which is older than the fields' present names."""
    values = asdict(entry)
    del values["comment_text"]
    is_comment = values.pop("is_comment")
    return {
        **values,
        "at": entry.at.isoformat(),
        "is_said": is_comment,
        "said": _describe_text(entry.comment_text),
    }


def _describe_text(text: CommentText | None) -> dict[str, Any] | None:
    """A comment's current and earlier text; None if it wasn't edited or deleted."""
    if text is None or text.changed_at is None:
        return None
    return {"deleted": text.is_deleted, "earlier": [earlier.text for earlier in text.earlier]}


def measure_caches() -> dict[str, list[str]]:
    """Kind to what a process forgets that hears of such an event; measured, by whether the same question asks the
    database again. Leaves events and a key behind in the database."""
    kinds: dict[str, Event] = {}
    for event in Event.objects.order_by("number"):
        kinds.setdefault(event.kind, event)
    process = _Process()
    return {kind: process.hear(event) for kind, event in sorted(kinds.items())}


class _Process:
    """A process that serves fetches with a stopped clock, so that its caches don't expire."""

    def __init__(self) -> None:
        admin = Actor(User.objects.get(username="zoë.o'neil@example.org"))
        issued = keys.issue_key(actor=admin, namespace="support", name="golden", scope="read", approved_only=False)
        self._fetcher = Fetcher(clock=lambda: 1000.0)
        self._moves = LabelMovesPoll(self._fetcher)
        anybody = Caller("", "support")
        limited = Caller("", "support", approved_only=True, protected=frozenset({"production"}))
        self._questions: dict[str, Callable[[], Any]] = {
            "key": lambda: self._fetcher.authenticate(f"Bearer {issued.secret}"),
            "label of its template": lambda: self._fetcher.find_version(anybody, f"{_OWN}@production"),
            "label of another template": lambda: self._fetcher.find_version(anybody, f"{_OTHER}@live"),
            "pinned version": lambda: self._fetcher.find_version(anybody, f"{_OWN}@3"),
            "approval": lambda: self._fetcher.find_version(limited, f"{_OWN}@3"),
        }

    def hear(self, event: Event) -> list[str]:
        """Append a copy of the event, and give what is forgotten then."""
        before = self._append(event, event.template and _OTHER)  # a first look forgets everything
        self._look()
        for ask in self._questions.values():
            ask()
        memory: lru.Recent[str, str] = lru.Recent(1)
        memory.get("text", lambda: "kept")
        self._append(event, event.template and _OWN)
        self._look()
        forgotten = [name for name, ask in self._questions.items() if _asks_database(ask)]
        if self._moves.read_moves_since(event.namespace, str(before)).moves:
            forgotten.append("news of moves")
        if memory.get("text", lambda: "made again") == "made again":
            forgotten.append("texts")
        return forgotten

    def _look(self) -> None:
        self._fetcher.follower.poll()
        get_fetcher().follower.poll()  # it empties the memories of the process

    def _append(self, event: Event, template: str) -> int:
        newest = Event.objects.latest("number")
        number = newest.number + 1
        Event.objects.create(
            number=number,
            kind=event.kind,
            at=newest.at,
            person=event.person,
            namespace=event.namespace,
            template=template,
            text=event.text,
            hash=f"sha256:{number:064d}",
        )
        return number


def _asks_database(ask: Callable[[], Any]) -> bool:
    with CaptureQueriesContext(connection) as queries:
        ask()
    return bool(queries.captured_queries)


def _run_git(folder: Path, *arguments: str, content: bytes | None = None) -> bytes:
    """Git's output, whatever the machine's own settings are."""
    environment = {
        "PATH": os.environ["PATH"],
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_CONFIG_GLOBAL": os.devnull,
        "LC_ALL": "C",
    }
    command = ["git", "-c", "i18n.logOutputEncoding=UTF-8", *arguments]
    return subprocess.run(command, cwd=folder, input=content, capture_output=True, check=True, env=environment).stdout
