"""Log filters, in a separate module because the logging configuration loads it before models can be imported."""

import logging

__all__ = ["RefusalsInShort"]


class RefusalsInShort(logging.Filter):
    """Drops the traceback of refused requests but keeps their line: a scanner that sends nonsense must not fill the
    log.

    Django logs responses with 400, 403 and 404 with their exception; those with 500 keep their traceback.
    """

    def filter(self, record: logging.LogRecord) -> bool:
        """Never drops a record."""
        is_refusal = record.name == "django.request" and record.levelno < logging.ERROR
        if is_refusal or record.name.startswith("django.security"):
            record.exc_info = record.exc_text = None
        return True
