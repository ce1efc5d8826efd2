"""Table of live failures: live versions that missed a threshold in their last nightly run."""

from django.db import models

from registry.templates.models import Template, Version

__all__ = ["LiveFailure"]


class LiveFailure(models.Model):
    """A live version that fails an evaluation. Deleted once it passes, and whenever the evaluation changes."""

    template = models.ForeignKey(Template, on_delete=models.PROTECT, related_name="live_failures")
    version = models.ForeignKey(Version, on_delete=models.PROTECT, related_name="+")
    evaluation = models.CharField(max_length=64, help_text="the name of the attached evaluation")
    label = models.CharField(max_length=64, help_text="the label that served the version")
    run = models.PositiveBigIntegerField(help_text="the number of the run, which a restore does not bring back")
    findings = models.JSONField(default=list, help_text='["squad_f1 >= 0.8: 0.41"]')
    since = models.DateTimeField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["template", "evaluation"], name="live_failure_once")]

    def __str__(self) -> str:
        return f"{self.evaluation} of template {self.template_id}"
