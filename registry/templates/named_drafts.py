"""Further drafts of a template: starting one from a version or from another draft, and naming one."""

from dataclasses import dataclass

from django.db import transaction
from django.db.models import Max, QuerySet
from django.utils.translation import gettext

from registry.accounts.actor import Actor
from registry.core import names
from registry.core.errors import Invalid, NotFound
from registry.namespaces import permissions
from registry.namespaces.verbs import Verb
from registry.templates import drafts, version_queries
from registry.templates import queries as template_queries
from registry.templates.models import Draft

__all__ = [
    "DRAFT",
    "build_draft_ref",
    "get_draft",
    "read_draft_ref",
    "rename_draft",
    "start_draft_of_text",
    "start_named_draft",
]

DRAFT = "draft"


@dataclass(frozen=True)
class _Source:
    """What a draft starts with. base: number of the version that it is based on."""

    document: str
    samples: str
    base: int | None
    message: str = ""


def build_draft_ref(name: str) -> str:
    """The reference to one of a person's drafts: `draft` for the first one, `draft:Shorter` for one with a name."""
    return f"{DRAFT}:{name}" if name else DRAFT


def read_draft_ref(ref: str) -> str | None:
    """The name of the draft that a reference means, empty for the first one; None if it means a version."""
    word, colon, name = ref.partition(":")
    if word != DRAFT or (colon and not name):
        return None
    return name


def get_draft(actor: Actor, name: str, draft_name: str) -> Draft:
    """One of the actor's drafts of a template, or NotFound."""
    draft = template_queries.find_draft(actor, name, draft_name)
    if draft is None:
        raise _refuse_unknown(name, draft_name)
    return draft


def start_named_draft(*, actor: Actor, name: str, draft_name: str, source: str) -> Draft:
    """Start another draft of a template, in addition to the actor's existing ones.

    source: reference of a version, or of one of the actor's drafts as `build_draft_ref` writes it. A draft from a
    version is based on the newest version. Raises Invalid by field if the name is invalid or taken, Conflict at
    `drafts.MAX_DRAFTS`, NotFound if there is no such version or draft, Gone if the version was redacted.
    """
    names.check_template(name)
    space, _, path = name.partition("/")
    permissions.find_namespace(actor, Verb.SAVE, space, path)
    draft_name = _require_name(draft_name)
    return _start_draft(actor, name, draft_name, _find_source(actor, name, source))


def start_draft_of_text(
    *, actor: Actor, name: str, draft_name: str, document: str, base: int, message: str = ""
) -> Draft:
    """Start another draft of a template with a text that is not one of its versions, based on the version `base`.

    Raises as `start_named_draft`.
    """
    names.check_template(name)
    space, _, path = name.partition("/")
    permissions.find_namespace(actor, Verb.SAVE, space, path)
    return _start_draft(actor, name, _require_name(draft_name), _Source(document, "", base, message))


def _start_draft(actor: Actor, name: str, draft_name: str, source: _Source) -> Draft:
    space, _, path = name.partition("/")
    with transaction.atomic():
        rows = _lock_drafts(actor, space, path)
        drafts.require_new_name(draft_name, rows.filter(discarded_at=None))
        started = drafts.save_draft(
            actor=actor,
            namespace=space,
            path=path,
            name=draft_name,
            document=source.document,
            samples=source.samples,
            base=source.base,
            message=source.message,
        )
        _advance_revision(started)
    return started


def rename_draft(*, actor: Actor, name: str, draft_name: str, new_name: str) -> Draft:
    """Rename one of the actor's drafts of a template; `draft_name` is empty for the first one.

    A tab that still uses the old name gets NotFound. Raises as `start_named_draft`.
    """
    space, _, path = name.partition("/")
    permissions.find_namespace(actor, Verb.SAVE, space, path)
    new_name = _require_name(new_name)
    with transaction.atomic():
        rows = _lock_drafts(actor, space, path).filter(discarded_at=None)
        draft = rows.filter(name=draft_name).first()
        if draft is None:
            raise _refuse_unknown(name, draft_name)
        drafts.require_free_name(new_name, rows.exclude(pk=draft.pk))
        draft.name = new_name
        draft.save(update_fields=["name"])
        _advance_revision(draft)
    return draft


def _require_name(draft_name: str) -> str:
    draft_name = names.check_draft_name(draft_name)
    if not draft_name:
        raise Invalid(fields={"draft": gettext("give it a name.")})
    return draft_name


def _lock_drafts(actor: Actor, space: str, path: str) -> QuerySet[Draft]:
    rows = Draft.everything.filter(person=actor.person, namespace__name=space, path=path)
    list(rows.select_for_update().values_list("pk"))
    return rows


def _find_source(actor: Actor, name: str, source: str) -> _Source:
    draft_name = read_draft_ref(source)
    if draft_name is None:
        version = version_queries.resolve_version(actor, name, source, verb=Verb.SAVE)
        newest = version.template.latest
        return _Source(version.document, "", newest.number if newest else version.number)
    draft = get_draft(actor, name, draft_name)
    return _Source(draft.document, draft.samples, draft.base.number if draft.base else None, draft.message)


def _advance_revision(draft: Draft) -> None:
    """Give the draft a revision that none of this template's drafts had, so that a tab showing another draft under this
    name can't mistake this one for its own.
    """
    rows = Draft.everything.filter(person=draft.person, namespace=draft.namespace, path=draft.path)
    draft.revision = (rows.aggregate(last=Max("revision"))["last"] or 0) + 1
    draft.save(update_fields=["revision"])


def _refuse_unknown(name: str, draft_name: str) -> NotFound:
    if draft_name:
        shortened = draft_name[: names.MAX_DRAFT_NAME_LENGTH]
        return NotFound(gettext("You have no draft {draft} of {name}.").format(draft=shortened, name=name))
    return NotFound(gettext("You have no draft of {name}.").format(name=name))
