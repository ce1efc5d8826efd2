"""Path converters for the addresses of the API."""

from django.urls.converters import StringConverter

__all__ = ["NameConverter", "RefConverter"]


class NameConverter(StringConverter):
    """A template name, slashes and all, up to `/-/`. Services validate it."""

    regex = r"(?:(?!/-/)[^@])+?"


class RefConverter(StringConverter):
    """A version number, label or digest."""

    regex = r"[^/]*"
