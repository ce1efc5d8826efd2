"""Redaction of a version: its text is permanently removed wherever this registry stores it.

Removed are the version's bundle, settings and warnings, the details of its verdicts, the lines that threads and unsent
remarks quote from it, its cached renderings, the prompts that runs made of it, model replies that repeat it, playground
runs with it, texts that models proposed for it, drafts begun from it or repeating it, and, by rewriting the mirror,
every commit that contained it. Its number, digest, author, message and history stay, since the journal has texts by
digest only, and so do texts that people wrote themselves. `registry.redaction.text_columns` lists every column with
what happens to it, and `repeated_texts` finds what else repeats the text.
"""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from django.db import transaction
from django.db.models import Q, QuerySet
from django.utils.translation import gettext, ngettext

from promptuary.renderer.document.parser import parse_document
from promptuary.renderer.syntax import sequence_diff
from registry.accounts.actor import Actor
from registry.accounts.models import User
from registry.changes import locking
from registry.changes.models import ChangeRequest, Verdict
from registry.changes.thread_models import Comment, Remark, Thread
from registry.core.errors import Conflict, Invalid, NotAllowed, NotFound
from registry.core.input_checks import check_text
from registry.core.names import LATEST
from registry.idempotency import answers
from registry.journal import immutable_tables, log
from registry.journal.event import compute_digest
from registry.journal.models import Event
from registry.namespaces import permissions
from registry.namespaces.verbs import Verb
from registry.notifications import services as notification_services
from registry.redaction import improvement_texts, playground_texts, repeated_texts, run_texts
from registry.templates import queries as template_queries
from registry.templates import search_engine
from registry.templates.events import VersionRedacted, VersionSaved
from registry.templates.former_names import find_current_names
from registry.templates.label_models import Label
from registry.templates.models import Draft, Redaction, Rendering, Version
from registry.templates.search_index import update_search_index
from registry.usage.models import Report

__all__ = ["RedactionPlan", "plan_redaction", "redact_version", "write_tombstone"]


@dataclass(frozen=True)
class RedactionPlan:
    """What a redaction removes, and what it leaves to people.

    `versions` are removed, the requested one first. `holders` contain the same text, as a copy or as a fragment, and
    are removed too with `everywhere`; `hidden` counts those in namespaces that the actor may not read. `uses` says what
    serves or proposes one of them now. `drafts` belong to these people; `comments` stay, and may repeat the text.
    `rows` and `replies` count texts kept by runs, `playground_columns` those of the playground, `improvements`
    proposals of models. `repeated` names what stays although it repeats the text.
    """

    versions: tuple[Version, ...]
    holders: tuple[Version, ...]
    hidden: int
    uses: tuple[str, ...]
    verdicts: int
    threads: int
    renderings: int
    drafts: tuple[str, ...]
    comments: int
    rows: int
    replies: int
    playground_columns: int
    improvements: int
    repeated: tuple[str, ...]
    passages: tuple[str, ...] = field(repr=False)


def plan_redaction(*, actor: Actor, name: str, version: int, everywhere: bool = False) -> RedactionPlan:
    """What `redact_version` would do, without doing it; admins only."""
    template_queries.find_template(actor, Verb.MANAGE, name, act=gettext("redact versions"))
    return _plan(actor, _find(name, version), everywhere=everywhere)


