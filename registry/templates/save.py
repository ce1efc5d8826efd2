"""Saving a version of a template."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from django.db import IntegrityError, transaction
from django.db.models import Q
from django.utils.translation import gettext

from promptuary.renderer.problems import Problem
from registry.accounts.actor import Actor
from registry.core import names, tracing
from registry.core.errors import Busy, Conflict, Invalid, PreconditionRequired, Stale
from registry.core.input_checks import check_text
from registry.journal import log
from registry.journal.event import compute_digest, format_canonical_json
from registry.namespaces import key_rights, permissions
from registry.namespaces.models import Namespace
from registry.namespaces.verbs import Verb
from registry.templates import queries as template_queries
from registry.templates import samples as sampling
from registry.templates import search_index, version_queries
from registry.templates.contribution_models import Contribution
from registry.templates.document_check import CheckedDocument, Samples, check_document, write_samples
from registry.templates.events import VersionSaved
from registry.templates.former_names import FormerName
from registry.templates.models import Draft, Redaction, Template, Version

__all__ = ["SavedVersion", "save_version"]

_TRIES = 5


@dataclass(frozen=True)
class SavedVersion:
    """The result of a save. `created`: whether it made a version; it did not if nothing changed."""

    template: Template
    version: Version
    created: bool
    problems: list[Problem]


@dataclass(frozen=True)
class _SaveRequest:
    """What `save_version` is asked for beside the document. samples: canonical JSON, None keeps the stored ones."""

    name: str
    message: str
    samples: str | None
    base: str | None
    parallel: bool
    copied_from: str
    even_if_equal: bool
    contributions: Sequence[Contribution]
    ends_draft: bool
    draft_name: str
    draft_revision: int | None


def save_version(  # noqa: PLR0913  # what a person hands in when saving
    *,
    actor: Actor,
    name: str,
    document: str,
    message: str,
    samples: Samples | None = None,
    base: str | None = None,
    parallel: bool = False,
    copied_from: str | None = None,
    even_if_equal: bool = False,
    contributions: Sequence[Contribution] = (),
    ends_draft: bool = True,
    draft_name: str = "",
    draft_revision: int | None = None,
) -> SavedVersion:
    """Save the next version of a template, or its first; nothing is stored unless everything is valid.

    samples: None keeps the stored ones, which then must fit the document; {} clears them. base: digest of the version
    this is based on, required once the template exists: PreconditionRequired without, Stale if it is not the latest
    unless `parallel`. A bundle equal to the latest makes no version, unless `even_if_equal`: a merge must record what
    it merged even if the text stays the same. copied_from: name@ref of the origin of a new template. contributions:
    unsaved rows, without their version, of the applied suggestions and of the version merged with its base. ends_draft:
    whether the text comes from the actor's draft, which then ends. draft_name: which of the actor's drafts, empty for
    the first one. draft_revision: of the draft that the text is based on; a draft with another text that the caller did
    not read is discarded, so that it can be restored. Invalid carries all problems.
    """
    namespace, path = names.check_template(name)
    permissions.find_namespace(actor, Verb.SAVE, namespace, path)
    check_text("message", message)
    request = _SaveRequest(
        name=name,
        message=message.strip(),
        samples=None if samples is None else write_samples(samples),
        base=base,
        parallel=parallel,
        copied_from=_find_origin(actor, copied_from) if copied_from else "",
        even_if_equal=even_if_equal,
        contributions=contributions,
        ends_draft=ends_draft,
        draft_name=draft_name,
        draft_revision=draft_revision,
    )
    with tracing.span("save", name) as current:
        for _ in range(_TRIES):  # repeat if the samples changed while the document was checked against them
            examined, visible_problems, checked_against = _examine(actor, name, document, samples)
            if saved := _store(actor, namespace, request, examined, checked_against):
                tracing.record_version(current, saved.version.number, saved.version.digest)
                return replace(saved, problems=visible_problems)
    raise Busy(gettext("The samples of {name} keep changing: try again.").format(name=name))


def _examine(
    actor: Actor, name: str, document: str, samples: Samples | None
) -> tuple[CheckedDocument, list[Problem], int | None]:
    """Check the document with the samples, or with the stored ones if None.

    Returns it with the problems that the actor may see, and the number of the stored samples, None without any. Raises
    Invalid with the problems if one is an error.
    """
    template = Template.objects.filter(name=name).first()
    stored = template.current_samples() if template else None
    stored_samples = stored.samples if stored else None
    examined = check_document(actor, document, stored_samples if samples is None else samples, name=name)
    visible_problems = examined.problems if samples is not None else _filter_problems(actor, examined.problems)
    if not examined.is_sound:
        raise Invalid(problems=visible_problems)
    return examined, visible_problems, stored.number if stored else None


def _filter_problems(actor: Actor, problems: list[Problem]) -> list[Problem]:
    """The problems as the actor may see them: a narrow key gets none about the template's stored samples."""
    if actor.key is None or not key_rights.is_narrow(actor.key):
        return problems
    own_problems = [problem for problem in problems if problem.sample is None]
    hidden = [problem for problem in problems if problem.sample is not None]
    sentence = gettext("a sample kept beside the template does not fit; a person who signs in sees which")
    return own_problems + [
        Problem(code, "error", sentence) for code in sorted({one.code for one in hidden if one.severity == "error"})
    ]


