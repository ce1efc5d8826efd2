"""Watches: what a person wants mail about. Theirs to set, part of no journal."""

from django.db import models

from registry.models.namespaces import Namespace
from registry.models.people import User

__all__ = ["Watch"]


class Watch(models.Model):
    """A person's wish for a namespace, for paths in it, or (without one) for everywhere. The narrowest that fits counts."""

    ALL = "all"
    MINE = "mine"
    NONE = "none"
    LEVELS = (ALL, MINE, NONE)

    person = models.ForeignKey(User, on_delete=models.CASCADE, related_name="watches")
    namespace = models.ForeignKey(Namespace, on_delete=models.CASCADE, related_name="+", null=True)
    template = models.CharField(max_length=200, default="", blank=True, help_text="pattern of paths; empty: all")
    level = models.CharField(max_length=4, choices=[(level, level) for level in LEVELS])

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["person", "namespace", "template"], name="watch_once"),
            models.UniqueConstraint(
                fields=["person", "template"], condition=models.Q(namespace=None), name="watch_once_everywhere"
            ),
            models.CheckConstraint(condition=models.Q(level__in=("all", "mine", "none")), name="watch_level_known"),
        ]
        verbose_name_plural = "watches"

    def __str__(self) -> str:
        return f"{self.person.username}: {self.level}"
