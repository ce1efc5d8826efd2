"""The events of change requests: each step from the proposal to the end."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from django.utils.translation import gettext

from registry.changes.rollout_plans import describe_shares
from registry.journal import mirror_paths
from registry.journal.event import Cache, JournalEvent, StoredRow, TimelineLine, event, json_name
from registry.journal.mirroring import CommitContent, Restorer, Texts

__all__ = [
    "ChangeDecided",
    "ChangeHeaded",
    "ChangeProposed",
    "ChangeReopened",
    "ChangeStep",
    "ChangeWithdrawn",
    "EmergencyClosed",
]

# The labels too: the decision may approve an emergency, and fetch responses include that.
_APPROVALS = Cache.APPROVALS | Cache.TEMPLATE_LABELS


@dataclass(frozen=True, kw_only=True)
class ChangeStep(JournalEvent):
    """A step of a change request. version, digest: of its head after the step."""

    change: int
    template: str
    label: str
    version: int
    digest: str

    def _describe(self, sentence: str) -> str:
        """The translated sentence with the request, its label and the proposed version."""
        return sentence.format(change=self.change, label=self.label, template=self.template, version=self.version)

    def _commit(self, texts: Texts, step: str, note: str = "") -> CommitContent:
        files = {mirror_paths.locate_change_step(texts.namespace, self.change, texts.number, step): texts.record()}
        return CommitContent(f"{self.template}: change {self.change} {step}", files, note, self.digest)

    def _update(self, rows: Restorer, **values: Any) -> None:
        rows.update("ChangeRequest", {"number": self.change}, updated_at=rows.at, **values)


@event("change.proposed", caches=_APPROVALS)
@dataclass(frozen=True, kw_only=True)
class ChangeProposed(ChangeStep):
    """A change request was opened.

    rollout: the steps and the stop rule of the rollout that publishing starts, if one was chosen.
    """

    message: str
    rollout: Mapping[str, Any] | None = None

    def write_sentence(self) -> str:
        return self._describe(gettext("opened change {change}: {label} of {template} to version {version}"))

    def build_timeline_line(self) -> TimelineLine:
        words = self._describe(gettext("proposed v{version} for {label}"))
        if self.rollout is not None:
            words = gettext("proposed v{version} for {label}, to go live gradually: {shares}").format(
                version=self.version, label=self.label, shares=describe_shares(self.rollout)
            )
        return TimelineLine("git-pull-request", words)

    def commit(self, texts: Texts) -> CommitContent:
        return self._commit(texts, "proposed", self.message)

    def restore(self, rows: Restorer) -> None:
        rows.create(
            "ChangeRequest",
            number=self.change,
            template=rows.find_template(self.template),
            label=self.label,
            version=rows.find_version(self.template, self.version),
            message=self.message,
            planned_rollout=self.rollout,
            opened_by=rows.author,
            key_id=rows.key_id,
            created_at=rows.at,
            updated_at=rows.at,
        )


@event("change.headed", caches=_APPROVALS, title="Change updated")
@dataclass(frozen=True, kw_only=True)
class ChangeHeaded(ChangeStep):
    """Another version became the head of the request. `from`: the number of the previous one."""

    round: int
    from_version: int | None = json_name("from", default=None)

    def write_sentence(self) -> str:
        return self._describe(gettext("updated change {change}: {label} of {template} to version {version}"))

    def build_timeline_line(self) -> TimelineLine:
        words = self._describe(gettext("updated the change to v{version}; earlier approvals are outdated"))
        return TimelineLine("git-commit-horizontal", words)

    def commit(self, texts: Texts) -> CommitContent:
        return self._commit(texts, "headed")

    def restore(self, rows: Restorer) -> None:
        self._update(rows, version=rows.find_version(self.template, self.version), round=self.round)


@event("change.decided", caches=_APPROVALS, title="Change reviewed")
@dataclass(frozen=True, kw_only=True)
class ChangeDecided(ChangeStep):
    """A reviewer decided or commented.

    number: of the decision within the request. text: its sha256. reviewed: true if this was the last approval that an
    emergency was missing; decided: what the request was decided on then. taken_back: `approve` or `request_changes`, if
    the person took that back.
    """

    decision: str
    number: int
    round: int
    text: str | None
    reviewed: bool | None = None
    decided: Mapping[str, Any] | None = None
    taken_back: str | None = None
    stored_row: ClassVar[StoredRow | None] = StoredRow(
        "Decision", {"change": "change", "number": "number"}, {"text": "text"}
    )

    def write_sentence(self) -> str:
        sentence = {
            "approve": gettext("approved change {change}: version {version} of {template} for {label}"),
            "request_changes": gettext(
                "asked for edits in change {change}: version {version} of {template} for {label}"
            ),
            "comment": gettext("commented on change {change}: version {version} of {template} for {label}"),
            "acknowledge": gettext(
                "accepted a break of the contract in change {change}: version {version} of {template} for {label}"
            ),
            "take_back": self._choose_taken_back(
                gettext("took back the approval in change {change}: version {version} of {template} for {label}"),
                gettext("no longer asks for edits in change {change}: version {version} of {template} for {label}"),
            ),
        }[self.decision]
        return self._describe(sentence)

    def build_timeline_line(self) -> TimelineLine:
        icon, look, words = {
            "approve": ("check", "ok", gettext("approved v{version} for {label}")),
            "request_changes": ("message-square", "bad", gettext("asks for edits of v{version}")),
            "acknowledge": ("triangle-alert", "warn", gettext("accepts the break of the contract by v{version}")),
            "comment": ("message-square", "", gettext("on v{version}")),
            "take_back": (
                "rotate-ccw",
                "warn",
                self._choose_taken_back(
                    gettext("took back the approval of v{version} for {label}"),
                    gettext("no longer asks for edits of v{version}"),
                ),
            ),
        }[self.decision]
        return TimelineLine(icon, self._describe(words), look=look, is_remark=True)

    def _choose_taken_back(self, approval: str, objection: str) -> str:
        return objection if self.taken_back == "request_changes" else approval

    def commit(self, texts: Texts) -> CommitContent:
        text = texts.find_stored_row()["text"]
        subject = f"{self.template}: change {self.change}, {self.decision.replace('_', ' ')}"
        files = {self._path(texts.namespace, texts.number): texts.record(text=text)}
        return CommitContent(subject, files, text, self.digest)

    def restore(self, rows: Restorer) -> None:
        text = rows.read_yaml(self._path(rows.namespace_name, rows.number))["text"]
        if text or self.text:
            rows.require_digest(text, self.text)
        rows.create(
            "Decision",
            change_id=self.change,
            number=self.number,
            decision=self.decision,
            label=self.label,
            version=rows.find_version(self.template, self.version),
            digest=self.digest,
            round=self.round,
            text=text,
            created_at=rows.at,
            person=rows.author,
            key_id=rows.key_id,
        )
        self._update(rows, **({"unreviewed": False} if self.reviewed else {}))

    def _path(self, namespace: str, event: int) -> str:
        return mirror_paths.locate_change_step(namespace, self.change, event, self.decision)


@event("change.withdrawn", caches=_APPROVALS)
@dataclass(frozen=True, kw_only=True)
class ChangeWithdrawn(ChangeStep):
    """The request was closed without publishing. decided: what it was decided on until then."""

    reason: str
    decided: Mapping[str, Any] | None = None

    def write_sentence(self) -> str:
        return self._describe(gettext("withdrew change {change}: {label} of {template} to version {version}"))

    def build_timeline_line(self) -> TimelineLine:
        return TimelineLine("x", gettext("withdrew the change"), text=self.reason)

    def commit(self, texts: Texts) -> CommitContent:
        return self._commit(texts, "withdrawn", self.reason)

    def restore(self, rows: Restorer) -> None:
        unscheduled = {"goes_live_at": None, "scheduled_by_id": None, "schedule_key_id": None}
        self._update(rows, state="withdrawn", closed_at=rows.at, **unscheduled)


@event("change.reopened")
@dataclass(frozen=True, kw_only=True)
class ChangeReopened(ChangeStep):
    """A withdrawn request was reopened, in a new round."""

    round: int

    def write_sentence(self) -> str:
        return self._describe(gettext("reopened change {change}: {label} of {template} to version {version}"))

    def build_timeline_line(self) -> TimelineLine:
        return TimelineLine("rotate-ccw", self._describe(gettext("reopened the change on v{version}")))

    def commit(self, texts: Texts) -> CommitContent:
        return self._commit(texts, "reopened")

    def restore(self, rows: Restorer) -> None:
        self._update(rows, state="open", closed_at=None, round=self.round, decided=None)


@event("emergency.closed", title="Emergency closed without approval")
@dataclass(frozen=True, kw_only=True)
class EmergencyClosed(ChangeStep):
    """An emergency was closed without approving it."""

    reason: str

    def write_sentence(self) -> str:
        return self._describe(gettext("closed the emergency of change {change} without approving it"))

    def build_timeline_line(self) -> TimelineLine:
        words = self._describe(gettext("closed the emergency without approving v{version}"))
        return TimelineLine("x", words, text=self.reason)

    def commit(self, texts: Texts) -> CommitContent:
        return self._commit(texts, "emergency-closed", self.reason)

    def restore(self, rows: Restorer) -> None:
        self._update(rows, emergency_closed_at=rows.at)
