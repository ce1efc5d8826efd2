"""The `/metrics` page for Prometheus: counters of all processes, and gauges read from database and mirror."""

import hmac
import os
from collections.abc import Iterable

from django.conf import settings
from django.db import DatabaseError
from django.db.models import Count, Max
from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_safe
from prometheus_client import REGISTRY, CollectorRegistry, generate_latest, multiprocess
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.registry import Collector

from registry import mirror
from registry.core import metrics
from registry.jobs.models import Job
from registry.journal.models import Event

__all__ = ["export_metrics"]

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"


@require_safe
def export_metrics(request: HttpRequest) -> HttpResponse:
    """The metrics, with the token (`Authorization: Bearer …`); 404 without it and if the page is off."""
    if not settings.PROMPTUARY_METRICS or not _may_read(request):
        return HttpResponse("There is nothing here.\n", status=404, content_type="text/plain")
    metrics.flush_counts()
    return HttpResponse(_read_counted() + _read_now(), content_type=CONTENT_TYPE)


class StateCollector(Collector):
    """Gauges of the database and the mirror, read on each scrape."""

    def collect(self) -> Iterable[GaugeMetricFamily]:
        """One family per figure; if the database doesn't respond, only that fact."""
        up = GaugeMetricFamily("promptuary_database_up", "1 when the database answers.")
        try:
            families = list(_read_state())
        except DatabaseError:
            up.add_metric([], 0)
            return [up]
        up.add_metric([], 1)
        return [up, *families]


def _read_state() -> Iterable[GaugeMetricFamily]:
    state = mirror.read_status()
    yield GaugeMetricFamily("promptuary_mirror_lag_seconds", "Age of the oldest event not in the mirror.", state.lag)
    diverged = GaugeMetricFamily("promptuary_mirror_diverged", "1 when the mirror contradicts the journal.")
    diverged.add_metric([], int(bool(state.diverged)))
    yield diverged
    jobs = GaugeMetricFamily("promptuary_jobs", "Jobs by state; done ones are not counted.", labels=["state"])
    counts = dict(Job.objects.exclude(state=Job.DONE).values_list("state").annotate(Count("pk")).order_by())
    for name in (Job.QUEUED, Job.RUNNING, Job.FAILED):
        jobs.add_metric([name], counts.get(name, 0))
    yield jobs
    events = Event.objects.aggregate(last=Max("number"))["last"] or 0
    yield GaugeMetricFamily("promptuary_journal_events", "The journal's newest number.", events)


def _read_counted() -> bytes:
    """All processes' metrics if they share a folder, else this process's."""
    if not os.environ.get("PROMETHEUS_MULTIPROC_DIR"):
        return generate_latest(REGISTRY)
    shared = CollectorRegistry()
    multiprocess.MultiProcessCollector(shared)  # type: ignore[no-untyped-call]  # the library's is untyped
    return generate_latest(shared)


def _read_now() -> bytes:
    registry = CollectorRegistry()
    registry.register(StateCollector())
    return generate_latest(registry)


def _may_read(request: HttpRequest) -> bool:
    # The client address doesn't protect it: behind a proxy on this machine every request comes from loopback.
    token = settings.PROMPTUARY_METRICS_TOKEN
    presented = request.headers.get("Authorization", "").removeprefix("Bearer ")
    return bool(token) and hmac.compare_digest(presented.encode("utf-8", "surrogatepass"), token.encode())
