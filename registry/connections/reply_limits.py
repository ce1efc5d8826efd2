"""The maximum length of a model's reply, from the settings of its call."""

from collections.abc import Mapping
from typing import Any

__all__ = ["REPLY_LIMITS", "find_longest_reply"]

REPLY_LIMITS = ("max_completion_tokens", "max_output_tokens", "max_tokens")
"""The settings that limit a reply, under the providers' names; the first one set counts."""
_MAX_REPLY_LENGTH = 4096  # tokens, if neither the settings nor the document limit the reply
_LIMIT = 2**31 - 1  # that fits a column of the database


def find_longest_reply(
    settings: Mapping[str, Any] | None, reserve: int | None, otherwise: int = _MAX_REPLY_LENGTH
) -> int:
    """The most tokens of a reply. reserve: what the document reserves for it; otherwise: the default if neither sets a
    limit.
    """
    limits = [(settings or {}).get(name) for name in REPLY_LIMITS]
    longest = next((limit for limit in limits if isinstance(limit, int) and limit > 0), reserve or otherwise)
    return min(longest, _LIMIT)
