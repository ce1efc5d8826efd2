"""The events of datasets, and of evaluations that change requests must pass."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from django.utils.translation import gettext

from promptuary.evaluation.datasets import Row, digest_contents
from registry.journal import mirror_paths
from registry.journal.event import Cache, JournalEvent, StoredRow, event
from registry.journal.mirroring import CommitContent, Restorer, Texts

__all__ = [
    "DatasetArchived",
    "DatasetSaved",
    "DatasetUnarchived",
    "EvaluationAttached",
    "EvaluationDetached",
    "EvaluationFailing",
    "EvaluationRecovered",
    "RunFinished",
    "ScoresChanged",
]

_USUAL_SCORES = 20  # written to journals, so a later default must not change it


@event("dataset.saved", caches=Cache.NOTHING)
@dataclass(frozen=True, kw_only=True)
class DatasetSaved(JournalEvent):
    """A version of a dataset was saved. digest: of its rows. base: the number of the previous version."""

    stored_row: ClassVar[StoredRow | None] = StoredRow(
        "DatasetVersion", {"dataset__name": "dataset", "number": "number"}, {"text": "text"}
    )
    dataset: str
    number: int
    digest: str
    count: int
    base: int | None
    message: str

    def write_sentence(self) -> str:
        return gettext("saved version {number} of the dataset {dataset}").format(
            number=self.number, dataset=self.dataset
        )

    def commit(self, texts: Texts) -> CommitContent:
        first, _, note = self.message.partition("\n")
        files = {
            mirror_paths.locate_dataset(self.dataset): texts.find_stored_row()["text"].encode(),
            mirror_paths.locate_dataset_facts(self.dataset): texts.record(),
        }
        subject = f"{self.dataset} {self.number}: {first}" if first else f"{self.dataset} {self.number}"
        return CommitContent(subject, files, note, self.digest)

    def restore(self, rows: Restorer) -> None:
        text = rows.read_file(mirror_paths.locate_dataset(self.dataset)).decode()
        rows.require_digest(text, self.digest)
        first = {"namespace": rows.namespace, "created_by": rows.author, "created_at": rows.at}
        dataset = rows.update_or_create(
            "Dataset", {"name": self.dataset}, {"updated_at": rows.at}, {**first, "updated_at": rows.at}
        )
        read_rows = (Row.from_dict(json.loads(line)) for line in text.split("\n") if line)
        version = rows.create(
            "DatasetVersion",
            dataset=dataset,
            number=self.number,
            digest=self.digest,
            content_digest=digest_contents(read_rows),
            text=text,
            count=self.count,
            base=rows.find("DatasetVersion", dataset=dataset, number=self.base) if self.base else None,
            author=rows.author,
            key_id=rows.key_id,
            message=self.message,
            created_at=rows.at,
        )
        rows.update("Dataset", {"name": self.dataset}, latest=version)


@event("dataset.archived", caches=Cache.NOTHING)
@dataclass(frozen=True, kw_only=True)
class DatasetArchived(JournalEvent):
    """A dataset was archived."""

    dataset: str
    reason: str

    def write_sentence(self) -> str:
        return gettext("archived the dataset {dataset}").format(dataset=self.dataset)

    def commit(self, texts: Texts) -> CommitContent:
        files = {mirror_paths.locate_dataset_archive_mark(self.dataset): texts.record()}
        return CommitContent(f"{self.dataset}: dataset archived", files)

    def restore(self, rows: Restorer) -> None:
        rows.update("Dataset", {"name": self.dataset}, archived_at=rows.at)


@event("dataset.unarchived", caches=Cache.NOTHING, title="Dataset restored")
@dataclass(frozen=True, kw_only=True)
class DatasetUnarchived(JournalEvent):
    """A dataset was unarchived."""

    dataset: str

    def write_sentence(self) -> str:
        return gettext("restored the dataset {dataset}").format(dataset=self.dataset)

    def commit(self, texts: Texts) -> CommitContent:
        files = {mirror_paths.locate_dataset_archive_mark(self.dataset): None}
        return CommitContent(f"{self.dataset}: dataset taken out of the archive", files)

    def restore(self, rows: Restorer) -> None:
        rows.update("Dataset", {"name": self.dataset}, archived_at=None)


@event("evaluation.attached", caches=Cache.NOTHING)
@dataclass(frozen=True, kw_only=True)
class EvaluationAttached(JournalEvent):
    """Templates whose path matches the pattern are evaluated from now on. dataset_version: a number, None for the
    latest. scores_needed: how many scores by people decide a gate on them; None is the default number. nightly: True if
    the live version is measured every night, else None. judge: the template and version that judges each row,
    judge_model: the model it asks, judge_paths: where a row has what it reads; None without a judge.
    """

    name: str
    pattern: str
    dataset: str
    dataset_version: int | None
    model: str
    gates: Sequence[str]
    metrics: Sequence[str]
    scores_needed: int | None = None
    nightly: bool | None = None
    judge: str | None = None
    judge_model: str | None = None
    judge_paths: Mapping[str, str] | None = None

    def write_sentence(self) -> str:
        return gettext("attached the evaluation {name} over {dataset}").format(name=self.name, dataset=self.dataset)

    def commit(self, texts: Texts) -> CommitContent:
        files = {mirror_paths.locate_attachment(texts.namespace, self.name): texts.record()}
        return CommitContent(f"{texts.namespace}: evaluation {self.name} attached to {self.pattern}", files)

    def restore(self, rows: Restorer) -> None:
        rows.update_or_create(
            "Attachment",
            {"namespace": rows.namespace, "name": self.name},
            {
                "pattern": self.pattern,
                "dataset": rows.find("Dataset", name=self.dataset),
                "dataset_version": self.dataset_version,
                "model": self.model,
                "gates": self.gates,
                "metrics": self.metrics,
                "scores_needed": self.scores_needed or _USUAL_SCORES,
                "nightly": bool(self.nightly),
                "judge": self._find_judge(rows),
                "judge_model": self.judge_model or "",
                "judge_paths": self.judge_paths or {},
                "created_by": rows.author,
                "created_at": rows.at,
            },
        )
        rows.delete("LiveFailure", template__namespace=rows.namespace, evaluation=self.name)

    def _find_judge(self, rows: Restorer) -> Any:
        name, sign, number = (self.judge or "").rpartition("@")
        return rows.find_version(name, int(number)) if sign else None


@event("evaluation.detached", caches=Cache.NOTHING)
@dataclass(frozen=True, kw_only=True)
class EvaluationDetached(JournalEvent):
    """An attached evaluation was removed."""

    name: str

    def write_sentence(self) -> str:
        return gettext("removed the evaluation {name}").format(name=self.name)

    def commit(self, texts: Texts) -> CommitContent:
        files = {mirror_paths.locate_attachment(texts.namespace, self.name): None}
        return CommitContent(f"{texts.namespace}: evaluation {self.name} detached", files)

    def restore(self, rows: Restorer) -> None:
        rows.delete("Attachment", namespace=rows.namespace, name=self.name)
        rows.delete("LiveFailure", template__namespace=rows.namespace, evaluation=self.name)


@event("evaluation.failing", caches=Cache.NOTHING)
@dataclass(frozen=True, kw_only=True)
class EvaluationFailing(JournalEvent):
    """A live version was below an evaluation's thresholds in a nightly run. label: the one that serves it. run: its
    number. findings: each missed threshold with its score.
    """

    template: str
    version: int
    digest: str
    label: str
    evaluation: str
    run: int
    findings: Sequence[str]

    def write_sentence(self) -> str:
        return gettext("found {template} v{version} failing on {label}: {names}").format(
            template=self.template, version=self.version, label=self.label, names="; ".join(self.findings)
        )

    def commit(self, texts: Texts) -> CommitContent:
        path = mirror_paths.locate_other_event(texts.namespace, self.kind, texts.number)
        subject = f"{self.template} {self.version}: {self.label} fails {self.evaluation}"
        return CommitContent(subject, {path: texts.record()}, digest=self.digest)

    def restore(self, rows: Restorer) -> None:
        rows.update_or_create(
            "LiveFailure",
            {"template": rows.find_template(self.template), "evaluation": self.evaluation},
            {
                "version": rows.find_version(self.template, self.version),
                "label": self.label,
                "run": self.run,
                "findings": self.findings,
                "since": rows.at,
            },
        )


@event("evaluation.recovered", caches=Cache.NOTHING)
@dataclass(frozen=True, kw_only=True)
class EvaluationRecovered(JournalEvent):
    """The live version reached an evaluation's thresholds again in a nightly run. run: its number."""

    template: str
    version: int
    digest: str
    label: str
    evaluation: str
    run: int

    def write_sentence(self) -> str:
        return gettext("found {template} v{version} on {label} passing {evaluation} again").format(
            template=self.template, version=self.version, label=self.label, evaluation=self.evaluation
        )

    def commit(self, texts: Texts) -> CommitContent:
        path = mirror_paths.locate_other_event(texts.namespace, self.kind, texts.number)
        subject = f"{self.template} {self.version}: {self.label} passes {self.evaluation} again"
        return CommitContent(subject, {path: texts.record()}, digest=self.digest)

    def restore(self, rows: Restorer) -> None:
        rows.delete("LiveFailure", template=rows.find_template(self.template), evaluation=self.evaluation)


@dataclass(frozen=True)
class RunFinished:
    """A run ended with its scores. Not a journal event; only reactions subscribe to it."""


@dataclass(frozen=True)
class ScoresChanged:
    """People's scores of a run changed. Not a journal event: only the scores that a gate used are recorded."""
