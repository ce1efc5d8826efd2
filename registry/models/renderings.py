"""Renderings of samples, kept by digest so that no page and no check renders the same thing twice."""

import json
from typing import Any

from django.db import models

__all__ = ["Rendering"]


class Rendering(models.Model):
    """What one bundle came to with one sample. A cache: any row may be deleted at any time."""

    digest = models.CharField(max_length=71, help_text="of the bundle")
    data = models.CharField(max_length=71, help_text="sha256:… over the canonical text of the sample's values")
    text = models.TextField(help_text="JSON: the renderer's prompt, or the problem it met")
    is_problem = models.BooleanField()
    created_at = models.DateTimeField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["digest", "data"], name="rendering_once")]

    def __str__(self) -> str:
        return f"{self.digest} with {self.data}"

    @property
    def value(self) -> dict[str, Any]:
        """The prompt, or the problem, as plain JSON types."""
        value: dict[str, Any] = json.loads(self.text)
        return value