def _store(
    actor: Actor, space: str, request: _SaveRequest, examined: CheckedDocument, checked_against: int | None
) -> SavedVersion | None:
    """Write what was asked for; None if the samples changed since the document was checked against them."""
    at = log.now()
    with transaction.atomic():
        namespace = permissions.find_namespace(actor, Verb.SAVE, space, request.name.partition("/")[2])
        template, is_new = _find_or_make(actor, namespace, request, at)
        stored = template.current_samples()
        if (stored.number if stored else None) != checked_against:
            transaction.set_rollback(True)
            return None
        latest = template.latest
        if latest is not None and latest.digest == examined.digest and not request.even_if_equal:
            version, created = latest, False
        else:
            base = None if is_new else _find_base(template, request)
            version, created = _add_version(actor, template, request, examined, base, at), True
            _add_contributions(version, request)
            search_index.update_search_index(template, version, examined.document)
        if request.ends_draft and actor.key is None:
            Draft.objects.end(actor.person, version, request.draft_name, request.draft_revision, at)
        if created:
            _append(actor, template, version, request, examined, at)
            _require_unredacted(template, examined)
        if request.samples is not None:
            sampling.store_samples(actor=actor, template=template, text=request.samples, at=at)
    return SavedVersion(template, version, created, examined.problems)


def _find_or_make(actor: Actor, namespace: Namespace, request: _SaveRequest, at: datetime) -> tuple[Template, bool]:
    template = _lock_template(request.name)
    if template is None:
        _require_no_former_name(request.name)
        if request.base is not None:
            sentence = gettext("There is no template {name}, so it has no version {base}.")
            raise Stale(sentence.format(name=request.name, base=request.base))
        fresh = Template(namespace=namespace, name=request.name, copied_from=request.copied_from)
        fresh.created_by, fresh.created_at, fresh.updated_at = actor.person, at, at
        try:
            with transaction.atomic():
                fresh.save(force_insert=True)
            return fresh, True
        except IntegrityError:  # another first save committed before
            template = _lock_template(request.name)
    if template is None:
        raise Busy(gettext("{name} was made at this moment: try again.").format(name=request.name))
    if template.archived_at is not None:
        raise Conflict(gettext("{name} is archived: an admin can restore it.").format(name=request.name))
    template.namespace = namespace
    return template, False


