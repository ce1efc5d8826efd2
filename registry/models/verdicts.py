"""Verdicts: what the checks found, bound to the digests of what they looked at."""

import json
from typing import Any

from django.db import models

from registry.models.templates import Template
from registry.models.versions import Version

__all__ = ["Verdict"]


class Verdict(models.Model):
    """One check's finding about one version. Never changed: when something it looked at changes, another one is given."""

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
