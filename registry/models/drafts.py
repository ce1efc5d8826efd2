"""Drafts: one person's work not yet saved as a version. Never served."""

from django.db import models

from registry.models.namespaces import Namespace
from registry.models.people import User
from registry.models.versions import Version

__all__ = ["Draft"]


class Draft(models.Model):
    """What a person's editor holds for one path; `path` is empty until the new template has a name."""

    person = models.ForeignKey(User, on_delete=models.CASCADE, related_name="drafts")
    namespace = models.ForeignKey(Namespace, on_delete=models.CASCADE, related_name="drafts")
    path = models.CharField(max_length=460, default="", blank=True)
    document = models.TextField()
    samples = models.TextField(default="", blank=True, help_text="as the editor shows them, maybe not yet well-formed")
    base = models.ForeignKey(Version, on_delete=models.PROTECT, related_name="+", null=True)
    message = models.TextField(default="", blank=True)
    updated_at = models.DateTimeField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["person", "namespace", "path"], name="draft_once")]

    def __str__(self) -> str:
        return f"draft of {self.person_id} for {self.path}"
