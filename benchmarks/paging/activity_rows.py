"""Rows that grow with the templates: jobs, notifications, runs, releases, fetches and deliveries."""

from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from typing import Any

from benchmarks.paging.journal_rows import JournalRows
from benchmarks.paging.template_rows import Cast
from registry.accounts.models import Key
from registry.changes.models import ChangeRequest, Verdict
from registry.evaluations.dataset_models import Dataset, DatasetVersion
from registry.evaluations.models import Run, RunRow
from registry.jobs.models import Job
from registry.journal.event import format_canonical_json
from registry.notifications.models import Notification
from registry.releases.events import ReleaseOpened, ReleasePublished
from registry.releases.models import Release
from registry.rollouts.models import Rollout
from registry.templates.models import Template
from registry.usage.models import Fetch, OutcomeTotal, Report
from registry.webhooks.models import Attempt, Delivery, Webhook

__all__ = ["add_activity"]

# So many that the measured lists are full with 1,000 templates.
RUN_EVERY, DATASET_EVERY, RELEASE_EVERY, ROLLOUT_EVERY, FETCH_EVERY, DELIVERY_EVERY = 4, 1, 4, 100, 10, 20
DAYS = 7  # of fetches and scores


def add_activity(cast: Cast, journal: JournalRows, key: Key, webhook: Webhook, templates: Sequence[Template]) -> None:
    """Add all of these rows for templates that were written in one batch."""
    published = {
        change.template_id: change
        for change in ChangeRequest.objects.filter(template__in=templates, state=ChangeRequest.PUBLISHED)
    }
    add_jobs(templates)
    add_notifications(cast, templates, published)
    add_verdicts(templates)
    datasets = add_datasets(cast, templates[::DATASET_EVERY])
    add_runs(cast, templates[::RUN_EVERY], datasets)
    add_releases(cast, journal, templates, published)
    add_rollouts(cast, templates[::ROLLOUT_EVERY], published)
    add_usage(key, templates[::FETCH_EVERY])
    add_deliveries(webhook, templates[::DELIVERY_EVERY])


def add_jobs(templates: Sequence[Template]) -> None:
    """Add a finished check of each template's change."""
    rows = []
    for template in templates:
        at = template.updated_at
        row = Job(kind="changes.check", subject=template.name, state=Job.DONE, attempts=1, created_at=at)
        row.started_at, row.finished_at = at, at
        rows.append(row)
    Job.objects.bulk_create(rows, batch_size=1_000)


def add_notifications(cast: Cast, templates: Sequence[Template], published: dict[int, ChangeRequest]) -> None:
    """Add the reviewer's notification of each change, marked as read."""
    rows = []
    for template in templates:
        at, sentence = template.updated_at, f"author asked for a review of {template.name}"
        row = Notification(person=cast.reviewer, kind="change.proposed", sentence=sentence, template=template)
        row.change, row.created_at, row.read_at, row.mailed_at = published[template.pk], at, at, at
        rows.append(row)
    Notification.objects.bulk_create(rows, batch_size=1_000)


def add_verdicts(templates: Sequence[Template]) -> None:
    """Add a check of the newest version of each template; some of them failed."""
    rows = []
    for number, template in enumerate(templates):
        outcome = Verdict.FAILED if number % 40 == 0 else Verdict.PASSED
        row = Verdict(template=template, version=template.latest, check_name="problems", outcome=outcome)
        row.key, row.summary, row.created_at = _digest(f"verdict {template.name}"), "Checked.", template.updated_at
        rows.append(row)
    Verdict.objects.bulk_create(rows, batch_size=1_000)


def add_datasets(cast: Cast, templates: Sequence[Template]) -> dict[int, DatasetVersion]:
    """Add a dataset of three rows for each of these templates; return the last one of each namespace."""
    text = "".join(
        format_canonical_json({"expected": None, "id": str(n), "inputs": {"question": "Why?"}}) + "\n" for n in range(3)
    )
    made = []
    for template in templates:
        at = template.updated_at
        row = Dataset(namespace=template.namespace, name=f"{template.name}-rows", created_by=cast.author)
        row.created_at, row.updated_at = at, at
        made.append(row)
    versions = [
        DatasetVersion(
            dataset=row,
            number=1,
            digest=_digest(text),
            text=text,
            count=3,
            author=cast.author,
            created_at=row.created_at,
        )
        for row in Dataset.objects.bulk_create(made)
    ]
    versions = DatasetVersion.objects.bulk_create(versions)
    for version in versions:
        version.dataset.latest = version
    Dataset.objects.bulk_update([version.dataset for version in versions], ["latest"])
    return {version.dataset.namespace_id: version for version in versions}


