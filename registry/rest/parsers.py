"""Request bodies: JSON only, bounded, and strictly read."""

from collections.abc import Mapping
from typing import IO, Any

from django.conf import settings
from django.utils.translation import gettext
from rest_framework.parsers import BaseParser

from registry.core.errors import TooLarge
from registry.core.input_checks import parse_json

__all__ = ["LargeJSONParser", "StrictJSONParser"]


class StrictJSONParser(BaseParser):
    """Reads a body as `registry.core.input_checks.parse_json` does. Raises TooLarge and BadJson."""

    media_type = "application/json"
    max_bytes: int | None = None  # None: from the settings

    def parse(
        self, stream: IO[Any], media_type: str | None = None, parser_context: Mapping[str, Any] | None = None
    ) -> Any:
        """The JSON value."""
        limit = self.max_bytes or int(settings.DATA_UPLOAD_MAX_MEMORY_SIZE)
        body = stream.read(limit + 1)
        if len(body) > limit:
            raise TooLarge(gettext("The body is larger than {limit} bytes.").format(limit=limit), limit=limit)
        return parse_json(body)


class LargeJSONParser(StrictJSONParser):
    """A strict parser of JSON for bodies that carry a dataset, with a higher size limit."""

    max_bytes = 12 * 1024 * 1024  # 8 MiB of rows, plus JSON's escapes
