"""Gate trials: what thresholds would have said of the last runs, before anything is held to them."""

# no texts here: as findings that are stored

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase

from promptuary.evaluation.gates import Gate, parse_gate
from registry.accounts.actor import Actor
from registry.evaluations import attachments, dataset_queries
from registry.evaluations.gate_outcomes import GateOutcome, judge_run
from registry.evaluations.models import Run
from registry.namespaces import permissions
from registry.namespaces.queries import live_label
from registry.namespaces.verbs import Verb
from registry.templates.label_models import Label

__all__ = ["GateTrial", "try_gates"]

MOST_TRIALS = 10
_MOST_RUNS = 200  # looked at, so that a pattern of few templates finds theirs too


@dataclass(frozen=True)
class GateTrial:
    """A finished run with the outcome of each threshold."""

    run: Run
    outcomes: tuple[GateOutcome, ...]

    @property
    def passed(self) -> bool | None:
        """Whether all thresholds are reached; None if none is missed and some can't be decided."""
        if any(outcome.passed is False for outcome in self.outcomes):
            return False
        return None if any(outcome.passed is None for outcome in self.outcomes) else True


def try_gates(
    *,
    actor: Actor,
    namespace: str,
    pattern: str,
    dataset: str,
    model: str,
    gates: Sequence[str],
    dataset_version: int | None = None,
) -> list[GateTrial]:
    """What the thresholds say of the newest `MOST_TRIALS` finished runs that they would measure, newest first.

    Those are runs over the dataset's version by the model, of templates that the pattern fits. A threshold against what
    is live is compared with the newest such run of what is live now. Nothing is stored; for whoever may read runs.
    Invalid names a threshold that cannot be read.
    """
    space = permissions.find_namespace(actor, Verb.READ, namespace)
    parsed = [parse_gate(text) for text in attachments.check_gates(gates)]
    version = dataset_queries.read_dataset_version(actor, dataset, dataset_version)
    rows = Run.objects.filter(template__namespace=space, dataset_version=version, model=model, state=Run.DONE)
    related = rows.select_related("template", "version").defer("version__bundle").order_by("-pk")
    runs = [run for run in related[:_MOST_RUNS] if fnmatchcase(run.template.path, pattern.strip())]
    live = _newest_live_runs(runs, live_label(space))
    return [
        GateTrial(run, tuple(outcome for gate in parsed for outcome in _judge_run(gate, run, live)))
        for run in runs[:MOST_TRIALS]
    ]


def _newest_live_runs(runs: Iterable[Run], label: str) -> Mapping[tuple[int, str], Run]:
    """Template and digest of the model to the newest run of the version that the label serves."""
    templates = {run.template_id for run in runs}
    served = dict(Label.objects.filter(template__in=templates, name=label).values_list("template", "version__digest"))
    newest: dict[tuple[int, str], Run] = {}
    for run in runs:
        if served.get(run.template_id) == run.version.digest:
            newest.setdefault((run.template_id, run.model_digest), run)
    return newest


def _judge_run(gate: Gate, run: Run, live: Mapping[tuple[int, str], Run]) -> list[GateOutcome]:
    baseline = live.get((run.template_id, run.model_digest))
    if baseline is not None and baseline.version.digest == run.version.digest:
        return judge_run(gate, run, None, "this is what is live")
    return judge_run(gate, run, baseline, "what is live has no run over these rows")
