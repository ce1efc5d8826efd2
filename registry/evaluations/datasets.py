"""Services of datasets: saving the next version, and checking that rows fit the templates they measure."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from django.db import IntegrityError, transaction
from django.utils.translation import gettext

from promptuary.evaluation import Dataset as Rows
from promptuary.evaluation import DatasetError, Row
from promptuary.evaluation import datasets as reading
from promptuary.renderer.errors import RenderError
from registry.accounts.actor import Actor
from registry.core import names
from registry.core.errors import Busy, Conflict, Invalid, PreconditionRequired, Stale
from registry.core.input_checks import check_size, check_text, find_private
from registry.core.renderer_pool import borrow_renderer, list_sources
from registry.evaluations import dataset_queries
from registry.evaluations.attachment_queries import list_measured_templates
from registry.evaluations.dataset_models import Dataset, DatasetVersion
from registry.evaluations.events import DatasetSaved
from registry.journal import log
from registry.journal.event import format_canonical_json
from registry.namespaces import key_rights, permissions
from registry.namespaces.models import Namespace
from registry.namespaces.verbs import Verb
from registry.templates import queries as template_queries
from registry.templates.models import Template, Version

__all__ = ["BYTES", "FORMS", "MAX_ROWS", "SavedDataset", "read_dataset_rows", "require_rows_fit", "save_dataset"]

BYTES = 8 * 1024 * 1024
MAX_ROWS = 10_000
FORMS = ("jsonl", "csv", "yml")
_BATCH = 200  # the most rows that a child checks
_MAX_FAULTS = 20
_MAX_TEMPLATES = 5


@dataclass(frozen=True)
class SavedDataset:
    """The result of a save. created: False if the rows equal those of the latest version, so that no version was made.

    warnings: sentences about possible personal data or credentials, each beginning with its row.
    """

    dataset: Dataset
    version: DatasetVersion
    created: bool
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True)
class _DatasetSave:
    """One save, read and ready to be written."""

    name: str
    text: str
    count: int
    digest: str
    content_digest: str
    message: str
    base: str | None


def save_dataset(  # what a person hands in when saving
    *,
    actor: Actor,
    name: str,
    text: str,
    form: str = "jsonl",
    message: str = "",
    base: str | None = None,
    template: str | None = None,
    existing_rows: int = 0,
) -> SavedDataset:
    """Save the next version of a dataset, or its first.

    form: jsonl, csv or yml, as `evaluation.datasets` reads them. base: digest of the version this is based on, required
    once the dataset exists: PreconditionRequired without, Stale if it is not the latest. template: the name of a
    template whose latest version's inputs the rows must fit, in addition to every template that the dataset is attached
    to. existing_rows: how many of the first rows existed before and need not fit `template`. Invalid names each faulty
    row and path. Event body as in `_append`.
    """
    namespace, path = names.check_template(name)
    space = permissions.find_namespace(actor, Verb.SAVE, namespace, path)
    key_rights.require_wide(actor, Verb.SAVE)  # the errors name inputs of the latest versions
    check_text("message", message)
    rows_read = read_dataset_rows(text, form, name)
    measured = list_measured_templates(space, name)
    named_template = template_queries.get_template(actor, template) if template else None
    if named_template is not None and named_template not in measured:
        require_rows_fit(rows_read.rows, [named_template], existing_rows)
    require_rows_fit(rows_read.rows, measured)
    warnings = _find_secrets(rows_read.rows)
    lines = "".join(format_canonical_json(row.to_dict()) + "\n" for row in rows_read.rows)
    digests = rows_read.digest, reading.digest_contents(rows_read.rows)
    version = _store(actor, namespace, _DatasetSave(name, lines, len(rows_read.rows), *digests, message.strip(), base))
    return replace(version, warnings=warnings)


def _find_secrets(rows: Sequence[Row]) -> tuple[str, ...]:
    """Raise Invalid if a row contains a credential. Return warnings about possible credentials and personal data."""
    faults, warnings = {}, []
    for index, problem in find_private([row.to_dict() for row in rows]):
        where, sentence = f"{_place(rows, index)}.{problem.variable}", f"{problem.message}."
        if problem.severity == "error":
            faults[where] = sentence
        else:
            warnings.append(f"{where}: {sentence}")
    if faults:
        raise Invalid(fields=dict(list(faults.items())[:_MAX_FAULTS]))
    return tuple(warnings[:_MAX_FAULTS])


def require_rows_fit(rows: Sequence[Row], templates: Iterable[Template], existing_rows: int = 0) -> None:
    """Raise Invalid if rows after the first `existing_rows` lack an input of a template's latest version or have one of
    the wrong type.
    """
    versions: dict[int, Version] = {}
    for template in templates:
        if template.latest is not None:
            versions.setdefault(template.latest.pk, template.latest)
    for version in list(versions.values())[:_MAX_TEMPLATES]:
        if faults := _find_faults(rows, version, existing_rows):
            raise Invalid(fields=faults)


def _find_faults(rows: Sequence[Row], version: Version, first: int) -> dict[str, str]:
    bundle = version.unpacked()
    faults: dict[str, str] = {}
    for start in range(first, len(rows), _BATCH):
        batch = {str(start + offset): row.inputs for offset, row in enumerate(rows[start : start + _BATCH])}
        try:
            with borrow_renderer() as bounded:
                errors = bounded.find_input_errors(bundle["document"], batch, **list_sources(bundle))
        except RenderError as refusal:
            raise Invalid(problems=[refusal.to_problem()]) from refusal
        for index, error in errors.items():
            path = f".{error.path}" if error.path else ""
            faults[f"{_place(rows, int(index))}.inputs{path}"] = error.message
        if len(faults) >= _MAX_FAULTS:
            break
    return dict(list(faults.items())[:_MAX_FAULTS])


def _place(rows: Sequence[Row], index: int) -> str:
    """A row's name in messages: `row 3`, and its own name if it has one."""
    return f"row {index + 1} ({rows[index].id})" if rows[index].id else f"row {index + 1}"  # no text: names a field


