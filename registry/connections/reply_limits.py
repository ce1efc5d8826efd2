"""How long a model's reply may be, by the settings of its call."""

from collections.abc import Mapping
from typing import Any

__all__ = ["REPLY_LIMITS", "find_longest_reply"]

REPLY_LIMITS = ("max_completion_tokens", "max_output_tokens", "max_tokens")
"""The settings that limit a reply, by the names that providers give them; the first that is set counts."""
_LONGEST_REPLY = 4096  # tokens, if neither the settings nor the document limit the reply
_MOST = 2**31 - 1  # that a column of the database holds


def find_longest_reply(settings: Mapping[str, Any] | None, reserve: int | None, otherwise: int = _LONGEST_REPLY) -> int:
    """The tokens that a reply may take at most. reserve: what the document keeps for it; otherwise: if neither
    says.
    """
    limits = [(settings or {}).get(name) for name in REPLY_LIMITS]
    longest = next((limit for limit in limits if isinstance(limit, int) and limit > 0), reserve or otherwise)
    return min(longest, _MOST)
