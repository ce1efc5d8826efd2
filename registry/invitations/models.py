"""Invitations into namespaces."""

from django.db import models

from registry.accounts.models import User
from registry.namespaces.models import Namespace, Role

__all__ = ["Invitation"]


class Invitation(models.Model):
    """A link that gives a role in a namespace to the first person who opens it. It works once, until it expires or
    ends.
    """

    id = models.CharField(max_length=8, primary_key=True, help_text="what the journal names it by")
    namespace = models.ForeignKey(Namespace, on_delete=models.PROTECT, related_name="invitations")
    role = models.CharField(max_length=16, choices=[(role.value, role.value) for role in Role])
    email = models.EmailField(blank=True, help_text="where the link was sent, empty where it was handed on by hand")
    secret_sha256 = models.CharField(max_length=64, help_text="of the secret in the link")
    invited_by = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+")
    created_at = models.DateTimeField()
    expires_at = models.DateTimeField()
    accepted_at = models.DateTimeField(null=True)
    accepted_by = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+", null=True)
    ended_at = models.DateTimeField(null=True, help_text="when an admin took it back, or a new link replaced it")

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=models.Q(role__in=[role.value for role in Role]), name="invitation_role_known"
            )
        ]

    def __str__(self) -> str:
        return f"{self.id} to {self.namespace_id}"
