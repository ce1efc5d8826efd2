"""Favourites and saved views. They are private to each person and not in the journal."""

from django.db import models

from registry.accounts.models import User
from registry.templates.models import Template

__all__ = ["Favourite", "SavedView"]


class Favourite(models.Model):
    """A template that a person marked as a favourite."""

    person = models.ForeignKey(User, on_delete=models.CASCADE, related_name="favourites")
    template = models.ForeignKey(Template, on_delete=models.CASCADE, related_name="+")
    created_at = models.DateTimeField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["person", "template"], name="favourite_once")]

    def __str__(self) -> str:
        return f"{self.person_id} {self.template_id}"


class SavedView(models.Model):
    """A search of the list of templates, under a name of the person's own."""

    person = models.ForeignKey(User, on_delete=models.CASCADE, related_name="saved_views")
    name = models.CharField(max_length=60)
    folder = models.CharField(max_length=520, default="", blank=True, help_text="empty: all templates")
    query = models.CharField(max_length=1000, help_text="the query of the address, without its question mark")
    created_at = models.DateTimeField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["person", "name"], name="saved_view_once")]

    def __str__(self) -> str:
        return self.name
