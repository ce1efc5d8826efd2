"""Readings of metrics: each score of a version's newest run compared with what is served: better, worse or unclear."""

import json
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import Any, Literal

from promptuary.evaluation import compare_scores
from promptuary.evaluation.gates import Gate, parse_gate
from promptuary.evaluation.scoring import Score
from registry.core.lru import Recent
from registry.evaluations import attachment_queries
from registry.evaluations.attachment_queries import EvaluationPlan
from registry.evaluations.models import Run, RunRow
from registry.templates.models import Template, Version

__all__ = ["MetricReading", "Reading", "RunReadings", "VersionPair", "read_metrics"]

Reading = Literal["better", "worse", "unclear"]
_ORDER: Mapping[str, int] = {"worse": 0, "better": 1, "unclear": 2}
_Ends = tuple[int, datetime | None]
_RowScores = Mapping[int, Mapping[int, Mapping[str, float | None]]]  # by run and index, each by `<metric> <target>`


@dataclass(frozen=True)
class VersionPair:
    """The version that a label would move to, and the digest of what it serves now (None if it is not set)."""

    template: Template
    version: Version
    serves: str | None


@dataclass(frozen=True)
class MetricReading:
    """One metric of one output. `low` and `high` are the 95 % interval of the difference on the rows both scored.

    gate: the threshold that an attached evaluation sets for it, or empty; passes: None without a gate, or if the run to
    compare with doesn't exist.
    """

    metric: str
    target: str
    before: float | None
    after: float | None
    difference: float | None
    low: float | None
    high: float | None
    reading: Reading
    gate: str = ""
    passes: bool | None = None


@dataclass(frozen=True)
class RunReadings:
    """The newest finished run of a version, the newest of what is served over the same rows by the same model (None
    if there is none), and the metrics: worse first, then better, then unclear."""

    run: Run
    baseline: Run | None
    metrics: tuple[MetricReading, ...]

    def count(self, reading: Reading) -> int:
        """The number of metrics with this reading."""
        return sum(metric.reading == reading for metric in self.metrics)

    @property
    def worse_without_gate(self) -> int:
        """The number of metrics that are worse and have no threshold."""
        return len(self.ungated_losses)

    @property
    def failed_gates(self) -> int:
        """The number of metrics below their threshold."""
        return sum(metric.passes is False for metric in self.metrics)

    @property
    def ungated_losses(self) -> tuple[MetricReading, ...]:
        """The metrics that are worse and have no threshold."""
        return tuple(metric for metric in self.metrics if metric.reading == "worse" and not metric.gate)


_compared: Recent[tuple[_Ends, _Ends], tuple[MetricReading, ...]] = Recent(256)


def read_metrics(pairs: Sequence[VersionPair]) -> dict[int, RunReadings]:
    """Map template id to its readings, absent if the version was never run. Each template is in one pair.

    A constant number of queries, plus one per pair of runs that this process compares for the first time.
    """
    newest = _find_newest_runs(pairs)
    baselines = {pk: _find_baseline(pair, newest) for pk, pair in ((pair.template.pk, pair) for pair in pairs)}
    heads = {pair.template.pk: newest.get((pair.template.pk, pair.version.digest), ()) for pair in pairs}
    runs = {pk: (head_runs[0], baselines[pk]) for pk, head_runs in heads.items() if head_runs}
    plans = attachment_queries.list_plans_of_templates([pair.template for pair in pairs]) if runs else {}
    readings = {}
    for pk, (run, baseline) in runs.items():
        metrics = _compared.get((_read_ends(run), _read_ends(baseline)), partial(_compare, run, baseline))
        gated = [_add_gate(metric, run, plans[pk]) for metric in metrics]
        ordered = sorted(gated, key=lambda metric: (_ORDER[metric.reading], metric.metric, metric.target))
        readings[pk] = RunReadings(run, baseline, tuple(ordered))
    return readings


