"""Tables of the playground: a person's runs, and their columns. Not in the journal; kept for 30 days."""

import json
from decimal import Decimal
from typing import Any

from django.db import models

from registry.accounts.models import User
from registry.connections.endpoint import Price
from registry.namespaces.models import Namespace
from registry.templates.models import Version

__all__ = ["PlaygroundColumn", "PlaygroundRun"]


class PlaygroundRun(models.Model):
    """One run: the same inputs given to one to four columns. Only its person sees it."""

    person = models.ForeignKey(User, on_delete=models.CASCADE, related_name="playground_runs")
    namespace = models.ForeignKey(Namespace, on_delete=models.CASCADE, related_name="playground_runs")
    name = models.CharField(max_length=520, help_text="of the template, which need not exist yet")
    sample = models.CharField(max_length=200, default="", blank=True, help_text="whose values the inputs began as")
    dataset = models.CharField(
        max_length=520, default="", blank=True, help_text="whose row the inputs are; sample is the row's name then"
    )
    inputs = models.TextField(help_text="JSON: values by input")
    created_at = models.DateTimeField()

    class Meta:
        indexes = [models.Index(fields=["person", "name", "-id"], name="playground_run_by_person")]

    def __str__(self) -> str:
        return f"run {self.pk} of {self.name}"


class PlaygroundColumn(models.Model):
    """One text sent to one model: the rendered prompt, and the reply received so far.

    Its texts are emptied if the namespace doesn't store any (`is_emptied`).
    """

    DRAFT = "draft"
    READY = "ready"
    RUNNING = "running"
    DONE = "done"
    STOPPED = "stopped"
    FAILED = "failed"
    STATES = (READY, RUNNING, DONE, STOPPED, FAILED)

    run = models.ForeignKey(PlaygroundRun, on_delete=models.CASCADE, related_name="columns")
    position = models.PositiveSmallIntegerField()
    source = models.CharField(max_length=80, help_text="draft, a label, or a version's number")
    version = models.ForeignKey(
        Version, on_delete=models.CASCADE, related_name="+", null=True, help_text="null for a draft"
    )
    bundle = models.TextField(help_text="canonical JSON: what was rendered, of a draft too")
    model = models.CharField(max_length=64, help_text="the name of the connection, or the operator's of the model")
    settings = models.JSONField(default=dict, help_text="what replaces the document's settings")
    prompt = models.TextField(help_text="JSON: messages, tools, settings, digest")
    reply = models.TextField(default="", blank=True, help_text="the text")
    tool_calls = models.TextField(default="[]", blank=True, help_text="JSON: [{name, arguments}]")
    output = models.TextField(default="", blank=True, help_text="JSON: the reply field by field")
    state = models.CharField(max_length=7, choices=[(state, state) for state in STATES], default=READY)
    finish_reason = models.CharField(max_length=40, default="", blank=True)
    problem = models.TextField(default="", blank=True, help_text="what went wrong, in words")
    retry_after = models.FloatField(null=True, help_text="seconds until asking again may help")
    rendered_tokens = models.PositiveIntegerField(null=True, help_text="of the prompt, as the registry counts them")
    longest_reply = models.PositiveIntegerField(help_text="tokens that the reply may take, for the estimate")
    prompt_tokens = models.PositiveIntegerField(null=True, help_text="that count as spent; the provider's at the end")
    completion_tokens = models.PositiveIntegerField(null=True)
    prompt_price = models.DecimalField(null=True, max_digits=14, decimal_places=6, help_text="of a million tokens")
    completion_price = models.DecimalField(null=True, max_digits=14, decimal_places=6)
    currency = models.CharField(max_length=3, default="", blank=True)
    milliseconds = models.PositiveIntegerField(null=True)
    first_token_milliseconds = models.PositiveIntegerField(null=True)
    is_charged = models.BooleanField(default=False, help_text="whether its tokens count as spending")
    is_stop_asked = models.BooleanField(default=False)
    is_emptied = models.BooleanField(default=False, help_text="whether its texts were taken away")
    sent_at = models.DateTimeField(null=True, help_text="when the call was sent; its tokens count from then on")
    heartbeat_at = models.DateTimeField(null=True, help_text="a running column silent for long has lost its process")

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["run", "position"], name="playground_column_once"),
            models.CheckConstraint(
                condition=models.Q(state__in=("ready", "running", "done", "stopped", "failed")),
                name="playground_column_state_known",
            ),
        ]
        indexes = [models.Index(fields=["state", "heartbeat_at"], name="playground_column_by_state")]

    def __str__(self) -> str:
        return f"column {self.position} of run {self.run_id}"

    @property
    def price(self) -> Price | None:
        """The price per million tokens when the run was started, or None."""
        if self.prompt_price is None or self.completion_price is None:
            return None
        return Price(self.prompt_price, self.completion_price, self.currency)

    @property
    def cost(self) -> Decimal | None:
        """The amount spent so far; None if nothing was spent or the price is not known."""
        if self.price is None or self.prompt_tokens is None:
            return None
        return self.price.compute_cost(self.prompt_tokens, self.completion_tokens or 0)

    @property
    def is_over(self) -> bool:
        """Whether no more of the reply will come."""
        return self.state in (self.DONE, self.STOPPED, self.FAILED)

    @property
    def parsed_prompt(self) -> dict[str, Any]:
        """The prompt: messages, tools, settings, digest; empty if the texts were removed."""
        prompt: dict[str, Any] = json.loads(self.prompt) if self.prompt else {}
        return prompt