def add_runs(cast: Cast, templates: Sequence[Template], datasets: dict[int, DatasetVersion]) -> None:
    """Add a finished run of each of these templates over the dataset of its namespace or of another one."""
    rows, every = [], list(datasets.values())
    for template in templates:
        version, at = template.latest, template.updated_at
        rows_of = datasets.get(template.namespace_id) or every[0]
        run = Run(template=template, version=version, dataset_version=rows_of, rows_digest=rows_of.digest)
        run.model, run.model_digest, run.key = "gpt-4o", _digest("gpt-4o"), _digest(f"run {template.name}")
        run.state, run.total, run.done, run.started_by = Run.DONE, 3, 3, cast.author
        run.scores_text = format_canonical_json({"exact_match": {"answer": {"score": 0.5, "scored": 3, "of": 3}}})
        run.metrics, run.created_at, run.started_at, run.finished_at = ["exact_match"], at, at, at
        rows.append(run)
    runs = Run.objects.bulk_create(rows)
    result = format_canonical_json({"actual": {"answer": "Because."}, "problem": None, "faults": [], "prompts": []})
    answers = []
    for run in runs:
        for index in range(3):
            row = RunRow(run=run, index=index, result=result, is_failed=False, created_at=run.created_at)
            row.scores_text = format_canonical_json({"exact_match answer": 0.5})
            answers.append(row)
    RunRow.objects.bulk_create(answers, batch_size=1_000)


def add_releases(
    cast: Cast, journal: JournalRows, templates: Sequence[Template], published: dict[int, ChangeRequest]
) -> None:
    """Add published releases: one for every RELEASE_EVERY templates, with up to four changes of one namespace."""
    for start in range(0, len(templates), RELEASE_EVERY):
        space = templates[start].namespace
        group = [row for row in templates[start : start + RELEASE_EVERY] if row.namespace_id == space.pk][:4]
        at, changes = group[0].updated_at, [published[row.pk] for row in group]
        number = (Release.objects.order_by("-number").values_list("number", flat=True).first() or 0) + 1
        release = Release(number=number, namespace=space, label="production", title=f"Release {number}")
        release.state, release.opened_by, release.created_at = Release.PUBLISHED, cast.author, at
        release.updated_at, release.closed_at = at, at
        release.save(force_insert=True)
        numbers = [change.number for change in changes]
        ChangeRequest.objects.filter(number__in=numbers).update(release=release)
        facts: dict[str, Any] = {"release": number, "label": "production", "changes": numbers}
        opened = ReleaseOpened(**facts, title=release.title, description="")
        for event in (opened, ReleasePublished(**facts)):
            journal.add(cast.author, event, namespace=space.name, at=at)


def add_rollouts(cast: Cast, templates: Sequence[Template], published: dict[int, ChangeRequest]) -> None:
    """Add finished rollouts."""
    last = Rollout.objects.order_by("-number").values_list("number", flat=True).first() or 0
    rows = []
    for number, template in enumerate(templates, last + 1):
        change, at = published[template.pk], template.updated_at
        row = Rollout(number=number, template=template, label="production", change=change, salt="0" * 32)
        row.stable_id = row.candidate_id = change.version_id
        row.steps, row.share, row.state = [{"share": 500, "hours": 24}], 500, Rollout.FINISHED
        row.started_by, row.created_at, row.updated_at, row.ended_at = cast.author, at, at, at
        rows.append(row)
    Rollout.objects.bulk_create(rows)


def add_usage(key: Key, templates: Sequence[Template]) -> None:
    """Add fetches, reports and scores of the last days."""
    today = datetime.now(UTC)
    moments = [today - timedelta(days=back) for back in range(DAYS)]
    facts = [
        {"version": template.latest, "day": moment.date(), "last_at": moment}
        for template in templates
        for moment in moments
    ]
    Fetch.objects.bulk_create([Fetch(key=key, ref="production", count=100, **fact) for fact in facts], batch_size=1_000)
    Report.objects.bulk_create([Report(key=key, renders=90, **fact) for fact in facts], batch_size=1_000)
    totals = {"name": "helpful", "by_person": False, "count": 40, "total": 30.0, "squares": 30.0}
    OutcomeTotal.objects.bulk_create([OutcomeTotal(**totals, **fact) for fact in facts], batch_size=1_000)


def add_deliveries(webhook: Webhook, templates: Sequence[Template]) -> None:
    """Add messages that one webhook received."""
    rows = []
    for template in templates:
        at = template.updated_at
        row = Delivery(webhook=webhook, message=f"msg_{template.pk}", kind="version.saved", state=Delivery.DELIVERED)
        row.body, row.attempts_made, row.due_at, row.created_at, row.finished_at = "{}", 1, at, at, at
        rows.append(row)
    made = Delivery.objects.bulk_create(rows)
    make: Callable[..., Attempt] = Attempt
    Attempt.objects.bulk_create([make(delivery=row, at=row.due_at, status=200, milliseconds=12) for row in made])


def _digest(text: str) -> str:
    return f"sha256:{sha256(text.encode()).hexdigest()}"