def _find_newest_runs(pairs: Iterable[VersionPair]) -> dict[tuple[int, str], list[Run]]:
    """Map template and digest of a version to its finished runs, newest first."""
    digests = {digest for pair in pairs for digest in (pair.version.digest, pair.serves) if digest is not None}
    rows = Run.objects.filter(
        template__in={pair.template.pk for pair in pairs}, version__digest__in=digests, state=Run.DONE
    )
    runs_by_version: defaultdict[tuple[int, str], list[Run]] = defaultdict(list)
    related = rows.select_related("version", "dataset_version__dataset").defer(
        "version__bundle", "dataset_version__text"
    )
    for run in related.order_by("-pk"):
        runs_by_version[run.template_id, run.version.digest].append(run)
    return runs_by_version


def _find_baseline(pair: VersionPair, newest: Mapping[tuple[int, str], Sequence[Run]]) -> Run | None:
    heads = newest.get((pair.template.pk, pair.version.digest), ())
    if not heads or pair.serves is None or pair.serves == pair.version.digest:
        return None
    head, served = heads[0], newest.get((pair.template.pk, pair.serves), ())
    return next(
        (run for run in served if run.model_digest == head.model_digest and run.shares_rows_with(head)),
        None,
    )


def _read_ends(run: Run | None) -> _Ends:
    """When the run ended, as a cache key: a finished run only changes if it is rerun, which sets another end."""
    return (run.number, run.finished_at) if run else (0, None)


def _read_row_scores(runs: Iterable[Run]) -> _RowScores:
    scores: defaultdict[int, dict[int, Mapping[str, float | None]]] = defaultdict(dict)
    rows = RunRow.objects.filter(run__in={run.pk for run in runs})
    for run, index, text in rows.values_list("run_id", "index", "scores_text"):
        scores[run][index] = json.loads(text)
    return scores


def _compare(run: Run, baseline: Run | None) -> tuple[MetricReading, ...]:
    before_scores = baseline.scores if baseline else {}
    rows = _read_row_scores([run, baseline]) if baseline else {}
    readings = []
    for metric, targets in run.scores.items():
        for target, score in targets.items():
            before = before_scores.get(metric, {}).get(target)
            if baseline is None or before is None:
                readings.append(MetricReading(metric, target, None, score["score"], None, None, None, "unclear"))
                continue
            name = f"{metric} {target}"
            comparison = compare_scores(_score(baseline, rows, name, before), _score(run, rows, name, score))
            reading: Reading = (
                "unclear" if comparison.winner is None else "better" if comparison.winner == "second" else "worse"
            )
            limits = (comparison.difference, comparison.low, comparison.high)
            readings.append(MetricReading(metric, target, before["score"], score["score"], *limits, reading))
    return tuple(readings)


def _score(
    run: Run,
    rows: _RowScores,
    name: str,
    score: Mapping[str, Any],
) -> Score:
    of_run = rows.get(run.pk, {})
    values = [of_run.get(index, {}).get(name) for index in range(run.total)]
    return Score(score=score["score"], individual_scores=values, scored=score["scored"], of=score["of"])


def _add_gate(metric: MetricReading, run: Run, plans: Collection[EvaluationPlan]) -> MetricReading:
    """The reading with this metric's threshold, if a plan measures the run's rows with its model."""
    for text in (text for plan in plans if plan.measures(run) for text in plan.gates):
        gate = parse_gate(text)
        if gate.metric == metric.metric and gate.output in (None, metric.target):
            values = (metric.metric, metric.target, metric.before, metric.after, metric.difference)
            return MetricReading(*values, metric.low, metric.high, metric.reading, str(gate), _is_passed(gate, metric))
    return metric


def _is_passed(gate: Gate, metric: MetricReading) -> bool | None:
    if metric.after is None:
        return False if gate.floor is not None else None
    return gate.passes(metric.after, metric.before)
