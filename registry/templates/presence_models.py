"""Who has a template open in the editor: one row per tab, not in the journal."""

from django.db import models

from registry.accounts.models import User
from registry.templates.models import Template

__all__ = ["MAX_PART_LENGTH", "EditorPresence"]

MAX_PART_LENGTH = 200  # characters


class EditorPresence(models.Model):
    """A tab in which a person has a template open in the editor; open while `seen_at` is recent."""

    person = models.ForeignKey(User, on_delete=models.CASCADE, related_name="+")
    template = models.ForeignKey(Template, on_delete=models.CASCADE, related_name="+")
    tab = models.CharField(max_length=32, help_text="a random number that the page made")
    part = models.CharField(
        max_length=MAX_PART_LENGTH, default="", db_default="", blank=True, help_text="the part with the cursor"
    )
    seen_at = models.DateTimeField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["person", "tab"], name="editor_presence_once")]

    def __str__(self) -> str:
        return f"{self.person_id} in {self.template_id}"
