"""Change requests with their decisions, check results and counted scores."""

import json
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Self

from django.db import models
from django.utils.translation import gettext

from registry.accounts.models import User
from registry.core.errors import Conflict
from registry.templates.models import Template, Version

__all__ = [
    "ChangeRequest",
    "ChangeRequests",
    "CountedScores",
    "Decision",
    "DecisionAct",
    "Verdict",
    "list_decisions",
]

_SCHEDULED, _EMERGENCY = models.Q(goes_live_at__isnull=False), models.Q(unreviewed=True, emergency_closed_at=None)


class ChangeRequests(models.QuerySet["ChangeRequest"]):
    """The manager of change requests. Templates, versions and labels access them as `template.changes`."""

    def pending(self) -> Self:
        """Those that are neither published nor withdrawn."""
        return self.filter(state__in=(ChangeRequest.OPEN, ChangeRequest.APPROVED))

    def approved(self) -> Self:
        """Those that have their approvals and are not published yet."""
        return self.filter(state=ChangeRequest.APPROVED)

    def in_emergency(self) -> Self:
        """Those that were published in an emergency and are neither approved nor closed."""
        return self.filter(unreviewed=True, emergency_closed_at=None)


class ChangeRequest(models.Model):
    """A proposal to move a label. `round` increases with each new head, and decisions count in their own round only."""

    OPEN = "open"
    APPROVED = "approved"
    PUBLISHED = "published"
    WITHDRAWN = "withdrawn"
    STATES = (OPEN, APPROVED, PUBLISHED, WITHDRAWN)

    number = models.PositiveIntegerField(primary_key=True)
    template = models.ForeignKey(Template, on_delete=models.PROTECT, related_name="changes")
    label = models.CharField(max_length=36)
    version = models.ForeignKey(Version, on_delete=models.PROTECT, related_name="changes", help_text="the head")
    round = models.PositiveIntegerField(default=1)
    state = models.CharField(max_length=16, choices=[(state, state) for state in STATES], default=OPEN)
    unreviewed = models.BooleanField(default=False, help_text="published in an emergency, approvals still missing")
    emergency_closed_at = models.DateTimeField(
        null=True, help_text="when an emergency that is served no longer was closed without an approval"
    )
    message = models.TextField(default="", blank=True)
    opened_by = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+")
    key = models.ForeignKey("registry.Key", on_delete=models.PROTECT, related_name="+", null=True)
    release = models.ForeignKey("registry.Release", on_delete=models.PROTECT, related_name="members", null=True)
    created_at = models.DateTimeField()
    updated_at = models.DateTimeField()
    closed_at = models.DateTimeField(null=True)
    goes_live_at = models.DateTimeField(null=True, help_text="when the worker publishes it")
    planned_rollout = models.JSONField(
        null=True, help_text="steps and stop_rule of the rollout that publishing starts; null: it moves the label"
    )
    scheduled_by = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+", null=True)
    schedule_key = models.ForeignKey("registry.Key", on_delete=models.PROTECT, related_name="+", null=True)
    asked = models.JSONField(
        default=dict,
        db_default=models.Value({}, models.JSONField()),
        blank=True,
        help_text="username of a reviewer to by (a username) and at",
    )
    decided = models.JSONField(
        null=True, help_text="what it was decided on, as registry.changes.checks.DecisionRecord has it"
    )

    objects = ChangeRequests.as_manager()

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=models.Q(state__in=("open", "approved", "published", "withdrawn")), name="change_state_known"
            ),
            models.UniqueConstraint(
                fields=["template", "label", "version"],
                condition=models.Q(state__in=("open", "approved")),
                name="change_once_while_open",
            ),
        ]
        indexes = [
            models.Index(fields=["state", "-number"], name="change_by_state"),
            models.Index(fields=["template", "label"], name="change_by_label"),
            models.Index(fields=["goes_live_at"], condition=_SCHEDULED, name="change_scheduled"),
            models.Index(fields=["-number"], condition=_EMERGENCY, name="change_in_emergency"),
            models.Index(fields=["number"], condition=models.Q(unreviewed=True), name="change_unreviewed"),
        ]

    def __str__(self) -> str:
        return f"change {self.number}"

    @property
    def is_open(self) -> bool:
        """Whether decisions and publishing are still possible."""
        return self.state in (self.OPEN, self.APPROVED)

    @property
    def scheduled_at(self) -> datetime | None:
        """When the worker publishes it; None if it isn't scheduled, or is closed, however it was published."""
        return self.goes_live_at if self.is_open else None

    def require_seen_version(self, version: int | None) -> None:
        """Raise Conflict if it is open and proposes another version than the one the caller saw. version: its number,
        None if the caller didn't look.
        """
        if self.is_open and version is not None and self.version.number != version:
            raise self.build_version_conflict()

    def build_version_conflict(self) -> Conflict:
        """The error for an action on a version that it no longer proposes."""
        return Conflict(
            gettext("The change proposes version {version} now, which is not what you looked at.").format(
                version=self.version.number
            ),
            version=self.version.number,
            digest=self.version.digest,
        )

    @property
    def open_release(self) -> int | None:
        """The number of the open release that it is published with, None if it is published on its own."""
        return self.release.number if self.release is not None and self.release.is_open else None

    @property
    def takes_decisions(self) -> bool:
        """Whether approvals still count: while it is pending, and after an emergency until it is reviewed."""
        return self.is_open or self.needs_approval

    @property
    def needs_approval(self) -> bool:
        """Whether it was published in an emergency that is neither approved nor closed. `unreviewed` stays true forever
        on a closed one: nobody approved that content.
        """
        return self.unreviewed and self.emergency_closed_at is None


