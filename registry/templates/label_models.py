"""Labels of templates, and every move of one."""

from django.db import models

from registry.accounts.models import User
from registry.templates.models import Template, Version

__all__ = ["Label", "LabelMove"]


class Label(models.Model):
    """Where a label of a template points now. `latest` has no row: it is the highest number."""

    template = models.ForeignKey(Template, on_delete=models.PROTECT, related_name="labels")
    name = models.CharField(max_length=36)
    version = models.ForeignKey(Version, on_delete=models.PROTECT, related_name="labels")
    moved_at = models.DateTimeField()
    rollout = models.OneToOneField(
        "registry.Rollout", on_delete=models.PROTECT, related_name="+", null=True, help_text="while it is divided"
    )

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["template", "name"], name="label_once"),
            models.CheckConstraint(condition=~models.Q(name="latest"), name="label_latest_moves_by_itself"),
        ]
        indexes = [models.Index(fields=["name"], name="label_by_name")]

    def __str__(self) -> str:
        return self.name


class LabelMove(models.Model):
    """One move of a label: who, from where, where to, why, and whether the label was protected then.

    `protected` and `how` together say whether the label got its version by approval; see
    `registry.templates.label_moves`. The column repeats what follows from the journal's earlier events.

    is_of_release: whether it is part of the roll back of a release, of which people are told once. It isn't stored: it
    counts only while the move is made.
    """

    is_of_release = False
    HOW = ("moved", "published", "rolled_back", "removed", "broke_glass")

    template = models.ForeignKey(Template, on_delete=models.PROTECT, related_name="label_moves")
    label = models.CharField(max_length=36)
    before = models.ForeignKey(Version, on_delete=models.PROTECT, related_name="+", null=True)
    after = models.ForeignKey(Version, on_delete=models.PROTECT, related_name="+", null=True)
    how = models.CharField(max_length=16, choices=[(how, how) for how in HOW])
    protected = models.BooleanField(default=False, help_text="whether the label was protected when it moved")
    reason = models.TextField(default="", blank=True)
    change = models.ForeignKey(
        "registry.ChangeRequest", on_delete=models.PROTECT, related_name="label_moves", null=True
    )
    person = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+")
    key = models.ForeignKey("registry.Key", on_delete=models.PROTECT, related_name="+", null=True)
    created_at = models.DateTimeField()

    class Meta:
        indexes = [
            models.Index(fields=["template", "label", "-id"], name="label_move_history"),
            models.Index(fields=["-created_at"], condition=models.Q(protected=True), name="label_move_protected"),
        ]
        constraints = [
            models.CheckConstraint(
                condition=models.Q(how="published", change__isnull=False)
                | models.Q(how="broke_glass", change__isnull=False)
                | models.Q(how__in=("moved", "rolled_back", "removed")),
                name="label_move_published_by_change",
            )
        ]

    def __str__(self) -> str:
        return f"{self.label}: {self.before_id} to {self.after_id}"
