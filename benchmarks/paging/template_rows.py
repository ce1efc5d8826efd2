"""Templates written in bulk with versions, tags, labels, published and open changes, and their events."""

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cache
from typing import Any

from benchmarks.paging.journal_rows import JournalRows
from benchmarks.paging.names import BEHIND, choose_subject, count_minutes_between, write_document
from promptuary.renderer import digest
from promptuary.renderer.document.parser import inspect_document
from registry.accounts.models import User
from registry.changes.events import ChangeDecided, ChangeProposed
from registry.changes.models import ChangeRequest, Decision
from registry.journal.event import JournalEvent, compute_digest, format_canonical_json, to_microseconds
from registry.namespaces.models import Namespace
from registry.templates.events import VersionSaved
from registry.templates.label_events import LabelMoved
from registry.templates.label_models import Label, LabelMove
from registry.templates.models import Tag, Template, Version

__all__ = ["OPEN_CHANGES", "Cast", "TemplateRows"]

OPEN_CHANGES = 50  # at all sizes
Saved = dict[tuple[int, int], Version]


@dataclass(frozen=True)
class Cast:
    """The people who act in the history."""

    author: User
    reviewer: User
    admin: User


class TemplateRows:
    """Writes templates in batches; numbers of changes continue from the last existing one."""

    def __init__(self, cast: Cast, journal: JournalRows, versions: int, newest: datetime) -> None:
        self._cast, self._versions, self._newest = cast, versions, newest
        self._journal = journal
        self._change = ChangeRequest.objects.order_by("-number").values_list("number", flat=True).first() or 0

    def write(self, rows: Sequence[tuple[int, str, Namespace]], total: int) -> list[Template]:
        """Write the templates of these numbers, names and namespaces; the last of `total` numbers changed last."""
        templates = []
        for number, name, namespace in rows:
            at = self._newest - timedelta(minutes=(total - number) * count_minutes_between(total))
            row = Template(namespace=namespace, name=name, description=f"Answer about a {choose_subject(number)}")
            row.created_by, row.created_at, row.updated_at = self._cast.author, at, at
            templates.append(row)
        templates = Template.objects.bulk_create(templates, batch_size=500)
        numbers = [number for number, _, _ in rows]
        made = Version.objects.bulk_create(self._make_versions(numbers, templates), batch_size=500)
        saved = {(row.template_id, row.number): row for row in made}
        for template in templates:
            template.latest = saved[template.pk, self._versions]
        Template.objects.bulk_update(templates, ["latest"], batch_size=500)
        self._write_tags(numbers, templates)
        self._write_saves(templates, saved)
        self._write_labels(numbers, templates, saved)
        return templates

    def _make_versions(self, numbers: Sequence[int], templates: Sequence[Template]) -> Iterator[Version]:
        for number, template in zip(numbers, templates, strict=True):
            chance = random.Random(number)
            for version in range(1, self._versions + 1):
                text = write_document(number, version, chance)
                bundle = {"engine": 1, "document": text, "fragments": {}, "profile": None}
                row = Version(
                    template=template, number=version, digest=digest(bundle), bundle=format_canonical_json(bundle)
                )
                row.settings, row.author = _read_settings(text[: text.index("inputs:")]), self._cast.author
                row.message, row.created_at = f"Version {version}", template.updated_at
                yield row

    def _write_tags(self, numbers: Sequence[int], templates: Sequence[Template]) -> None:
        tags = [
            Tag(template=template, name=name)
            for number, template in zip(numbers, templates, strict=True)
            for name in (choose_subject(number), f"team-{number % 13}")
        ]
        Tag.objects.bulk_create(tags, batch_size=2_000)

    def _write_saves(self, templates: Sequence[Template], saved: Saved) -> None:
        for template in templates:
            for number in range(1, self._versions + 1):
                version = saved[template.pk, number]
                event = VersionSaved(
                    template=template.name,
                    number=number,
                    digest=version.digest,
                    document=compute_digest(version.document),
                    fragments={},
                    profile=None,
                    base=number - 1 or None,
                    message=version.message,
                )
                self._append(self._cast.author, event, template)

    def _write_labels(self, numbers: Sequence[int], templates: Sequence[Template], saved: Saved) -> None:
        """Set `production` by an approved change and `staging` by hand; some templates also have an open change."""
        changes, decisions, labels, moves = [], [], [], []
        for number, template in zip(numbers, templates, strict=True):
            is_behind = number % BEHIND == 0 and self._versions > 1
            newest = saved[template.pk, self._versions]
            live = saved[template.pk, self._versions - is_behind]
            change = self._propose(template, live)
            change.state, change.closed_at = ChangeRequest.PUBLISHED, template.updated_at
            decisions.append(self._approve(change))
            change.decided = self._build_decision(change)
            changes.append(change)
            moves += [self._move(template, live, change), self._move(template, newest, None)]
            labels += [
                Label(template=template, name=move.label, version=move.after, moved_at=move.created_at)
                for move in moves[-2:]
            ]
            if is_behind and 0 <= number // BEHIND < OPEN_CHANGES:
                changes.append(self._propose(template, newest))
        ChangeRequest.objects.bulk_create(changes, batch_size=500)
        Decision.objects.bulk_create(decisions, batch_size=500)
        Label.objects.bulk_create(labels, batch_size=1_000)
        LabelMove.objects.bulk_create(moves, batch_size=1_000)

    def _propose(self, template: Template, version: Version) -> ChangeRequest:
        self._change += 1
        facts: dict[str, Any] = {
            "change": self._change,
            "template": template.name,
            "label": "production",
            "version": version.number,
        }
        message = f"Publish version {version.number}"
        self._append(self._cast.author, ChangeProposed(**facts, digest=version.digest, message=message), template)
        change = ChangeRequest(number=self._change, template=template, label="production", version=version)
        change.message, change.opened_by = message, self._cast.author
        change.created_at, change.updated_at = template.updated_at, template.updated_at
        return change

    def _approve(self, change: ChangeRequest) -> Decision:
        version, template = change.version, change.template
        facts: dict[str, Any] = {
            "change": change.number,
            "template": template.name,
            "label": change.label,
            "version": version.number,
        }
        event = ChangeDecided(**facts, digest=version.digest, decision="approve", number=1, round=1, text=None)
        self._append(self._cast.reviewer, event, template)
        row = Decision(change=change, number=1, person=self._cast.reviewer, decision="approve", label=change.label)
        row.version, row.digest, row.round, row.created_at = version, version.digest, 1, template.updated_at
        return row

    def _build_decision(self, change: ChangeRequest) -> dict[str, object]:
        approval = {"person": self._cast.reviewer.username, "at": to_microseconds(change.created_at)}
        return {"approvals": [approval], "needed": 1, "checks": []}

    def _move(self, template: Template, version: Version, change: ChangeRequest | None) -> LabelMove:
        label, how = ("production", "published") if change else ("staging", "moved")
        person = self._cast.author
        event = LabelMoved(
            template=template.name,
            label=label,
            from_version=None,
            to=version.number,
            digest=version.digest,
            how=how,
            reason="",
            change=change.number if change else None,
            decided=change.decided if change else None,
        )
        self._append(person, event, template)
        move = LabelMove(template=template, label=label, after=version, how=how, protected=change is not None)
        move.change, move.person, move.created_at = change, person, template.updated_at
        return move

    def _append(self, person: User, event: JournalEvent, template: Template) -> None:
        self._journal.add(person, event, namespace=template.namespace.name, at=template.updated_at)


@cache
def _read_settings(head: str) -> str:
    """The settings of a document with this front matter, as canonical JSON."""
    document = inspect_document(f"{head}---\n- name: question\n  content: x\n")[0]
    return format_canonical_json(document.settings if document else {})