class Decision(models.Model):
    """A person's decision or comment in one round of a request. Never changed or deleted: taking an approval or a
    request for changes back adds another decision.
    """

    APPROVE = "approve"
    REQUEST_CHANGES = "request_changes"
    COMMENT = "comment"
    ACKNOWLEDGE = "acknowledge"  # a break of the contract was accepted
    TAKE_BACK = "take_back"  # voids the person's previous decision
    DECISIONS = (APPROVE, REQUEST_CHANGES, COMMENT, ACKNOWLEDGE, TAKE_BACK)

    change = models.ForeignKey(ChangeRequest, on_delete=models.PROTECT, related_name="decisions")
    number = models.PositiveIntegerField(help_text="1, 2, 3 … within the request")
    person = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+")
    key = models.ForeignKey("registry.Key", on_delete=models.PROTECT, related_name="+", null=True)
    decision = models.CharField(max_length=16, choices=[(decision, decision) for decision in DECISIONS])
    label = models.CharField(max_length=36)
    version = models.ForeignKey(Version, on_delete=models.PROTECT, related_name="+")
    digest = models.CharField(max_length=71)
    round = models.PositiveIntegerField()
    text = models.TextField(default="", blank=True)
    created_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["change", "number"], name="decision_number_once"),
            models.CheckConstraint(
                condition=models.Q(decision__in=("approve", "request_changes", "comment", "acknowledge", "take_back")),
                name="decision_known",
            ),
            models.CheckConstraint(
                condition=~models.Q(decision__in=("approve", "acknowledge", "take_back")) | models.Q(key__isnull=True),
                name="decision_key_never_approves",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.decision} in change {self.change_id}"  # no text: for the shell


@dataclass(frozen=True)
class DecisionAct:
    """A decision, and those that the same act made before it on other requests of a release. is_last: whether the act
    ends with it.
    """

    decision: Decision
    earlier: Sequence[Decision] = ()
    is_last: bool = True


def list_decisions(change_ids: Collection[int]) -> Mapping[int, list[Decision]]:
    """The decisions of each request, without their texts."""
    rows = Decision.objects.filter(change__in=change_ids).select_related("person").defer("text").order_by("pk")
    decisions: defaultdict[int, list[Decision]] = defaultdict(list)
    for decision in rows:
        decisions[decision.change_id].append(decision)
    return decisions


class Verdict(models.Model):
    """A check's result for one version. Never changed: when an input changes, another one is added."""

    PASSED = "passed"
    FAILED = "failed"
    OUTCOMES = (PASSED, FAILED)

    template = models.ForeignKey(Template, on_delete=models.PROTECT, related_name="verdicts")
    version = models.ForeignKey(Version, on_delete=models.PROTECT, related_name="verdicts")
    check_name = models.CharField(max_length=32)
    key = models.CharField(max_length=71, help_text="sha256:… over the check's name and all digests it looked at")
    outcome = models.CharField(max_length=8, choices=[(outcome, outcome) for outcome in OUTCOMES])
    summary = models.TextField(help_text="one sentence")
    details = models.TextField(default="[]", help_text="canonical JSON: what was found, item by item")
    created_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["key"], name="verdict_once"),
            models.CheckConstraint(condition=models.Q(outcome__in=("passed", "failed")), name="verdict_outcome_known"),
        ]

    def __str__(self) -> str:
        return f"{self.check_name} of {self.version_id}: {self.outcome}"

    @property
    def findings(self) -> list[dict[str, Any]]:
        """The details as mappings."""
        findings: list[dict[str, Any]] = json.loads(self.details)
        return findings


class CountedScores(models.Model):
    """The scores by people that decide a gate of a request. Never changed: other scores get another row."""

    change = models.ForeignKey(ChangeRequest, on_delete=models.PROTECT, related_name="counted_scores")
    evaluation = models.CharField(max_length=64, help_text="the name of the attached evaluation")
    number = models.PositiveIntegerField(help_text="1, 2, 3 … within the request and its evaluation")
    version = models.ForeignKey(Version, on_delete=models.PROTECT, related_name="+", help_text="the head then")
    run = models.PositiveBigIntegerField(help_text="the number of the run, which a restore does not bring back")
    rows_digest = models.CharField(max_length=71)
    model_digest = models.CharField(max_length=71)
    digest = models.CharField(max_length=71, help_text="sha256:… over the text")
    text = models.TextField(help_text="canonical JSON: [[row's index, username, score]]")
    created_at = models.DateTimeField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["change", "evaluation", "number"], name="counted_scores_once")]
        verbose_name_plural = "counted scores"

    def __str__(self) -> str:
        return f"scores {self.number} of {self.evaluation} in change {self.change_id}"  # no text: for the shell

    @property
    def scores(self) -> list[tuple[int, str, str]]:
        """Each as (row's index, username, score)."""
        return [(index, person, score) for index, person, score in json.loads(self.text)]
