"""Remotes: outside repositories that the mirror is pushed to, and the result of the last push."""

from django.db import models

__all__ = ["Remote"]


class Remote(models.Model):
    """One outside repository. Secrets are in files; a row contains only the files' paths."""

    name = models.CharField(max_length=40, unique=True)
    url = models.CharField(max_length=2000, help_text="https or ssh, without a password")
    user = models.CharField(max_length=200, default="", blank=True, help_text="who signs in over https")
    token_file = models.CharField(max_length=1000, default="", blank=True, help_text="holds the password or token")
    key_file = models.CharField(max_length=1000, default="", blank=True, help_text="an ssh private key")
    known_hosts = models.CharField(max_length=1000, default="", blank=True, help_text="ssh host keys to believe")
    added_at = models.DateTimeField()
    pushed = models.PositiveBigIntegerField(default=0, help_text="the last event that it holds")
    pushed_at = models.DateTimeField(null=True)
    failures = models.PositiveIntegerField(default=0, help_text="tries in a row that failed")
    error = models.TextField(default="", blank=True, help_text="why the last try failed, empty after a good one")
    diverged = models.BooleanField(default=False, help_text="it holds what the mirror doesn't; never pushed over")
    retry_at = models.DateTimeField(null=True, help_text="not tried again before")

    def __str__(self) -> str:
        return self.name
