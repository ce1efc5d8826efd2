"""API keys. The secret is never stored, only its SHA-256: it is 256 random bits, so nothing slower is needed."""

from django.db import models

from registry.models.namespaces import Namespace
from registry.models.people import User

__all__ = ["Key"]


class Key(models.Model):
    """A credential of one service, acting for one person in one namespace."""

    READ = "read"
    WRITE = "write"
    CHOSEN = "chosen"
    SCOPES = (READ, WRITE, CHOSEN)

    id = models.CharField(max_length=8, primary_key=True, help_text="the public part of pb_<id>_<secret>")
    namespace = models.ForeignKey(Namespace, on_delete=models.PROTECT, related_name="keys")
    person = models.ForeignKey(User, on_delete=models.PROTECT, related_name="keys")
    name = models.CharField(max_length=100)
    scope = models.CharField(max_length=8, choices=[(scope, scope) for scope in SCOPES])
    verbs = models.JSONField(default=list, blank=True, help_text="what a key of the scope chosen may, each by name")
    labels = models.JSONField(default=list, blank=True, help_text="the only labels it fetches and moves; none: all")
    secret_sha256 = models.CharField(max_length=64)
    approved_only = models.BooleanField(null=True, help_text="null: as the namespace's rules say")
    created_by = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+")
    created_at = models.DateTimeField()
    expires_at = models.DateTimeField(null=True)
    revoked_at = models.DateTimeField(null=True)
    last_used_at = models.DateTimeField(null=True)
    replaces = models.OneToOneField(
        "self", on_delete=models.PROTECT, related_name="replaced_by", null=True, help_text="the key it was rotated from"
    )

    class Meta:
        constraints = [
            models.CheckConstraint(condition=models.Q(scope__in=("read", "write", "chosen")), name="key_scope_known")
        ]

    def __str__(self) -> str:
        return f"{self.name} ({self.id})"
