"""Datasets: rows of inputs with what is expected of them, versioned as templates are."""

import json

from django.db import models

from evaluation import Row
from registry.models.namespaces import Namespace
from registry.models.people import User

__all__ = ["Dataset", "DatasetVersion"]


class Dataset(models.Model):
    """A named set of rows in a namespace. Its name is its own: a template may carry the same one."""

    namespace = models.ForeignKey(Namespace, on_delete=models.PROTECT, related_name="datasets")
    name = models.CharField(max_length=520, unique=True, help_text="with the namespace: support/refunds/questions")
    latest = models.ForeignKey(
        "registry.DatasetVersion",
        on_delete=models.PROTECT,
        related_name="+",
        null=True,
        help_text="null only while it is made",
    )
    created_by = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+")
    created_at = models.DateTimeField()
    updated_at = models.DateTimeField()

    class Meta:
        indexes = [models.Index(fields=["namespace", "name"], name="dataset_by_namespace")]

    def __str__(self) -> str:
        return self.name

    @property
    def path(self) -> str:
        """The name inside the namespace: `refunds/questions`."""
        return self.name.split("/", 1)[1]


class DatasetVersion(models.Model):
    """All rows of a dataset as they stood after one save. Never changed, never deleted."""

    dataset = models.ForeignKey(Dataset, on_delete=models.PROTECT, related_name="versions")
    number = models.PositiveIntegerField()
    digest = models.CharField(max_length=71, help_text="sha256:… over the text; the digest that evaluation.Dataset has")
    text = models.TextField(help_text="a row a line, each as canonical JSON: {expected, id, inputs}")
    count = models.PositiveIntegerField(help_text="how many rows")
    base = models.ForeignKey("self", on_delete=models.PROTECT, related_name="successors", null=True)
    author = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+")
    key = models.ForeignKey("registry.Key", on_delete=models.PROTECT, related_name="+", null=True)
    message = models.TextField(default="", blank=True)
    created_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["dataset", "number"], name="dataset_version_number_once"),
            models.CheckConstraint(condition=models.Q(number__gte=1), name="dataset_version_from_one"),
        ]
        indexes = [models.Index(fields=["dataset", "digest"], name="dataset_version_by_digest")]

    def __str__(self) -> str:
        return f"{self.dataset_id}@{self.number}"

    def rows(self) -> tuple[Row, ...]:
        """The rows in order."""
        return tuple(Row(**json.loads(line)) for line in self.text.split("\n") if line)
