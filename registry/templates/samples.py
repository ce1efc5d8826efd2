"""Samples: named input data next to the document."""

from datetime import datetime

from django.db import transaction
from django.utils.translation import gettext

from promptuary.renderer.problems import Problem, select_errors
from promptuary.renderer.validation.standards import SAMPLES_CODE
from registry.accounts.actor import Actor
from registry.core.errors import Conflict, Invalid
from registry.journal import log
from registry.journal.event import compute_digest
from registry.namespaces import key_rights
from registry.namespaces.verbs import Verb
from registry.templates import queries as template_queries
from registry.templates.document_check import Samples, check_document, write_samples
from registry.templates.events import SamplesSaved
from registry.templates.models import SampleSet, Template

__all__ = ["save_samples", "store_samples"]


def save_samples(*, actor: Actor, name: str, samples: Samples) -> SampleSet:
    """Replace all samples. Each must fit the latest document, and all together the standards of the namespace.

    Invalid carries the problems.
    """
    template = template_queries.find_template(actor, Verb.SAVE, name)
    key_rights.require_wide(actor, Verb.SAVE)  # the problems name inputs of the latest version
    text = write_samples(samples)
    latest = template.latest
    if latest is None:
        raise Conflict(gettext("{name} has no version yet.").format(name=name))
    examined = check_document(actor, latest.document, samples, name=name)
    at_fault = [problem for problem in select_errors(examined.problems) if _is_of_samples(problem)]
    if at_fault:
        raise Invalid(problems=at_fault)
    with transaction.atomic():
        template = template_queries.find_template(actor, Verb.SAVE, name, lock=True)
        if template.archived_at is not None:
            raise Conflict(gettext("{name} is archived: an admin can restore it.").format(name=name))
        if template.latest_id != latest.pk:
            raise Conflict(
                gettext("A newer version of {name} was saved while its samples were checked: try again.").format(
                    name=name
                )
            )
        return store_samples(actor=actor, template=template, text=text, at=log.now())


def _is_of_samples(problem: Problem) -> bool:
    """Whether the problem is in the samples; the document is already saved."""
    return problem.sample is not None or problem.code == SAMPLES_CODE


def store_samples(*, actor: Actor, template: Template, text: str, at: datetime) -> SampleSet:
    """Store checked samples; for services, inside their transaction. Equal samples make no new set."""
    current = template.current_samples()
    digest = compute_digest(text)
    if current is not None and current.digest == digest:
        return current
    stored = SampleSet.objects.create(
        template=template,
        number=current.number + 1 if current else 1,
        digest=digest,
        text=text,
        author=actor.person,
        key=actor.key,
        created_at=at,
    )
    event = SamplesSaved(template=template.name, number=stored.number, digest=digest)
    log.append(actor, event, namespace=template.namespace, at=at, subject=(template,))
    return stored
