"""Jobs: work for the worker, kept as rows so that a killed worker loses none."""

from django.db import models

__all__ = ["Job"]


class Job(models.Model):
    """One piece of work. `subject` names what it is about, so that asking twice while it waits makes one job."""

    QUEUED = "queued"
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"
    STATES = (QUEUED, RUNNING, DONE, FAILED)

    kind = models.CharField(max_length=40)
    subject = models.CharField(max_length=300, default="", blank=True)
    payload = models.TextField(default="{}", help_text="canonical JSON, ids and digests only")
    state = models.CharField(max_length=8, choices=[(state, state) for state in STATES], default=QUEUED)
    attempts = models.PositiveSmallIntegerField(default=0)
    done = models.PositiveIntegerField(default=0, help_text="steps done, for a progress bar")
    total = models.PositiveIntegerField(default=0, help_text="steps in all, 0 when unknown")
    error = models.TextField(default="", blank=True)
    created_at = models.DateTimeField()
    started_at = models.DateTimeField(null=True)
    heartbeat_at = models.DateTimeField(null=True, help_text="a running job silent for long is queued again")
    finished_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=models.Q(state__in=("queued", "running", "done", "failed")), name="job_state_known"
            ),
            models.UniqueConstraint(
                fields=["kind", "subject"], condition=models.Q(state="queued"), name="job_queued_once"
            ),
        ]
        indexes = [
            models.Index(fields=["state", "created_at"], name="job_by_state"),
            models.Index(fields=["kind", "-id"], name="job_by_kind"),
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.subject}"
