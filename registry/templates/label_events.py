"""The event of labels: one was moved, rolled back or removed."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext

from registry.core.sentences import quote_start
from registry.journal import mirror_paths
from registry.journal.event import Cache, JournalEvent, TimelineLine, event, json_name
from registry.journal.mirroring import CommitContent, Move, Restorer, Texts

__all__ = ["LabelMoved"]


# A move may void a change request's approval, because it changes who its contributors are.
@event("label.moved", version="to", caches=Cache.TEMPLATE_LABELS | Cache.APPROVALS)
@dataclass(frozen=True, kw_only=True)
class LabelMoved(JournalEvent):
    """A label was moved to another version, approved for the version it serves, or removed.

    from_version, to: numbers, None if the label was not set before or was removed. digest: of `to`. how: one of
    `LabelMove.HOW`. change: the number of the request that moved it. decided: the data that its decision was based on.
    ignored_freeze: the reason of the freeze that an emergency overrode. scheduled: true if the worker moved it at the
    time that the event's author chose. reviewed: true if a change that was published in an emergency already had its
    approvals.
    """

    template: str
    label: str
    from_version: int | None = json_name("from")
    to: int | None
    digest: str | None
    how: str
    reason: str
    change: int | None
    decided: Mapping[str, Any] | None = None
    ignored_freeze: str | None = None
    scheduled: bool | None = None
    reviewed: bool | None = None

    def write_sentence(self) -> str:
        words = self._list_words()
        words["place"] = gettext("to version {to}").format(**words)
        if self.from_version:
            words["place"] = gettext("from version {origin} to {to}").format(**words)
        if self.how == "published" and self.from_version == self.to:
            return gettext("published {name}: {label} stays on version {to}, approved now").format(**words)
        if self.how == "published" and self.scheduled:
            return gettext("published {name} as scheduled: {label} moved {place}").format(**words)
        sentence = {
            "moved": gettext("moved {label} of {name} {place}"),
            "published": gettext("published {name}: {label} moved {place}"),
            "rolled_back": gettext("rolled {label} of {name} back {place}"),
            "removed": gettext("removed {label} of {name}, which pointed to version {origin}"),
            "broke_glass": self._write_emergency_sentence(),
        }[self.how]
        has_reason = self.reason.strip() and self.how in ("rolled_back", "broke_glass")
        return sentence.format(**words) + (f": {quote_start(self.reason)}" if has_reason else "")

    def _write_emergency_sentence(self) -> str:
        if self.reviewed and self.ignored_freeze:
            return gettext("published {name} in an emergency: {label} moved {place} in a freeze ({freeze})")
        if self.reviewed:
            return gettext("published {name} in an emergency: {label} moved {place}")
        if self.ignored_freeze:
            return gettext(
                "published {name} in an emergency: {label} moved {place} without approval in a freeze ({freeze})"
            )
        return gettext("published {name} in an emergency: {label} moved {place} without approval")

    def _list_words(self) -> dict[str, Any]:
        return {
            "label": self.label,
            "name": self.template,
            "to": self.to,
            "origin": self.from_version,
            "freeze": quote_start(self.ignored_freeze or ""),
        }

    def build_timeline_line(self) -> TimelineLine:
        names = {"label": self.label, "to": self.to, "freeze": self.ignored_freeze}
        if self.from_version == self.to:
            words = gettext("published it: {label} stays on v{to}, approved now")
        elif self.how == "published" and self.scheduled:
            words = gettext("published it as scheduled: {label} is on v{to}")
        elif self.how == "published":
            words = gettext("published it: {label} is on v{to}")
        elif self.how == "broke_glass":
            words = self._write_emergency_line()
        elif self.how == "rolled_back":
            words = gettext("rolled {label} back to v{to}")
        else:
            words = gettext("moved {label}")
        return TimelineLine("check", words.format(**names), look="ok", text=self.reason)

    def _write_emergency_line(self) -> str:
        if self.reviewed and self.ignored_freeze:
            return gettext("published it in an emergency, in a freeze ({freeze}): {label} is on v{to}")
        if self.reviewed:
            return gettext("published it in an emergency: {label} is on v{to}")
        if self.ignored_freeze:
            return gettext(
                "published it in an emergency, before it was approved, in a freeze ({freeze}): {label} is on v{to}"
            )
        return gettext("published it in an emergency, before it was approved: {label} is on v{to}")

    def commit(self, texts: Texts) -> CommitContent:
        version = texts.find_version() if self.to else None
        document = version.document.encode() if version and not version.is_redacted else None
        files = {mirror_paths.locate_label(self.template, self.label): texts.record() if self.to else None}
        if self.change is not None:
            files[mirror_paths.locate_change_step(texts.namespace, self.change, texts.number, self.how)] = (
                texts.record()
            )
        return CommitContent(
            f"{self.template}: {self.label} " + (f"to version {self.to}" if self.to else "removed"),
            files,
            self.reason or "",
            self.digest or "",
            moves=(
                Move(mirror_paths.name_branch(self.label), {mirror_paths.locate_document(self.template): document}),
            ),
        )

    def restore(self, rows: Restorer) -> None:
        rows.require_allowed_move()
        template = rows.find_template(self.template)
        target = rows.find_version(self.template, self.to) if self.to else None
        label = {"template": template, "name": self.label}
        if target is None:
            rows.delete("Label", **label)
        else:
            rows.update_or_create("Label", label, {"version": target, "moved_at": rows.at})
        rows.create(
            "LabelMove",
            template=template,
            label=self.label,
            before=rows.find_version(self.template, self.from_version) if self.from_version else None,
            after=target,
            how=self.how,
            protected=rows.is_protected(self.label),
            reason=self.reason,
            change_id=self.change,
            person=rows.author,
            key_id=rows.key_id,
            created_at=rows.at,
        )
        if self.change is not None:
            rows.update(
                "ChangeRequest",
                {"number": self.change},
                state="published",
                closed_at=rows.at,
                updated_at=rows.at,
                unreviewed=self.how == "broke_glass" and not self.reviewed,
            )
