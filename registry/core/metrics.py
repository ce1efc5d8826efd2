"""Prometheus metrics of this product, in addition to those of django-prometheus for pages and API.

A fetch only increments a counter in memory; `flush` passes the sums on every few seconds. Each process writes its
metrics to a folder of the home (prometheus_client's multiprocess mode), so that any of them can serve `/metrics` for
all.
"""

# no texts here: operators read them

from prometheus_client import Counter as Total
from prometheus_client import Histogram

from registry.core.counter import Counter

__all__ = [
    "OUTCOMES",
    "RENDER_SECONDS",
    "REPORTED_CUTS",
    "REPORTED_RENDERS",
    "UNCOUNTED",
    "count_fetch",
    "find_counter",
    "flush_counts",
]

_OUTCOMES = {
    200: "found",
    304: "unchanged",
    401: "unauthenticated",
    403: "refused",
    404: "missing",
    410: "gone",
    429: "limited",
    503: "busy",
}
_steps = {outcome: Counter() for outcome in (*_OUTCOMES.values(), "failed")}

FETCHES = Total("promptuary_fetches", "Fetches by what became of them.", ["outcome"])
UNCOUNTED = Total(
    "promptuary_usage_lost", "Fetches that were answered but found no room in the counts of who fetched what."
)
REPORTED_RENDERS = Total("promptuary_reported_renders", "Prompts that clients reported as rendered.")
REPORTED_CUTS = Total("promptuary_reported_cuts", "Of these, prompts that lost text to the token limit.")
OUTCOMES = Total("promptuary_outcomes", "Scores of replies, by who reported them.", ["by"])
RENDER_SECONDS = Histogram(
    "promptuary_render_seconds",
    "How long renderings on the server took, waiting for a free child included.",
    buckets=(0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10),
)


def count_fetch(status: int) -> None:
    """Count one response to a fetch by its status."""
    _steps[_OUTCOMES.get(status, "failed")].step()


def find_counter(status: int) -> Counter:
    """The counter of this status, for callers that count many."""
    return _steps[_OUTCOMES[status]]


def flush_counts() -> None:
    """Pass on the counts since the last call."""
    for outcome, steps in _steps.items():
        if new := steps.take():
            FETCHES.labels(outcome).inc(new)
