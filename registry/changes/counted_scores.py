"""Counted scores: the scores by people that decide a gate of a change request, recorded as an event."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from django.db import transaction
from django.db.models import Max

from promptuary.evaluation.gates import parse_gate
from registry.accounts import actor as accounts_actor
from registry.changes import history_queries
from registry.changes.contributors import ChangeFacts, find_contributors
from registry.changes.models import ChangeRequest, CountedScores
from registry.changes.review_events import ScoresCounted
from registry.evaluations import person_score_queries, run_queries
from registry.evaluations.attachment_queries import EvaluationPlan
from registry.evaluations.models import PersonScore, Run
from registry.journal import log
from registry.journal.event import compute_digest, format_canonical_json
from registry.namespaces.queries import choose_live_label

__all__ = [
    "PeopleEvidence",
    "find_run_contributors",
    "judge_people_gate",
    "list_countable_scores",
    "read_evidence",
    "read_recorded_scores",
    "record_scores",
]


@dataclass(frozen=True)
class PeopleEvidence:
    """The recorded scores that count for a plan, each as (row's index, username, score), and the run they belong to."""

    scores: tuple[tuple[int, str, str], ...]
    run: int

    @property
    def digest(self) -> str:
        """The digest that a verdict is bound to."""
        return compute_digest(format_canonical_json([list(score) for score in self.scores]))

    @property
    def mean(self) -> float:
        """The mean from 0 to 1, with equal weights."""
        shares = [person_score_queries.share_of_grade(PersonScore.GRADES[score]) for _, _, score in self.scores]
        return sum(shares) / len(shares)

    @property
    def raters(self) -> int:
        """How many people scored."""
        return len({person for _, person, _ in self.scores})


def read_recorded_scores(changes: Iterable[int]) -> dict[tuple[int, str], CountedScores]:
    """Read the last recorded scores by request and evaluation."""
    rows = CountedScores.objects.filter(change__in=list(changes)).order_by("number")
    return {(row.change_id, row.evaluation): row for row in rows}


def read_evidence(
    recorded: CountedScores | None, version: int, plan: EvaluationPlan, contributors: Collection[str]
) -> PeopleEvidence | None:
    """The recorded scores for a head and plan. None if they are of another head, other rows or another model, or if too
    few are left without those of contributors. Depends on events alone.
    """
    if recorded is None or recorded.version_id != version:
        return None
    if (recorded.rows_digest, recorded.model_digest) != (plan.rows_digest, plan.model_digest):
        return None
    scores = tuple(score for score in recorded.scores if score[1] not in contributors)
    return PeopleEvidence(scores, recorded.run) if len(scores) >= plan.scores_needed else None


def list_countable_scores(run: Run, contributors: Collection[str]) -> list[tuple[int, str, str]]:
    """List the scores of the run's replies that a gate may count, by row and username: of active people who did not
    contribute, and not given by key.
    """
    scores = PersonScore.objects.filter(run=run, by_key=False, person__is_active=True)
    columns = scores.order_by("index", "person__username").values_list("index", "person__username", "score")
    return [(index, person, score) for index, person, score in columns if person not in contributors]


def record_scores(change: ChangeRequest, plans: Sequence[EvaluationPlan], contributors: Collection[str]) -> bool:
    """Record the scores that gates use, if there are enough of them and none were recorded for the head or the result
    would differ. For the worker; returns whether any were recorded.
    """
    is_changed = False
    recorded = read_recorded_scores([change.pk])
    for plan in plans:
        if not plan.people_gates or not plan.model_digest:
            continue
        key = plan.run_key(change.version.digest)
        run = run_queries.find_newest_runs_by_key([key]).get(key)
        if run is None or run.state != Run.DONE:
            continue
        scores = tuple(list_countable_scores(run, contributors))
        if len(scores) < plan.scores_needed:
            continue
        now = PeopleEvidence(scores, run.number)
        before = read_evidence(recorded.get((change.pk, plan.name)), change.version_id, plan, contributors)
        if before is not None and _list_decisions(plan, before) == _list_decisions(plan, now):
            continue
        _record(change, plan, now)
        is_changed = True
    return is_changed


def judge_people_gate(gate: str, evidence: PeopleEvidence) -> tuple[bool, str]:
    """Return whether the scores reach a threshold, and a sentence without its full stop."""
    floor = parse_gate(gate).floor or 0.0
    count = len(evidence.scores)
    who = "1 person" if evidence.raters == 1 else f"{evidence.raters} people"
    finding = f"{evidence.mean:.4g} from {count} scores by {who}, at least {floor:g} is asked for"
    return evidence.mean >= floor, finding


def find_run_contributors(run: Run) -> frozenset[str]:
    """Find the people whose scores of a run a gate does not count: the contributors to the open request for its
    version, else to what the version adds to what is live.
    """
    history = history_queries.read_history([run.template])
    live = history.labels.get(run.template.name, {}).get(choose_live_label(run.template.namespace))
    pending = ChangeRequest.objects.pending().filter(template=run.template, version=run.version)
    requests = list(pending.select_related("opened_by").order_by("number"))
    about = [(one.number, one.opened_by.username, one.key_id) for one in requests]
    usernames: set[str] = set()
    for number, person, key in about or [(0, run.version.author.username, run.version.key_id)]:
        facts = ChangeFacts(number, run.template.name, run.template.namespace.name, run.version_id, person, key, live)
        usernames.update(find_contributors(history, facts))
    return frozenset(usernames)


def _list_decisions(plan: EvaluationPlan, evidence: PeopleEvidence) -> list[bool]:
    return [judge_people_gate(gate, evidence)[0] for gate in plan.people_gates]


def _record(change: ChangeRequest, plan: EvaluationPlan, evidence: PeopleEvidence) -> None:
    text, at = format_canonical_json([list(score) for score in evidence.scores]), log.now()
    with transaction.atomic():
        log.lock()
        earlier = CountedScores.objects.filter(change=change, evaluation=plan.name)
        number = (earlier.aggregate(last=Max("number"))["last"] or 0) + 1
        row = CountedScores.objects.create(
            change=change,
            evaluation=plan.name,
            number=number,
            version=change.version,
            run=evidence.run,
            rows_digest=plan.rows_digest,
            model_digest=plan.model_digest,
            digest=compute_digest(text),
            text=text,
            created_at=at,
        )
        event = ScoresCounted(
            change=change.number,
            template=change.template.name,
            version=change.version.number,
            digest=change.version.digest,
            evaluation=plan.name,
            number=number,
            run=evidence.run,
            rows=plan.rows_digest,
            model_digest=plan.model_digest,
            count=len(evidence.scores),
            scores=row.digest,
        )
        log.append(
            accounts_actor.build_operator_actor(), event, namespace=change.template.namespace, at=at, subject=row
        )
