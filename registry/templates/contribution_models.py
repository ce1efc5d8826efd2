"""What a version took in: suggestions that were applied, and versions that were merged."""

from django.db import models

from registry.templates.models import Version

__all__ = ["Contribution"]


class Contribution(models.Model):
    """One thing that a version took in: a suggestion that was applied, or a version that was merged. Never changed."""

    version = models.ForeignKey(Version, on_delete=models.PROTECT, related_name="contributions")
    comment = models.ForeignKey(
        "registry.Comment",
        on_delete=models.PROTECT,
        related_name="+",
        null=True,
        help_text="the suggestion that was applied",
    )
    source = models.ForeignKey(
        Version, on_delete=models.PROTECT, related_name="+", null=True, help_text="the version that was merged"
    )

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=models.Q(comment__isnull=False, source__isnull=True)
                | models.Q(comment__isnull=True, source__isnull=False),
                name="contribution_of_one_kind",
            )
        ]

    def __str__(self) -> str:
        return f"taken into version {self.version_id}"