def _require_no_former_name(name: str) -> None:
    """Raise Conflict if a template had this name, which redirects to it forever."""
    former = FormerName.objects.filter(name=name).select_related("template").first()
    if former is not None:
        raise template_queries.build_renamed_conflict(name, former.template.name)


def _require_unredacted(template: Template, examined: CheckedDocument) -> None:
    """Raise Gone if this would bring back a redacted text, or a fragment redacted during the check.

    Called after the event took the journal's lock, so that no redaction can happen before the commit.
    """
    query = Q(version__template=template, version__digest=examined.digest)
    for ref in json.loads(examined.bundle)["fragments"]:
        name, _, at = ref.partition("@")
        pinned = Q(version__number=int(at)) if at.isdecimal() else Q(version__digest=at)
        query |= (Q(version__template__name=name) | Q(version__template__former_names__name=name)) & pinned
    redaction = Redaction.objects.filter(query).select_related("version__template", "person").first()
    if redaction is not None:
        redaction.version.require_text()


def _lock_template(name: str) -> Template | None:
    if not template_queries.lock_template(name):
        return None
    return Template.objects.select_related("latest").filter(name=name).first()


def _find_base(template: Template, request: _SaveRequest) -> Version:
    latest = template.latest
    number, digest = (latest.number, latest.digest) if latest else (0, "")
    if request.base is None:
        sentence = gettext("{name} exists: say by its digest which version this was made from.")
        raise PreconditionRequired(sentence.format(name=template.name), latest=number, digest=digest)
    if latest is not None and latest.digest == request.base:
        return latest
    base = template.versions.filter(digest=request.base).order_by("-number").first()
    if base is None or not request.parallel:
        if base:
            sentence = gettext("This was made from version {base}; the latest is version {number}.")
        else:
            sentence = gettext("This was made from a version that does not exist here; the latest is version {number}.")
        raise Stale(sentence.format(base=base.number if base else None, number=number), latest=number, digest=digest)
    return base


def _add_version(
    actor: Actor,
    template: Template,
    request: _SaveRequest,
    examined: CheckedDocument,
    base: Version | None,
    at: datetime,
) -> Version:
    document = examined.document
    return Version.objects.create(
        template=template,
        number=template.latest.number + 1 if template.latest else 1,
        digest=examined.digest,
        bundle=examined.bundle,
        settings=format_canonical_json(document.settings if document else {}),
        problems=format_canonical_json([problem.to_dict() for problem in examined.problems]),
        base=base,
        author=actor.person,
        key=actor.key,
        message=request.message,
        created_at=at,
    )


def _add_contributions(version: Version, request: _SaveRequest) -> None:
    for contribution in request.contributions:
        contribution.version = version
    if request.contributions:
        Contribution.objects.bulk_create(request.contributions)


def _append(
    actor: Actor, template: Template, version: Version, request: _SaveRequest, examined: CheckedDocument, at: datetime
) -> None:
    bundle = json.loads(examined.bundle)
    profile = bundle["profile"]
    sources = [row.source for row in request.contributions if row.source is not None]
    comments = [row.comment for row in request.contributions if row.comment is not None]
    event = VersionSaved(
        template=template.name,
        number=version.number,
        digest=version.digest,
        document=compute_digest(bundle["document"]),
        fragments={ref: compute_digest(text) for ref, text in bundle["fragments"].items()},
        profile=compute_digest(format_canonical_json(profile)) if profile is not None else None,
        base=version.base.number if version.base else None,
        message=version.message,
        copied_from=template.copied_from if version.number == 1 else None,
        merged_from=sources[0].number if sources else None,
        suggestions=[[row.thread.change_id, row.thread.number, row.number] for row in comments] or None,
    )
    log.append(actor, event, namespace=template.namespace, at=at, subject=version)


def _find_origin(actor: Actor, address: str) -> str:
    name, ref = names.split_address(address)
    return f"{name}@{version_queries.resolve_version(actor, name, ref).number}"
