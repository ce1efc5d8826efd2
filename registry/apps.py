from django.apps import AppConfig

__all__ = ["RegistryConfig"]


class RegistryConfig(AppConfig):
    """The one Django app that owns tables."""

    name = "registry"
    label = "registry"
    verbose_name = "Promptuary"
    default_auto_field = "django.db.models.BigAutoField"
