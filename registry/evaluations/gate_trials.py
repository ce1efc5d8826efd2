"""Gate trials: the outcomes that thresholds would have had on the last runs, before they are enforced."""

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
from registry.namespaces.queries import choose_live_label
from registry.namespaces.verbs import Verb
from registry.templates.label_models import Label

__all__ = ["GateTrial", "try_gates"]

MAX_TRIALS = 10
_IS_LIVE = "this is what is live"
_MAX_RUNS = 200  # the most runs searched; enough for a pattern that matches few templates


@dataclass(frozen=True)
class GateTrial:
    """A finished run with the outcome of each threshold. is_live: whether its version is the live one, so that there is
    nothing to compare it with.
    """

    run: Run
    outcomes: tuple[GateOutcome, ...]
    is_live: bool

    @property
    def passed(self) -> bool | None:
        """Whether all thresholds are reached; None if none is missed and some can't be decided.

        For the live version, thresholds relative to the live version don't count.
        """
        counted = [outcome for outcome in self.outcomes if not (self.is_live and outcome.finding == _IS_LIVE)]
        if any(outcome.passed is False for outcome in counted):
            return False
        return None if not counted or any(outcome.passed is None for outcome in counted) else True

    @property
    def compares_only(self) -> bool:
        """Whether the version is live and every threshold is relative to the live version."""
        return self.is_live and all(outcome.finding == _IS_LIVE for outcome in self.outcomes)


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
    """The outcomes of the thresholds on the newest `MAX_TRIALS` finished runs that they would measure, newest first.

    Those are runs of the model over the dataset's version, for templates that match the pattern. A relative threshold
    compares with the newest such run of the version that is live now. Nothing is stored. For actors who may read runs.
    Invalid names a threshold that can't be parsed.
    """
    space = permissions.find_namespace(actor, Verb.READ, namespace)
    parsed = [parse_gate(text) for text in attachments.check_gates(gates)]
    version = dataset_queries.read_dataset_version(actor, dataset, dataset_version)
    rows = Run.objects.filter(template__namespace=space, dataset_version=version, model=model, state=Run.DONE)
    related = rows.select_related("template", "version").defer("version__bundle").order_by("-pk")
    runs = [run for run in related[:_MAX_RUNS] if fnmatchcase(run.template.path, pattern.strip())]
    live = _find_newest_live_runs(runs, choose_live_label(space))
    return [_try_run(parsed, run, live.get((run.template_id, run.model_digest))) for run in runs[:MAX_TRIALS]]


def _find_newest_live_runs(runs: Iterable[Run], label: str) -> Mapping[tuple[int, str], Run]:
    """Map template and model digest to the newest run of the version that the label serves."""
    templates = {run.template_id for run in runs}
    served = dict(Label.objects.filter(template__in=templates, name=label).values_list("template", "version__digest"))
    newest: dict[tuple[int, str], Run] = {}
    for run in runs:
        if served.get(run.template_id) == run.version.digest:
            newest.setdefault((run.template_id, run.model_digest), run)
    return newest


def _try_run(gates: Iterable[Gate], run: Run, live: Run | None) -> GateTrial:
    is_live = live is not None and live.version.digest == run.version.digest
    baseline, without_baseline = (None, _IS_LIVE) if is_live else (live, "what is live has no run over these rows")
    outcomes = [outcome for gate in gates for outcome in judge_run(gate, run, baseline, without_baseline)]
    return GateTrial(run, tuple(outcomes), is_live)
