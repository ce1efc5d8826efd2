"""Samples: named input data beside the document, never served, not in the digest."""

import json
from typing import Any

from django.db import models

from registry.models.people import User
from registry.models.templates import Template

__all__ = ["SampleSet"]


class SampleSet(models.Model):
    """All samples of a template as they stood after one save; the highest number counts."""

    template = models.ForeignKey(Template, on_delete=models.PROTECT, related_name="sample_sets")
    number = models.PositiveIntegerField()
    digest = models.CharField(max_length=71, help_text="sha256:… over the text")
    text = models.TextField(help_text='canonical JSON: {"sample name": {"input": value}}')
    author = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+")
    key = models.ForeignKey("registry.Key", on_delete=models.PROTECT, related_name="+", null=True)
    created_at = models.DateTimeField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["template", "number"], name="sample_set_number_once")]

    def __str__(self) -> str:
        return f"samples {self.number} of {self.template_id}"

    @property
    def samples(self) -> dict[str, dict[str, Any]]:
        """Sample name to input values."""
        samples: dict[str, dict[str, Any]] = json.loads(self.text)
        return samples
