"""Versions: immutable numbered documents with all that rendering them needs."""

import json
from typing import TYPE_CHECKING, Any

from django.db import models

from registry.errors import Gone
from registry.models.people import User
from registry.models.templates import Template

if TYPE_CHECKING:
    from registry.models.redactions import Redaction  # points here

__all__ = ["TOMBSTONE", "Version"]

TOMBSTONE = '{"redacted":true}'  # what stands in `bundle` then; the database's triggers know it by heart


class Version(models.Model):
    """One saved document of a template. Never deleted, and changed in one way only: its text may be redacted."""

    template = models.ForeignKey(Template, on_delete=models.PROTECT, related_name="versions")
    number = models.PositiveIntegerField()
    digest = models.CharField(max_length=71, help_text="sha256:… over the bundle")
    bundle = models.TextField(help_text="canonical JSON of engine, document, fragments and profile")
    settings = models.TextField(default="{}", help_text="canonical JSON of the document's settings")
    problems = models.TextField(default="[]", help_text="canonical JSON: warnings and notes found at save")
    base = models.ForeignKey("self", on_delete=models.PROTECT, related_name="successors", null=True)
    author = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+")
    key = models.ForeignKey("registry.Key", on_delete=models.PROTECT, related_name="+", null=True)
    message = models.TextField(default="", blank=True)
    created_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["template", "number"], name="version_number_once"),
            models.CheckConstraint(condition=models.Q(number__gte=1), name="version_number_from_one"),
        ]
        indexes = [models.Index(fields=["template", "digest"], name="version_by_digest")]

    def __str__(self) -> str:
        return f"{self.template_id}@{self.number}"

    @property
    def is_redacted(self) -> bool:
        """Whether the text was taken away for good."""
        return self.bundle == TOMBSTONE

    @property
    def tombstone(self) -> "Redaction | None":
        """When, by whom and why the text was taken away, or None."""
        return getattr(self, "redaction", None)

    def require_text(self) -> None:
        """Raise Gone where the text was redacted, saying when, by whom and why."""
        if self.is_redacted:
            raise self._gone()

    def unpacked(self) -> dict[str, Any]:
        """The bundle as a mapping: engine, document, fragments, profile. Gone once it was redacted."""
        self.require_text()
        bundle: dict[str, Any] = json.loads(self.bundle)
        return bundle

    def _gone(self) -> Gone:
        redaction, at = self.redaction, self.redaction.created_at
        return Gone(
            f"{self.template.name}@{self.number} was redacted on {at:%Y-%m-%d} by {redaction.person.username}: "
            f"{redaction.reason}",
            version=self.number,
            digest=self.digest,
            redacted_at=at.isoformat(timespec="microseconds").replace("+00:00", "Z"),
            redacted_by=redaction.person.username,
            reason=redaction.reason,
        )

    @property
    def document(self) -> str:
        """The document's text, newlines as they were given. Gone once it was redacted."""
        return str(self.unpacked()["document"])

    @property
    def remaining(self) -> str:
        """What is left of the document: all of it, or nothing after a redaction. For what compares and starts anew."""
        return "" if self.is_redacted else self.document
