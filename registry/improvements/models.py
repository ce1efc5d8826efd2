"""Table of improvements. Not in the journal; kept for 30 days."""

import json
from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

from django.db import models

from registry.accounts.models import User
from registry.connections.endpoint import Price
from registry.evaluations.models import Run
from registry.templates.models import Version

__all__ = ["KEPT", "NO_TEXTS", "Improvement"]

KEPT = timedelta(days=30)
"""How long a person sees their improvements."""
NO_TEXTS: Mapping[str, Any] = {
    "document": "",
    "bundle": "",
    "explanation": "",
    "reply": "",
    "problems_text": "[]",
    "input_changes_text": "[]",
}
"""The columns that contain texts, with their values after removal."""


class Improvement(models.Model):
    """A model's proposal for the text of a run, from its first call to the run that measures it.

    Only its person sees it. Nothing is applied automatically: it ends as a draft of that person, dismissed, or deleted.
    """

    QUEUED = "queued"
    ASKING = "asking"
    MEASURING = "measuring"  # until the proposal's run is over; `stage` contains its outcome
    DONE = "done"
    FAILED = "failed"
    STOPPED = "stopped"
    TAKEN = "taken"
    DISMISSED = "dismissed"
    STATES = (QUEUED, ASKING, MEASURING, FAILED, STOPPED, TAKEN, DISMISSED)
    STAGES = (QUEUED, ASKING, MEASURING, DONE, FAILED, STOPPED, TAKEN, DISMISSED)
    BEFORE_MEASURING = (QUEUED, ASKING)
    """States in which the worker still has to call the model."""

    person = models.ForeignKey(User, on_delete=models.CASCADE, related_name="improvements")
    run = models.ForeignKey(
        Run, on_delete=models.CASCADE, related_name="improvements", help_text="whose rows failed: the figures before"
    )
    measurement = models.OneToOneField(
        Run, on_delete=models.SET_NULL, null=True, related_name="measured_improvement", help_text="the figures after"
    )
    prompt = models.ForeignKey(
        Version, on_delete=models.PROTECT, related_name="+", help_text="the template that asks the model"
    )
    model = models.CharField(max_length=64, help_text="the name of the connection, or the operator's of the model")
    model_digest = models.CharField(max_length=71, help_text="over what it is: its address and id")
    guidance = models.TextField(default="", blank=True, help_text="the author's own words")
    shown_rows = models.JSONField(default=list, help_text="indexes of the rows that the model is shown")
    state = models.CharField(max_length=9, choices=[(state, state) for state in STATES], default=QUEUED)
    calls = models.PositiveSmallIntegerField(default=0, help_text="how often the model was asked")
    reply = models.TextField(default="", blank=True, help_text="the last one")
    problems_text = models.TextField(default="[]", help_text="JSON: why the last reply could not be used")
    document = models.TextField(default="", blank=True, help_text="the proposed text")
    bundle = models.TextField(default="", blank=True, help_text="canonical JSON: that text with all it needs")
    explanation = models.TextField(default="", blank=True)
    input_changes_text = models.TextField(default="[]", help_text="JSON: how the inputs change, in the model's words")
    prompt_tokens = models.PositiveIntegerField(default=0, help_text="of all calls, as they count as spent")
    completion_tokens = models.PositiveIntegerField(default=0)
    cost = models.DecimalField(max_digits=14, decimal_places=6, null=True, help_text="of the calls; null: no price")
    currency = models.CharField(max_length=3, default="", blank=True)
    error = models.TextField(default="", blank=True, help_text="why it failed")
    draft_name = models.CharField(max_length=60, default="", blank=True, help_text="the draft that it was taken into")
    created_at = models.DateTimeField()
    ended_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=models.Q(
                    state__in=("queued", "asking", "measuring", "failed", "stopped", "taken", "dismissed")
                ),
                name="improvement_state_known",
            ),
        ]
        indexes = [models.Index(fields=["person", "run", "-id"], name="improvement_by_person")]

    def __str__(self) -> str:
        return f"improvement {self.pk}"

    @property
    def number(self) -> int:
        """The number shown to users."""
        return int(self.pk)

    @property
    def stage(self) -> str:
        """The state, combined with that of the measuring run: one of `STAGES`."""
        if self.state != self.MEASURING:
            return self.state
        if self.measurement is None:
            return self.FAILED
        ends = {Run.DONE: self.DONE, Run.FAILED: self.FAILED, Run.CANCELLED: self.STOPPED}
        return ends.get(self.measurement.state, self.MEASURING)

    @property
    def is_under_way(self) -> bool:
        """Whether the worker still has something to do for it."""
        return self.stage in (*self.BEFORE_MEASURING, self.MEASURING)

    @property
    def finished_at(self) -> datetime | None:
        """When it was over; None while it is under way."""
        return self.ended_at or (self.measurement.finished_at if self.measurement else None)

    @property
    def reason(self) -> str:
        """Why it failed, or why its measurement did; otherwise empty."""
        if self.stage != self.FAILED:
            return ""
        return self.error or (self.measurement.error if self.measurement else "")

    @property
    def problems(self) -> list[str]:
        """Why the last reply could not be used."""
        problems: list[str] = json.loads(self.problems_text)
        return problems

    @property
    def input_changes(self) -> list[str]:
        """How the inputs change, one sentence each in the model's words."""
        changes: list[str] = json.loads(self.input_changes_text)
        return changes

    @property
    def has_unchecked_reply(self) -> bool:
        """Whether the last reply is stored but not checked yet."""
        return bool(self.reply) and not self.problems and self.state in self.BEFORE_MEASURING

    def add_spent(self, price: Price | None, prompt_tokens: int, completion_tokens: int) -> None:
        """Count tokens of a call in the row's columns, without saving; negative ones correct what was counted."""
        self.prompt_tokens += prompt_tokens
        self.completion_tokens += completion_tokens
        if price is not None:
            self.cost = (self.cost or 0) + price.compute_cost(prompt_tokens, completion_tokens)
            self.currency = price.currency
