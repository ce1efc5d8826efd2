"""Inclusions: which templates use which fragments, by their latest versions."""

from django.db import models

from registry.models.templates import Template

__all__ = ["Inclusion"]


class Inclusion(models.Model):
    """One reference that the latest document of a template names itself; what comes along nested is none."""

    template = models.ForeignKey(Template, on_delete=models.CASCADE, related_name="inclusions")
    fragment = models.CharField(max_length=520, help_text="the name of the template that is included")
    ref = models.CharField(max_length=600, help_text="as written: name@number or name@sha256:…")

    class Meta:
        constraints = [models.UniqueConstraint(fields=["template", "ref"], name="inclusion_once")]
        indexes = [models.Index(fields=["fragment"], name="inclusion_by_fragment")]

    def __str__(self) -> str:
        return self.ref
