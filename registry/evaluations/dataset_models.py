"""Tables of datasets and their versions, which contain the rows."""

import json

from django.db import models

from promptuary.evaluation import Row
from promptuary.evaluation.datasets import digest_contents
from registry.accounts.models import User
from registry.namespaces.models import Namespace

__all__ = ["Dataset", "DatasetVersion"]


class Dataset(models.Model):
    """A named set of rows in a namespace. A template may have the same name."""

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
    archived_at = models.DateTimeField(null=True, help_text="since when it is in no list; null for all others")

    class Meta:
        indexes = [models.Index(fields=["namespace", "name"], name="dataset_by_namespace")]

    def __str__(self) -> str:
        return self.name

    @property
    def path(self) -> str:
        """The name inside the namespace, for example `refunds/questions`."""
        return self.name.split("/", 1)[1]


class DatasetVersion(models.Model):
    """All rows of a dataset as they were after one save. Never changed, never deleted."""

    dataset = models.ForeignKey(Dataset, on_delete=models.PROTECT, related_name="versions")
    number = models.PositiveIntegerField()
    digest = models.CharField(max_length=71, help_text="sha256:… over the text; the digest that evaluation.Dataset has")
    content_digest = models.CharField(
        max_length=71,
        default="",
        db_default="",
        blank=True,
        help_text="sha256:… over inputs and expectations alone; empty where an earlier release wrote the version",
    )
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
        indexes = [
            models.Index(fields=["dataset", "digest"], name="dataset_version_by_digest"),
            models.Index(fields=["content_digest", "digest"], name="dataset_version_by_content"),
        ]

    def __str__(self) -> str:
        return f"{self.dataset_id}@{self.number}"

    def rows(self) -> tuple[Row, ...]:
        """The rows in order."""
        return tuple(Row.from_dict(json.loads(line)) for line in self.lines())

    def lines(self) -> list[str]:
        """Each row as canonical JSON, in order."""
        return [line for line in self.text.split("\n") if line]

    def contents(self) -> str:
        """The digest of inputs and expectations, equal for versions that measure the same."""
        return self.content_digest or digest_contents(self.rows())
