"""What went into a version: applied suggestions and merged versions."""

from django.db import models

from registry.templates.models import Version

__all__ = ["Contribution"]


class Contribution(models.Model):
    """An applied suggestion or a merged version that went into a version. Never changed."""

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
