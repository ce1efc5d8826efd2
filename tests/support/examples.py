"""How much a test does: the number of examples of a property test, and the size of a long one.

The profiles are in `tests/conftest.py`: `dev` for `make test`, `ci` for `make test-all`, `torture` for `make torture`.
"""

import os

from hypothesis import settings

__all__ = ["IS_TORTURE", "example_count", "run_size"]

IS_TORTURE = bool(os.environ.get("PROMPTUARY_TORTURE"))  # set by `make torture`


def run_size(normal: int, torture: int) -> int:
    """How many kills, writers, rows or seconds a long test takes: normally, and under `make torture`."""
    return torture if IS_TORTURE else normal


def example_count(share: float, torture: int | None = None) -> int:
    """Examples for a test whose examples cost more or less than usual; at least 5.

    share: of the profile's `max_examples`; torture: the number under `make torture`, if it is not the same share.
    """
    if torture is not None and settings.get_current_profile_name() == "torture":
        return torture
    return max(5, round(settings().max_examples * share))
