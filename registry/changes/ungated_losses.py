"""Ungated losses: metrics of change requests that get worse without a threshold, so no check blocks them."""

from collections.abc import Iterable
from dataclasses import dataclass

from registry.changes import queries
from registry.changes.gate import Gate
from registry.evaluations import metric_readings
from registry.evaluations.metric_readings import MetricReading, VersionPair
from registry.evaluations.models import Run

__all__ = ["UngatedLosses", "find_ungated_losses"]


@dataclass(frozen=True)
class UngatedLosses:
    """What an approver has to weigh alone: the number of the request, its run, the run of what the label serves, and
    the worse metrics.
    """

    change: int
    run: Run
    baseline: Run
    metrics: tuple[MetricReading, ...]


def find_ungated_losses(gates: Iterable[Gate]) -> dict[int, UngatedLosses]:
    """Map the numbers of requests to their losses, for requests that still take decisions and have some.

    At most one request per template, as in a release. One query if none of the versions was run, else a constant
    number; an emergency awaiting approval takes up to three more.
    """
    pairs = {gate.change.number: _pair_versions(gate) for gate in gates if not gate.is_closed}
    readings = metric_readings.read_metrics(list(pairs.values())) if pairs else {}
    losses = {}
    for number, pair in pairs.items():
        reading = readings.get(pair.template.pk)
        if reading is not None and reading.baseline is not None and reading.ungated_losses:
            losses[number] = UngatedLosses(number, reading.run, reading.baseline, reading.ungated_losses)
    return losses


def _pair_versions(gate: Gate) -> VersionPair:
    """The head and what the label serves. The head of an emergency is served already, so it is compared with what was
    served before.
    """
    change, serves = gate.change, gate.facts.holds_digest
    if not change.is_open:
        baseline = queries.find_baseline(change)
        serves = baseline.digest if baseline else None
    return VersionPair(change.template, change.version, serves)