def redact_version(  # what an admin decides
    *,
    actor: Actor,
    name: str,
    version: int,
    reason: str,
    everywhere: bool = False,
    force: bool = False,
    remotes: Sequence[str] = (),
) -> RedactionPlan:
    """Remove the text of a version, all or nothing; admins only. Returns the plan that was carried out.

    Raises Conflict if other versions contain the same text (unless `everywhere`: then all are removed, and each
    requires the right to it), and if a label serves one of them or an open change request proposes it (unless `force`d:
    fetches of it then return 410). remotes: URLs of repositories that keep the text until their owners remove it; the
    people are notified. Event body, one per version: {"template", "version", "digest", "reason"}.
    """
    if not check_text("reason", reason).strip():
        raise Invalid(fields={"reason": gettext("say why: it is what everybody who asks for the text will read.")})
    with transaction.atomic():
        template_queries.find_template(actor, Verb.MANAGE, name, lock=True, act=gettext("redact versions"))
        first = _find(name, version)
        if everywhere:
            for other_name in sorted({row.template.name for row in _list_holders(first)} - {name}):
                template_queries.lock_template(other_name)
        log.lock()
        template_queries.find_template(
            actor, Verb.MANAGE, name, act=gettext("redact versions")
        )  # check the right again, now under the lock
        plan = _plan(actor, _find(name, version), everywhere=everywhere)
        _require_alone(plan)
        _require_rights(actor, plan.versions)
        permissions.require_proof(actor)
        if plan.uses and not force:
            raise Conflict(
                gettext("{names}. Move on first, or force it: then it answers 410 from this moment.").format(
                    names="; ".join(plan.uses)
                ),
                uses=list(plan.uses),
            )
        notification_services.notify_of_redaction(actor, plan.versions, reason.strip(), remotes)
        for row in plan.versions:
            _take_away(actor, row, reason.strip(), plan.passages)
        repeated_texts.redact_copies(plan.passages)
        answers.forget_answers()
        search_engine.optimize_index()  # the index keeps deleted words until its segments are merged
        for template in {row.template_id: row.template for row in plan.versions}.values():
            locking.recompute_states(template.namespace, template)
    sequence_diff.clear_cache()
    return plan


def _find(name: str, number: int) -> Version:
    rows = Version.objects.select_related("template__namespace", "template__latest", "author")
    version = rows.filter(template__name=name, number=number).first()
    if version is None:
        raise NotFound(gettext("{name} has no version {number}.").format(name=name, number=number))
    version.require_text()
    return version


def _plan(actor: Actor, version: Version, *, everywhere: bool) -> RedactionPlan:
    holders = _list_holders(version)
    visible = tuple(row for row in holders if permissions.is_allowed(actor, Verb.READ, row.template.namespace))
    going = (version, *holders) if everywhere else (version,)
    threads = Thread.objects.filter(version__in=going)
    passages = repeated_texts.find_unique_passages(going)
    return RedactionPlan(
        versions=going,
        holders=visible,
        hidden=len(holders) - len(visible),
        uses=tuple(_list_uses(going)),
        verdicts=Verdict.objects.filter(version__in=going).count(),
        threads=threads.count(),
        renderings=Rendering.objects.filter(digest__in=[row.digest for row in going]).count(),
        drafts=tuple(sorted(set(_select_drafts(going, passages).values_list("person__username", flat=True)))),
        comments=Comment.objects.filter(thread__in=threads).count(),
        rows=run_texts.list_repeating_rows(going, passages).count(),
        replies=run_texts.count_replies(going, passages),
        playground_columns=playground_texts.count_playground_columns(going, passages),
        improvements=improvement_texts.count_improvements(going, passages),
        repeated=tuple(repeated_texts.list_remaining_copies(passages)),
        passages=passages,
    )


def _list_holders(version: Version) -> list[Version]:
    """Other versions that contain the same text, whole or as a fragment, found by the digests in the journal."""
    digest = compute_digest(version.document)
    events = Event.objects.filter(kind=VersionSaved.kind, text__contains=digest).order_by("number")
    holders = []
    for text in events.values_list("text", flat=True):
        body = json.loads(text)["body"]
        if digest in (body["document"], *body["fragments"].values()):
            holders.append((body["template"], body["number"]))
    current = find_current_names({name for name, _ in holders})
    rows = [
        Version.objects.select_related("template__namespace", "template__latest", "author").get(
            template__name=current.get(name, name), number=number
        )
        for name, number in holders
    ]
    return [row for row in rows if row.pk != version.pk and not row.is_redacted]


