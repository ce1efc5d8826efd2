"""The tables that lists and search read: one row per template, and the number of templates per property."""

from django.db import models

from registry.namespaces.models import Namespace
from registry.templates.models import Template

__all__ = ["SearchCount", "SearchEntry"]


class SearchEntry(models.Model):
    """The search index's row for one template. Derived: every row can be rebuilt from the other tables.

    A save replaces the row, so a higher `id` means a later change. SQLite indexes `words` and `facets` in the virtual
    table `registry_searchentry_fts`, which triggers keep up to date; PostgreSQL in the generated column `vector`.
    """

    template = models.OneToOneField(Template, on_delete=models.CASCADE, related_name="search_entry")
    namespace = models.ForeignKey(Namespace, on_delete=models.CASCADE, related_name="+")
    name = models.CharField(max_length=520, unique=True, help_text="the template's; sorted by code point")
    is_archived = models.BooleanField(default=False)
    facts = models.TextField(help_text="JSON: the values to filter by, a list for each kind")
    facets = models.TextField(help_text="the same values as search terms, separated by spaces")
    words = models.TextField(help_text="the search terms of the name and the latest text, separated by spaces")

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["namespace", "is_archived", "name"], name="search_entry_by_namespace")
        ]
        indexes = [models.Index(fields=["is_archived", "name"], name="search_entry_by_name")]

    def __str__(self) -> str:
        return self.name


class SearchCount(models.Model):
    """How many unarchived templates of a namespace have a property: a tag, a folder, a word in the name."""

    namespace = models.ForeignKey(Namespace, on_delete=models.CASCADE, related_name="+")
    kind = models.CharField(max_length=16)
    value = models.CharField(max_length=520)
    parent = models.CharField(max_length=520, default="", blank=True, help_text="of a folder: the folder it is in")
    count = models.IntegerField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["namespace", "kind", "value"], name="search_count_once")]
        indexes = [
            models.Index(fields=["kind", "parent"], name="search_count_by_parent"),
            models.Index(fields=["kind", "value"], name="search_count_by_value"),
        ]

    def __str__(self) -> str:
        return f"{self.kind}:{self.value}: {self.count}"
