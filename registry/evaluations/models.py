"""Tables of runs with their rows, replies and people's scores, and of the evaluations attached to change requests."""

import json
from collections.abc import Mapping
from fnmatch import fnmatchcase
from typing import Any, ClassVar

from django.db import models
from django.utils.translation import gettext

from registry.accounts.models import User
from registry.core.errors import Gone
from registry.evaluations.dataset_models import Dataset, DatasetVersion
from registry.evaluations.stored_failures import reword_failure, reword_problem
from registry.namespaces.models import Namespace
from registry.templates.models import SampleSet, Template, Version

__all__ = ["SCORES_NEEDED", "Attachment", "PersonScore", "Reply", "Run", "RunRow"]

SCORES_NEEDED = 20


class RunsOfVersions(models.Manager["Run"]):
    """Runs of saved versions, which lists, comparisons and thresholds use."""

    def get_queryset(self) -> "models.QuerySet[Run]":
        return super().get_queryset().filter(is_draft=False)


class Run(models.Model):
    """One model's replies to a template version for every row of a dataset, or of the template's samples. Or to an
    unsaved text, visible only to the person who started the run (`is_draft`), and based on `version`.
    """

    QUEUED = "queued"
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"
    CANCELLED = "cancelled"
    STATES = (QUEUED, RUNNING, DONE, FAILED, CANCELLED)

    template = models.ForeignKey(Template, on_delete=models.PROTECT, related_name="runs")
    version = models.ForeignKey(Version, on_delete=models.PROTECT, related_name="runs")
    dataset_version = models.ForeignKey(DatasetVersion, on_delete=models.PROTECT, related_name="runs", null=True)
    samples = models.ForeignKey(SampleSet, on_delete=models.PROTECT, related_name="runs", null=True)
    is_draft = models.BooleanField(
        default=False, db_default=False, help_text="whether a text is asked that is no version"
    )
    draft_bundle = models.TextField(
        default="",
        db_default="",
        blank=True,
        help_text="canonical JSON: that text with all it needs; empty once it was redacted",
    )
    rows_digest = models.CharField(max_length=71, help_text="of the rows, with their names and tags")
    model = models.CharField(max_length=64, help_text="the name the operator gave it")
    model_digest = models.CharField(max_length=71, help_text="over what it is: its address and id, or its replies")
    key = models.CharField(max_length=71, help_text="over the version's digest, the rows' and the model's")
    metrics = models.JSONField(default=list, help_text="names of the metrics that are computed at the end")
    judge = models.ForeignKey(Version, on_delete=models.PROTECT, related_name="judged", null=True)
    judge_model = models.CharField(max_length=64, default="", blank=True)
    judge_model_digest = models.CharField(max_length=71, default="", blank=True)
    judge_paths = models.JSONField(default=dict, help_text="where in a row the judge finds what it reads")
    state = models.CharField(max_length=9, choices=[(state, state) for state in STATES], default=QUEUED)
    total = models.PositiveIntegerField()
    done = models.PositiveIntegerField(default=0)
    failed = models.PositiveIntegerField(default=0)
    cached = models.PositiveIntegerField(default=0, help_text="rows whose replies were known before")
    prompt_tokens = models.PositiveBigIntegerField(default=0, help_text="as the provider counted them")
    completion_tokens = models.PositiveBigIntegerField(default=0)
    cost = models.DecimalField(max_digits=14, decimal_places=6, null=True, help_text="null while it isn't known")
    currency = models.CharField(max_length=3, default="", blank=True)
    scores_text = models.TextField(default="{}", help_text="JSON: {metric: {target: score}}")
    error = models.TextField(default="", blank=True)
    change = models.ForeignKey("registry.ChangeRequest", on_delete=models.PROTECT, related_name="runs", null=True)
    evaluation = models.CharField(
        max_length=64, default="", blank=True, help_text="the name of the evaluation that a nightly run is of"
    )
    night = models.DateField(null=True, help_text="the day (UTC) that a nightly run is for; null for all others")
    started_by = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+")
    created_at = models.DateTimeField()
    started_at = models.DateTimeField(null=True)
    finished_at = models.DateTimeField(null=True)

    objects = RunsOfVersions()
    everything = models.Manager["Run"]()

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=models.Q(state__in=("queued", "running", "done", "failed", "cancelled")),
                name="run_state_known",
            ),
            models.CheckConstraint(
                condition=models.Q(dataset_version__isnull=True) ^ models.Q(samples__isnull=True),
                name="run_rows_from_one_place",
            ),
            models.UniqueConstraint(fields=["template", "evaluation", "night"], name="run_once_a_night"),
        ]
        indexes = [
            models.Index(fields=["template", "-id"], name="run_by_template"),
            models.Index(fields=["key", "state"], name="run_by_key"),
            models.Index(fields=["rows_digest", "state"], name="run_by_rows"),
            models.Index(fields=["state", "-id"], name="run_by_state"),
            models.Index(fields=["-night", "template"], condition=models.Q(night__isnull=False), name="run_by_night"),
        ]

    def __str__(self) -> str:
        return f"run {self.pk}"

    @property
    def number(self) -> int:
        """The number shown to users."""
        return int(self.pk)

    def shares_rows_with(self, other: "Run") -> bool:
        """Whether both have the same inputs and expectations in the same order, so that they can be compared row by
        row; names and tags of the rows may differ.
        """
        if self.rows_digest == other.rows_digest:
            return True
        if self.dataset_version is None or other.dataset_version is None:
            return False
        return self.dataset_version.contents() == other.dataset_version.contents()

    @property
    def is_over(self) -> bool:
        """Whether the run has ended, so that no more rows are added."""
        return self.state in (self.DONE, self.FAILED, self.CANCELLED)

    @property
    def plain_error(self) -> str:
        """Why it failed, without the operating system's wording."""
        return reword_failure(self.error)

    @property
    def asked_bundle(self) -> dict[str, Any]:
        """The bundle rendered for every row: engine, document, fragments and profile. Raises Gone if it was
        redacted.
        """
        if not self.is_draft:
            return self.version.unpacked()
        self.version.require_text()
        if not self.draft_bundle:
            raise Gone(gettext("The text of run {number} was removed.").format(number=self.number))
        bundle: dict[str, Any] = json.loads(self.draft_bundle)
        return bundle

    @property
    def scores(self) -> dict[str, dict[str, dict[str, Any]]]:
        """Metric to target to {score, scored, of, low, high}; empty until the run is done."""
        scores: dict[str, dict[str, dict[str, Any]]] = json.loads(self.scores_text)
        return scores