def _list_uses(versions: Iterable[Version]) -> Iterable[str]:
    for version in versions:
        labels = list(Label.objects.filter(version=version).order_by("name").values_list("name", flat=True))
        if version.template.latest_id == version.pk:
            labels.append(LATEST)
        if labels:
            yield ngettext(
                "{labels} of {name} points to version {number}",
                "{labels} of {name} point to version {number}",
                len(labels),
            ).format(labels=gettext(" and ").join(labels), name=version.template.name, number=version.number)
        pending = ChangeRequest.objects.filter(version=version, state__in=(ChangeRequest.OPEN, ChangeRequest.APPROVED))
        for number in pending.order_by("number").values_list("number", flat=True):
            yield gettext("change {number} proposes version {version_number} of {name}").format(
                number=number, version_number=version.number, name=version.template.name
            )


def _select_drafts(versions: Sequence[Version], passages: Sequence[str]) -> "QuerySet[Draft]":
    """Drafts begun from a version, with its whole text or with a passage of it; including discarded ones, which could
    be restored.
    """
    copies = Q(base__in=versions) | Q(document__in={row.document for row in versions})
    repeating = [run_texts.contains_passage(column, passages) for column in ("document", "samples", "message")]
    return Draft.everything.filter(copies | repeating[0] | repeating[1] | repeating[2])


def _require_alone(plan: RedactionPlan) -> None:
    other_holders = [row for row in plan.holders if row not in plan.versions]
    if not other_holders and (plan.hidden == 0 or len(plan.versions) > 1):
        return
    names = [f"{row.template.name}@{row.number}" for row in other_holders]
    if plan.hidden:
        names.append(gettext("{hidden} in namespaces that you can't read").format(hidden=plan.hidden))
    raise Conflict(
        gettext("The same text is in {names}: redact everywhere, or those first.").format(names=", ".join(names)),
        holders=[f"{row.template.name}@{row.number}" for row in other_holders],
    )


def _require_rights(actor: Actor, versions: Iterable[Version]) -> None:
    for namespace in {row.template.namespace for row in versions}:
        try:
            permissions.require_verb(actor, Verb.MANAGE, namespace)
        except NotFound as error:
            raise NotAllowed(
                gettext("The same text is in a namespace that you can't read: the operator can redact it everywhere.")
            ) from error


def _take_away(actor: Actor, version: Version, reason: str, passages: Sequence[str]) -> None:
    template, at = version.template, log.now()
    _select_drafts([version], passages).delete()
    run_texts.remove_run_texts([version], passages, at=at)
    playground_texts.remove_playground_texts([version], passages)
    improvement_texts.remove_improvement_texts([version], passages, at=at)
    write_tombstone(version, reason=reason, person=actor.person, at=at)
    event = VersionRedacted(template=template.name, version=version.number, digest=version.digest, reason=reason)
    log.append(actor, event, namespace=template.namespace, at=at, subject=version)


def write_tombstone(version: Version, *, reason: str, person: User, at: datetime) -> None:
    """Replace the text with the tombstone in every row; for this service and for replaying its events."""
    template = version.template
    Redaction.objects.create(version=version, reason=reason, person=person, created_at=at)
    Version.objects.filter(pk=version.pk).update(**immutable_tables.TOMBSTONES["registry_version"].texts)
    Verdict.objects.filter(version=version).update(**immutable_tables.TOMBSTONES["registry_verdict"].texts)
    Thread.objects.filter(version=version).update(quote="")
    Remark.objects.filter(version=version).update(quote="")
    Report.objects.filter(version=version).update(inputs="{}", failures="{}")  # names from the document
    Rendering.objects.filter(digest=version.digest).delete()
    if template.latest_id == version.pk:
        update_search_index(template, Version.objects.get(pk=version.pk), parse_document(""))
