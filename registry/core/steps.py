"""Steps of a periodic task: one that fails must not keep the others from running."""

import logging
from collections.abc import Callable

from django.db import InterfaceError, OperationalError

__all__ = ["run_steps"]

logger = logging.getLogger(__name__)


def run_steps(*steps: Callable[[], object]) -> None:
    """Run all steps in order. One that fails is logged, and the next one runs.

    Raises OperationalError or InterfaceError, after which no other step runs: without the database they would all fail.
    """
    for step in steps:
        try:
            step()
        except (OperationalError, InterfaceError):
            raise
        except Exception:
            logger.exception("%s failed", getattr(step, "__qualname__", step))
