"""Templates: the named things. What they say stands in their versions."""

from django.db import models

from registry.models.namespaces import Namespace
from registry.models.people import User

__all__ = ["Tag", "Template"]


class Template(models.Model):
    """A named thing in a namespace, with what lists and search need of its latest version."""

    namespace = models.ForeignKey(Namespace, on_delete=models.PROTECT, related_name="templates")
    name = models.CharField(max_length=520, unique=True, help_text="with the namespace: support/refunds/reply")
    description = models.TextField(default="", blank=True)
    format = models.CharField(max_length=16, default="parts")
    latest = models.ForeignKey(
        "registry.Version",
        on_delete=models.PROTECT,
        related_name="+",
        null=True,
        help_text="null only while it is made",
    )
    copied_from = models.CharField(max_length=600, default="", blank=True, help_text="name@number of the origin")
    words = models.TextField(default="", help_text="name, description, tags and document in lower case, for search")
    created_by = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+")
    created_at = models.DateTimeField()
    updated_at = models.DateTimeField()
    archived_at = models.DateTimeField(null=True)

    class Meta:
        indexes = [models.Index(fields=["namespace", "name"], name="template_by_namespace")]

    def __str__(self) -> str:
        return self.name

    @property
    def path(self) -> str:
        """The name inside the namespace: `refunds/reply`."""
        return self.name.split("/", 1)[1]

    @property
    def folder(self) -> str:
        """The folders inside the namespace, or nothing: `refunds`."""
        return self.path.rpartition("/")[0]


class Tag(models.Model):
    """A word the latest document carries in its `tags`."""

    template = models.ForeignKey(Template, on_delete=models.CASCADE, related_name="tags")
    name = models.CharField(max_length=64)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["template", "name"], name="tag_once")]
        indexes = [models.Index(fields=["name"], name="tag_by_name")]

    def __str__(self) -> str:
        return self.name
