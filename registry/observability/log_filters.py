"""Filters of the log. A module of its own: the logging configuration loads it before any model can be imported."""

import logging

__all__ = ["RefusalsInShort"]


class RefusalsInShort(logging.Filter):
    """Leaves a refused request its line and drops the traceback: a scanner that sends nonsense must not fill the log.

    Django logs what it answers with 400, 403 and 404 with the exception that said so; what it answers with 500 keeps
    its traceback.
    """

    def filter(self, record: logging.LogRecord) -> bool:
        """Never drops a line."""
        is_refusal = record.name == "django.request" and record.levelno < logging.ERROR
        if is_refusal or record.name.startswith("django.security"):
            record.exc_info = record.exc_text = None
        return True
