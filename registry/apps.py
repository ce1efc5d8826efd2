"""The Django app that owns all tables of the registry, with the hooks that are installed when it is loaded."""

from django.apps import AppConfig
from django.core import checks

from registry.core import private_files
from registry.core.metric_files import use_reserved_files
from registry.journal import database_roles, immutable_tables
from registry.journal.event import set_reactions

__all__ = ["RegistryConfig"]

use_reserved_files()  # before any metric is made


class RegistryConfig(AppConfig):
    """The one Django app that owns tables."""

    name = "registry"
    label = "registry"
    verbose_name = "Promptuary"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        from registry import reactions  # noqa: PLC0415  # models can be imported only now
        from registry.evaluations import rename_losses as evaluation_losses  # noqa: PLC0415  # as above
        from registry.jobs import queue  # noqa: PLC0415  # as above
        from registry.journal import log  # noqa: PLC0415  # as above
        from registry.notifications import rename_losses as watch_losses  # noqa: PLC0415  # as above
        from registry.tasks import doorbell  # noqa: PLC0415  # as above
        from registry.templates import preview, rename_losses  # noqa: PLC0415  # as above
        from registry.usage import recorder  # noqa: PLC0415  # as above
        from registry.webhooks import rename_losses as webhook_losses  # noqa: PLC0415  # as above

        checks.register(immutable_tables.check_triggers, checks.Tags.database)
        checks.register(database_roles.check_server_role, checks.Tags.database, deploy=True)
        checks.register(private_files.check_home, checks.Tags.security)
        set_reactions(reactions.run_reactions)
        log.subscribe(doorbell.wake_mirror)
        log.subscribe(doorbell.wake_webhooks)
        queue.subscribe(doorbell.wake_jobs)
        preview.subscribe_to_renders(recorder.note_fetch)
        for finder in (evaluation_losses, webhook_losses, watch_losses):
            rename_losses.subscribe_to_renames(finder.find_rename_losses)
