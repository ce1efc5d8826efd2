"""Stored answers: what the API answered to a POST with an idempotency key."""

from django.db import models

__all__ = ["StoredAnswer"]


class StoredAnswer(models.Model):
    """The answer to one POST. Its row is written in the transaction of what the POST did.

    caller: `key:<id>` or `person:<number>`; fingerprint: SHA-256 of method, address and body.
    """

    caller = models.CharField(max_length=60)
    idempotency_key = models.CharField(max_length=255)
    fingerprint = models.CharField(max_length=64)
    sealed = models.TextField(default="", help_text="status, headers and body, sealed; empty until there is an answer")
    created_at = models.DateTimeField(db_index=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["caller", "idempotency_key"], name="stored_answer_once")]

    def __str__(self) -> str:
        return f"{self.caller} {self.idempotency_key}"