class RunRow(models.Model):
    """The outcome of one row: prompt, reply, scores, or why it failed. Only a rerun of failures deletes it."""

    run = models.ForeignKey(Run, on_delete=models.CASCADE, related_name="rows")
    index = models.PositiveIntegerField(help_text="the row's place in the dataset, from 0")
    result = models.TextField(help_text="JSON: actual, problem, faults, prompts")
    is_failed = models.BooleanField()
    is_cached = models.BooleanField(default=False)
    prompt_tokens = models.PositiveIntegerField(null=True)
    completion_tokens = models.PositiveIntegerField(null=True)
    cost = models.DecimalField(max_digits=14, decimal_places=6, null=True)
    milliseconds = models.PositiveIntegerField(default=0, help_text="that the model took")
    scores_text = models.TextField(default="{}", help_text='JSON: {"metric target": score}')
    judgement_text = models.TextField(default="", blank=True, help_text="JSON: what the judge said, with its evidence")
    created_at = models.DateTimeField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["run", "index"], name="run_row_once")]

    def __str__(self) -> str:
        return f"row {self.index} of run {self.run_id}"

    @property
    def actual(self) -> dict[str, Any] | None:
        """The outputs by name, or None if the row failed."""
        return self._build_result().get("actual")

    @property
    def problem(self) -> dict[str, str] | None:
        """What stopped the row: {"step": "render", "model" or "read", "kind", "message"}."""
        return reword_problem(self._build_result().get("problem"))

    @property
    def faults(self) -> list[str]:
        """What went wrong before the answer, one sentence per attempt."""
        return [reword_failure(fault) for fault in self._build_result().get("faults") or ()]

    @property
    def is_cut_off(self) -> bool:
        """Whether a reply ended at its limit of tokens. False in rows older than this fact."""
        return bool(self._build_result().get("is_cut_off"))

    @property
    def prompts(self) -> list[list[dict[str, Any]]]:
        """The messages of each prompt that the model was asked; more than one if the template fans out."""
        return list(self._build_result().get("prompts") or ())

    @property
    def scores(self) -> dict[str, float | None]:
        """Map "metric target" to the row's score; null if it couldn't be scored."""
        scores: dict[str, float | None] = json.loads(self.scores_text)
        return scores

    @property
    def judgement(self) -> dict[str, Any] | None:
        """`evaluation.judge.Judgement` of the row, or None if no judge was asked."""
        judgement: dict[str, Any] | None = json.loads(self.judgement_text) if self.judgement_text else None
        return judgement

    def _build_result(self) -> dict[str, Any]:
        result: dict[str, Any] = json.loads(self.result)
        return result


