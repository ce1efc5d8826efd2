"""The number of examples of a property test, as a share of the hypothesis profile's.

The profiles are in `tests/conftest.py`: `dev` for `make test`, `ci` for `make test-all`, `torture` for `make torture`.
"""

from hypothesis import settings

__all__ = ["example_count"]


def example_count(share: float, torture: int | None = None) -> int:
    """Examples for a test whose examples cost more or less than usual; at least 5.

    share: of the profile's `max_examples`; torture: the number under `make torture`, where it is not the same share.
    """
    if torture is not None and settings.get_current_profile_name() == "torture":
        return torture
    return max(5, round(settings().max_examples * share))
