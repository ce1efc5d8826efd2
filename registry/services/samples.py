"""Samples: named input data beside the document."""

from datetime import datetime

from django.db import transaction

from registry import access, journal
from registry.access import Actor, Verb
from registry.errors import Conflict, Invalid
from registry.journal import Kind
from registry.models import SampleSet, Template
from registry.queries import samples as sample_sets
from registry.queries import templates
from registry.services import verdicts
from registry.services.checking import Samples, examine, write_samples

__all__ = ["save", "store"]


def save(*, actor: Actor, name: str, samples: Samples) -> SampleSet:
    """Put these samples in place of all there were; each must fit the latest document.

    Invalid carries the problems. Event body as in `store`.
    """
    template = templates.find(actor, Verb.SAVE, name)
    access.require_wide(actor, Verb.SAVE)  # what does not fit names inputs of the latest version
    text = write_samples(samples)
    latest = template.latest
    if latest is None:
        raise Conflict(f"{name} has no version yet.")
    examined = examine(actor, latest.document, samples)
    at_fault = [problem for problem in examined.problems if problem.sample is not None and problem.severity == "error"]
    if at_fault:
        raise Invalid(problems=at_fault)
    with transaction.atomic():
        template = templates.find(actor, Verb.SAVE, name, lock=True)
        if template.archived_at is not None:
            raise Conflict(f"{name} is archived: an admin can bring it back.")
        if template.latest_id != latest.pk:
            raise Conflict(f"A newer version of {name} was saved while its samples were checked: try again.")
        return store(actor=actor, template=template, text=text, at=journal.now())


def store(*, actor: Actor, template: Template, text: str, at: datetime) -> SampleSet:
    """Write samples that were checked; for services, inside their transaction. Equal ones make no new set.

    Event body: {"template", "number", "digest": sha256 of the samples' canonical text}.
    """
    held = sample_sets.current(template)
    digest = journal.digest_of(text)
    if held is not None and held.digest == digest:
        return held
    stored = SampleSet.objects.create(
        template=template,
        number=held.number + 1 if held else 1,
        digest=digest,
        text=text,
        author=actor.person,
        key=actor.key,
        created_at=at,
    )
    verdicts.ask(template)
    body = {"template": template.name, "number": stored.number, "digest": digest}
    journal.append(Kind.SAMPLES_SAVED, actor, template.namespace, body, at=at, template=template.name)
    return stored
