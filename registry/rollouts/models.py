"""Rollouts. While one is active, its label points to it: `Label.rollout`."""

from typing import Any

from django.db import models

from registry.accounts.models import User
from registry.changes.models import ChangeRequest
from registry.changes.rollout_plans import name_share
from registry.templates.models import Template, Version

__all__ = ["Rollout"]


class Rollout(models.Model):
    """A label that serves an approved candidate to a share of its callers, and the stable version to all others.

    Shares are in ten-thousandths. `salt` chooses the callers: see `promptuary.renderer.rollouts`.
    """

    RUNNING = "running"
    PAUSED = "paused"
    STOPPED = "stopped"
    FINISHED = "finished"
    STATES = (RUNNING, PAUSED, STOPPED, FINISHED)
    ACTIVE = (RUNNING, PAUSED)

    number = models.PositiveIntegerField(primary_key=True)
    template = models.ForeignKey(Template, on_delete=models.PROTECT, related_name="rollouts")
    label = models.CharField(max_length=36)
    change = models.ForeignKey(ChangeRequest, on_delete=models.PROTECT, related_name="rollouts")
    stable = models.ForeignKey(Version, on_delete=models.PROTECT, related_name="+")
    candidate = models.ForeignKey(Version, on_delete=models.PROTECT, related_name="+")
    salt = models.CharField(max_length=32)
    steps = models.JSONField(help_text='[{"share": 500, "hours": 24}, …]; hours null: goes on by hand')
    step = models.PositiveIntegerField(default=0, help_text="index of the step that is served now")
    share = models.PositiveIntegerField()
    stop_rule = models.JSONField(null=True, help_text="metric, replies, below, worse_than_stable; null: no rule")
    state = models.CharField(max_length=16, choices=[(state, state) for state in STATES], default=RUNNING)
    next_at = models.DateTimeField(null=True, help_text="when the next step is due; null: by hand, paused or ended")
    reason = models.TextField(default="", blank=True, help_text="why it was paused or stopped")
    figures = models.JSONField(null=True, help_text="the scores of both sides when it was stopped")
    started_by = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+")
    key = models.ForeignKey("registry.Key", on_delete=models.PROTECT, related_name="+", null=True)
    created_at = models.DateTimeField()
    updated_at = models.DateTimeField()
    ended_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=models.Q(state__in=("running", "paused", "stopped", "finished")), name="rollout_state_known"
            ),
            models.CheckConstraint(condition=models.Q(share__gte=1, share__lt=10000), name="rollout_share_is_a_part"),
            models.UniqueConstraint(
                fields=["template", "label"],
                condition=models.Q(state__in=("running", "paused")),
                name="rollout_once_a_label",
            ),
        ]
        indexes = [
            models.Index(fields=["state", "next_at"], name="rollout_by_due_time"),
            models.Index(fields=["state", "ended_at"], name="rollout_by_end"),
            models.Index(fields=["created_at"], name="rollout_by_start"),
        ]

    def __str__(self) -> str:
        return f"rollout {self.number}"

    @property
    def is_active(self) -> bool:
        """Whether it splits callers: it is running or paused."""
        return self.state in self.ACTIVE

    @property
    def share_name(self) -> str:
        """The share as percent: `2.5 %`."""
        return name_share(self.share)

    @property
    def next_step(self) -> dict[str, Any] | None:
        """The step after the current one; None if the next is to finish."""
        following = self.step + 1
        return self.steps[following] if following < len(self.steps) else None
