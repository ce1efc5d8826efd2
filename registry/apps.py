from django.apps import AppConfig
from django.core import checks

from registry import database_roles, immutability, private_files

__all__ = ["RegistryConfig"]


class RegistryConfig(AppConfig):
    """The one Django app that owns tables."""

    name = "registry"
    label = "registry"
    verbose_name = "Promptuary"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        from registry import journal  # noqa: PLC0415  # models can be imported only now
        from registry.services import jobs  # noqa: PLC0415  # as above
        from registry.tasks import wakeups  # noqa: PLC0415  # as above

        checks.register(immutability.check_triggers, checks.Tags.database)
        checks.register(database_roles.check_server_role, checks.Tags.database, deploy=True)
        checks.register(private_files.check_home, checks.Tags.security)
        journal.subscribe(wakeups.wake_mirror)
        journal.subscribe(wakeups.wake_webhooks)
        jobs.subscribe(wakeups.wake_jobs)
