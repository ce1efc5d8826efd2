"""Attachments: which dataset measures which templates when a change of them is proposed, and what they have to reach."""

from fnmatch import fnmatchcase

from django.db import models

from registry.models.datasets import Dataset
from registry.models.namespaces import Namespace
from registry.models.people import User

__all__ = ["Attachment"]


class Attachment(models.Model):
    """A dataset, a model and thresholds, for the templates of a namespace whose path a pattern fits."""

    namespace = models.ForeignKey(Namespace, on_delete=models.PROTECT, related_name="attachments")
    name = models.CharField(max_length=64, help_text="a slug, once in the namespace")
    pattern = models.CharField(max_length=200, help_text="over paths inside the namespace: refunds/*")
    dataset = models.ForeignKey(Dataset, on_delete=models.PROTECT, related_name="attachments")
    dataset_version = models.PositiveIntegerField(null=True, help_text="a number, or null for the latest")
    model = models.CharField(max_length=64, help_text="the name of a model that the operator lists")
    gates = models.JSONField(default=list, help_text='["squad_f1 >= 0.8", "squad_f1 - 0.02"]')
    metrics = models.JSONField(default=list, help_text="metrics that are shown beside those of the gates")
    created_by = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+")
    created_at = models.DateTimeField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["namespace", "name"], name="attachment_once")]

    def __str__(self) -> str:
        return f"{self.name}: {self.pattern}"

    def fits(self, path: str) -> bool:
        """Whether it measures the template of this path; `*` fits anything, slashes too."""
        return fnmatchcase(path, self.pattern)
