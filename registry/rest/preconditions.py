"""If-Match: the version that a save is based on."""

import re

from django.utils.translation import gettext
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request

__all__ = ["read_base"]

# A digest, bare or quoted; or the entity tag of a fetch by label, which begins with the number.
_TAG = re.compile(r'(?P<quote>"?)(?:[1-9][0-9]*\.)?(?P<digest>sha256:[0-9a-f]{64})(?P=quote)')


def read_base(request: Request) -> str | None:
    """The digest in If-Match, or None without the header. Raises ValidationError for other values."""
    header = request.headers.get("If-Match", "").strip()
    if not header:
        return None
    match = _TAG.fullmatch(header)
    if match is None:
        sentence = gettext("Give one digest, sha256:<64 hex digits>: that of the version this one was made from.")
        raise ValidationError({"If-Match": [sentence]})
    return match["digest"]