class PersonScore(models.Model):
    """A person's score of a run's reply to one row. Changed in place; recorded in an event once a gate used it."""

    GRADES: ClassVar[Mapping[str, int]] = {"bad": 1, "good": 5, "1": 1, "2": 2, "3": 3, "4": 4, "5": 5}

    run = models.ForeignKey(Run, on_delete=models.CASCADE, related_name="person_scores")
    index = models.PositiveIntegerField(help_text="the row's place in the dataset, from 0")
    person = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+")
    score = models.CharField(max_length=4, choices=[(score, score) for score in GRADES])
    comment = models.TextField(default="", blank=True)
    by_key = models.BooleanField(default=False, help_text="given through a key, so that no gate counts it")
    created_at = models.DateTimeField()
    updated_at = models.DateTimeField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["run", "index", "person"], name="person_score_once")]

    def __str__(self) -> str:
        return f"{self.score} for row {self.index} of run {self.run_id}"

    @property
    def grade(self) -> int:
        """The score as 1 to 5: bad is 1, good is 5."""
        return self.GRADES[self.score]


class Reply(models.Model):
    """A model's answer to one prompt under its settings. A cache: any row may be deleted at any time."""

    key = models.CharField(max_length=71, unique=True, help_text="over the messages, the model and the settings")
    text = models.TextField(help_text="JSON: text, counts of tokens, finish reason")
    created_at = models.DateTimeField()

    class Meta:
        indexes = [models.Index(fields=["created_at"], name="reply_by_age")]

    def __str__(self) -> str:
        return self.key

    @property
    def value(self) -> dict[str, Any]:
        """The answer as plain JSON types."""
        value: dict[str, Any] = json.loads(self.text)
        return value


class Attachment(models.Model):
    """A dataset, a model and thresholds, for a namespace's templates whose path matches a pattern."""

    namespace = models.ForeignKey(Namespace, on_delete=models.PROTECT, related_name="attachments")
    name = models.CharField(max_length=64, help_text="a slug, once in the namespace")
    pattern = models.CharField(max_length=200, help_text="over paths inside the namespace: refunds/*")
    dataset = models.ForeignKey(Dataset, on_delete=models.PROTECT, related_name="attachments")
    dataset_version = models.PositiveIntegerField(null=True, help_text="a number, or null for the latest")
    model = models.CharField(max_length=64, help_text="the name of a model that the operator lists")
    gates = models.JSONField(default=list, help_text='["squad_f1 >= 0.8", "squad_f1 - 0.02"]')
    metrics = models.JSONField(default=list, help_text="metrics that are shown beside those of the gates")
    scores_needed = models.PositiveIntegerField(
        default=SCORES_NEEDED, help_text="scores by people that a gate on them is decided from"
    )
    nightly = models.BooleanField(default=False, help_text="whether what is live is measured every night")
    judge = models.ForeignKey(Version, on_delete=models.PROTECT, related_name="judging_evaluations", null=True)
    judge_model = models.CharField(max_length=64, default="", blank=True)
    judge_paths = models.JSONField(default=dict, help_text="where in a row the judge finds what it reads")
    created_by = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+")
    created_at = models.DateTimeField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["namespace", "name"], name="attachment_once")]

    def __str__(self) -> str:
        return f"{self.name}: {self.pattern}"

    @property
    def judge_address(self) -> str | None:
        """The judge's version as `namespace/name@number`, or None."""
        return f"{self.judge.template.name}@{self.judge.number}" if self.judge else None

    def fits(self, path: str) -> bool:
        """Whether it measures the template of this path; `*` matches anything, including slashes."""
        return fnmatchcase(path, self.pattern)