def read_dataset_rows(text: str, form: str, name: str) -> Rows:
    """The rows of a text in one of `FORMS`. Raises Invalid if it can't be read, or has no rows, too many or a duplicate
    name.
    """
    if form not in FORMS:
        raise Invalid(fields={"form": gettext("one of {names}.").format(names=", ".join(FORMS))})
    check_text("text", text, BYTES, may_hold_secrets=True)  # secrets are searched row by row
    try:
        dataset = reading.parse(text, form, name.rpartition("/")[2])
    except DatasetError as error:
        raise Invalid(fields={"text": f"{error}."}) from error
    if not dataset.rows:
        raise Invalid(fields={"text": gettext("there is no row in it.")})
    if len(dataset.rows) > MAX_ROWS:
        raise Invalid(
            fields={
                "text": gettext("at most {most_rows} rows; these are {count}.").format(
                    most_rows=MAX_ROWS, count=len(dataset.rows)
                )
            }
        )
    _require_names(dataset.rows)
    size = sum(len(format_canonical_json(row.to_dict()).encode()) + 1 for row in dataset.rows)
    check_size("text", size, BYTES)
    return dataset


def _require_names(rows: Sequence[Row]) -> None:
    first_lines: dict[str, int] = {}
    for number, row in enumerate(rows, start=1):
        if not row.id:
            continue
        check_text(f"row {number}.id", row.id, 200)
        if row.id in first_lines:
            raise Invalid(
                fields={
                    f"row {number}.id": gettext("{id!r} is the name of row {value} already.").format(
                        id=row.id, value=first_lines[row.id]
                    )
                }
            )
        first_lines[row.id] = number


def _require_not_archived(dataset: Dataset) -> None:
    if dataset.archived_at is not None:
        raise Conflict(gettext("{name} is archived: an admin can restore it.").format(name=dataset.name))


def _store(actor: Actor, space: str, work: _DatasetSave) -> SavedDataset:
    at = log.now()
    with transaction.atomic():
        namespace = permissions.find_namespace(actor, Verb.SAVE, space, work.name.partition("/")[2])
        dataset = _find_or_make(actor, namespace, work, at)
        _require_not_archived(dataset)
        latest = dataset.latest
        if latest is not None and latest.digest == work.digest:
            return SavedDataset(dataset, latest, created=False)
        version = DatasetVersion.objects.create(
            dataset=dataset,
            number=latest.number + 1 if latest else 1,
            digest=work.digest,
            content_digest=work.content_digest,
            text=work.text,
            count=work.count,
            base=_find_base(dataset, work),
            author=actor.person,
            key=actor.key,
            message=work.message,
            created_at=at,
        )
        dataset.latest, dataset.updated_at = version, at
        dataset.save(update_fields=["latest", "updated_at"])
        _append(actor, dataset, version, list_measured_templates(namespace, dataset.name))
    return SavedDataset(dataset, version, created=True)


def _find_or_make(actor: Actor, namespace: Namespace, work: _DatasetSave, at: datetime) -> Dataset:
    dataset = dataset_queries.lock_dataset(work.name)
    if dataset is None:
        if work.base is not None:
            raise Stale(
                gettext("There is no dataset {name}, so it has no version {base}.").format(
                    name=work.name, base=work.base
                )
            )
        new_dataset = Dataset(
            namespace=namespace, name=work.name, created_by=actor.person, created_at=at, updated_at=at
        )
        try:
            with transaction.atomic():
                new_dataset.save(force_insert=True)
            return new_dataset
        except IntegrityError:  # another first save committed before
            dataset = dataset_queries.lock_dataset(work.name)
    if dataset is None:
        raise Busy(gettext("{name} was made at this moment: try again.").format(name=work.name))
    return dataset


def _find_base(dataset: Dataset, work: _DatasetSave) -> DatasetVersion | None:
    latest = dataset.latest
    if latest is None:
        return None
    if work.base is None:
        raise PreconditionRequired(
            gettext("{name} exists: say by its digest which version this was made from.").format(name=dataset.name),
            latest=latest.number,
            digest=latest.digest,
        )
    if latest.digest != work.base:
        raise Stale(
            gettext("This was not made from the latest version of {name}, which is {number}.").format(
                name=dataset.name, number=latest.number
            ),
            latest=latest.number,
            digest=latest.digest,
        )
    return latest


def _append(actor: Actor, dataset: Dataset, version: DatasetVersion, templates: Sequence[Template]) -> None:
    event = DatasetSaved(
        dataset=dataset.name,
        number=version.number,
        digest=version.digest,
        count=version.count,
        base=version.base.number if version.base else None,
        message=version.message,
    )
    log.append(actor, event, namespace=dataset.namespace, at=version.created_at, subject=tuple(templates))
