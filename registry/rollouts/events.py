"""The events of rollouts. When one is finished, the label's move is an event of the label."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from django.utils.translation import gettext

from registry.changes.rollout_plans import name_share
from registry.core.sentences import quote_start
from registry.journal import mirror_paths
from registry.journal.event import Cache, JournalEvent, TimelineLine, event
from registry.journal.mirroring import CommitContent, Restorer, Texts

__all__ = [
    "RolloutFinished",
    "RolloutPaused",
    "RolloutResumed",
    "RolloutStarted",
    "RolloutStep",
    "RolloutStepped",
    "RolloutStopped",
]

_SERVED = Cache.TEMPLATE_LABELS | Cache.APPROVALS


@dataclass(frozen=True, kw_only=True)
class RolloutStep(JournalEvent):
    """A step of a rollout: its number and change request, and the two versions that callers are split between.

    version, digest: of the candidate.
    """

    rollout: int
    change: int
    template: str
    label: str
    version: int
    digest: str
    stable: int
    stable_digest: str

    def _describe(self, sentence: str, **values: object) -> str:
        """The translated sentence with the rollout, its versions, and further values."""
        return sentence.format(
            rollout=self.rollout, template=self.template, version=self.version, label=self.label, **values
        )

    def _commit(self, texts: Texts, step: str, note: str = "") -> CommitContent:
        path = mirror_paths.locate_change_step(texts.namespace, self.change, texts.number, f"rollout-{step}")
        subject = f"{self.template}: rollout {self.rollout} for {self.label} {step}"
        return CommitContent(subject, {path: texts.record()}, note)

    def _update(self, rows: Restorer, **values: object) -> None:
        rows.update("Rollout", {"number": self.rollout}, updated_at=rows.at, **values)

    def _end(self, rows: Restorer, state: str, **values: object) -> None:
        rows.update("Label", {"rollout": self.rollout}, rollout_id=None)
        self._update(rows, state=state, ended_at=rows.at, next_at=None, **values)


@event("rollout.started", caches=_SERVED)
@dataclass(frozen=True, kw_only=True)
class RolloutStarted(RolloutStep):
    """A label began to serve an approved candidate to a share of its callers. The fields are those of the row."""

    salt: str
    steps: Sequence[Mapping[str, Any]]
    stop_rule: Mapping[str, Any] | None

    def write_sentence(self) -> str:
        return self._describe(
            gettext("started rollout {rollout} of {template} {version} for {label}, with {share} of the callers"),
            share=name_share(self.steps[0]["share"]),
        )

    def build_timeline_line(self) -> TimelineLine:
        words = gettext("started to publish it gradually: {share} of {label}'s callers")
        words = self._describe(words, share=name_share(self.steps[0]["share"]))
        return TimelineLine("git-branch", words, look="ok")

    def commit(self, texts: Texts) -> CommitContent:
        return self._commit(texts, "started")

    def restore(self, rows: Restorer) -> None:
        template = rows.find_template(self.template)
        rows.create(
            "Rollout",
            number=self.rollout,
            template=template,
            label=self.label,
            change_id=self.change,
            stable=rows.find_version(self.template, self.stable),
            candidate=rows.find_version(self.template, self.version),
            salt=self.salt,
            steps=[dict(step) for step in self.steps],
            share=self.steps[0]["share"],
            stop_rule=self.stop_rule,
            next_at=_compute_due(rows, self.steps[0]["hours"]),
            started_by=rows.author,
            key_id=rows.key_id,
            created_at=rows.at,
            updated_at=rows.at,
        )
        rows.update("Label", {"template": template, "name": self.label}, rollout_id=self.rollout)


@event("rollout.stepped", caches=_SERVED)
@dataclass(frozen=True, kw_only=True)
class RolloutStepped(RolloutStep):
    """The candidate's share grew. step: the index of the step; hours: until the next one, None for manual steps.

    automatic: whether the clock did it, for the person who started the rollout.
    """

    step: int
    share: int
    hours: int | None
    automatic: bool | None = None

    def write_sentence(self) -> str:
        if self.automatic:
            sentence = gettext("moved rollout {rollout} of {template} {version} for {label} to {share} as planned")
        else:
            sentence = gettext("moved rollout {rollout} of {template} {version} for {label} to {share}")
        return self._describe(sentence, share=name_share(self.share))

    def build_timeline_line(self) -> TimelineLine:
        if self.automatic:
            words = gettext("moved the rollout to {share} as planned")
        else:
            words = gettext("moved the rollout to {share}")
        return TimelineLine("chevron-right", words.format(share=name_share(self.share)))

    def commit(self, texts: Texts) -> CommitContent:
        return self._commit(texts, "stepped")

    def restore(self, rows: Restorer) -> None:
        self._update(rows, step=self.step, share=self.share, next_at=_compute_due(rows, self.hours))


@event("rollout.paused", caches=Cache.NOTHING)
@dataclass(frozen=True, kw_only=True)
class RolloutPaused(RolloutStep):
    """The share stays as it is until somebody resumes the rollout. automatic: a planned step was not possible."""

    reason: str
    automatic: bool | None = None

    def write_sentence(self) -> str:
        if self.reason:
            sentence = gettext("paused rollout {rollout} of {template} {version} for {label}: {reason}")
        else:
            sentence = gettext("paused rollout {rollout} of {template} {version} for {label}")
        return self._describe(sentence, reason=quote_start(self.reason))

    def build_timeline_line(self) -> TimelineLine:
        return TimelineLine("pause", gettext("paused the rollout"), look="warn", text=self.reason)

    def commit(self, texts: Texts) -> CommitContent:
        return self._commit(texts, "paused", self.reason)

    def restore(self, rows: Restorer) -> None:
        self._update(rows, state="paused", next_at=None, reason=self.reason)


@event("rollout.resumed", caches=Cache.NOTHING)
@dataclass(frozen=True, kw_only=True)
class RolloutResumed(RolloutStep):
    """A paused rollout continues: the wait for its next step restarts. hours: of that wait, None for manual steps."""

    hours: int | None

    def write_sentence(self) -> str:
        return self._describe(gettext("resumed rollout {rollout} of {template} {version} for {label}"))

    def build_timeline_line(self) -> TimelineLine:
        return TimelineLine("play", gettext("resumed the rollout"))

    def commit(self, texts: Texts) -> CommitContent:
        return self._commit(texts, "resumed")

    def restore(self, rows: Restorer) -> None:
        self._update(rows, state="running", next_at=_compute_due(rows, self.hours), reason="")


@event("rollout.stopped", caches=_SERVED)
@dataclass(frozen=True, kw_only=True)
class RolloutStopped(RolloutStep):
    """All callers get the stable version again. figures: the scores of both sides at that time.

    automatic: whether the rollout's rule stopped it.
    """

    share: int
    reason: str
    figures: Sequence[Mapping[str, Any]]
    automatic: bool | None = None

    def write_sentence(self) -> str:
        if self.automatic:
            sentence = gettext(
                "stopped automatically rollout {rollout} of {template} {version} for {label} at {share}: {reason}"
            )
        else:
            sentence = gettext("stopped rollout {rollout} of {template} {version} for {label} at {share}: {reason}")
        return self._describe(sentence, share=name_share(self.share), reason=quote_start(self.reason))

    def build_timeline_line(self) -> TimelineLine:
        words = gettext("stopped the rollout at {share}: {label} serves v{stable} to everybody").format(
            share=name_share(self.share), label=self.label, stable=self.stable
        )
        return TimelineLine("rotate-ccw", words, look="bad", text=self.reason)

    def commit(self, texts: Texts) -> CommitContent:
        return self._commit(texts, "stopped", self.reason)

    def restore(self, rows: Restorer) -> None:
        self._end(rows, "stopped", reason=self.reason, figures=[dict(figure) for figure in self.figures])


@event("rollout.finished", caches=_SERVED)
@dataclass(frozen=True, kw_only=True)
class RolloutFinished(RolloutStep):
    """The rollout reached everybody; the event of the label's move to the candidate follows."""

    automatic: bool | None = None

    def write_sentence(self) -> str:
        if self.automatic:
            return self._describe(gettext("finished rollout {rollout} of {template} {version} for {label} as planned"))
        return self._describe(gettext("finished rollout {rollout} of {template} {version} for {label}"))

    def build_timeline_line(self) -> TimelineLine:
        return TimelineLine("check", gettext("finished the rollout"), look="ok")

    def commit(self, texts: Texts) -> CommitContent:
        return self._commit(texts, "finished")

    def restore(self, rows: Restorer) -> None:
        self._end(rows, "finished", reason="")


def _compute_due(rows: Restorer, hours: int | None) -> Any:
    return None if hours is None else rows.at + timedelta(hours=hours)
