"""The progress of the matrix's runs together: rows, time left, and the current and expected cost."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal

from frontend.evaluations.run_frame import draw_bar, estimate_seconds_left, tell_time_left
from registry.evaluations.models import Run

__all__ = ["MatrixProgress", "describe_progress"]


@dataclass(frozen=True)
class MatrixProgress:
    """Rows of all runs together. time_left: the time until the last run ends, in words, empty while there is too little
    data. cost: so far; expected: in total; both None unless every run's cost is known, in one currency.
    """

    done: int
    total: int
    failed: int
    bar: dict[str, int]
    time_left: str
    cost: Decimal | None
    expected: Decimal | None
    currency: str


def describe_progress(runs: Sequence[Run], now: datetime) -> MatrixProgress | None:
    """The progress of runs if at least one is active; None once all have ended."""
    if all(run.is_over for run in runs):
        return None
    done, total, failed = (sum(getattr(run, name) for run in runs) for name in ("done", "total", "failed"))
    times = [seconds for run in runs if (seconds := estimate_seconds_left(run, now)) is not None]
    costs = [(run.cost, run.cost / run.done * run.total) for run in runs if run.cost is not None and run.done]
    currencies = {run.currency for run in runs}
    is_known = len(costs) == len(runs) and len(currencies) == 1
    return MatrixProgress(
        done,
        total,
        failed,
        draw_bar(done, total, failed),
        tell_time_left(max(times)) if times else "",
        sum((cost for cost, _ in costs), Decimal(0)) if is_known else None,
        sum((expected for _, expected in costs), Decimal(0)) if is_known else None,
        currencies.pop() if is_known else "",
    )
