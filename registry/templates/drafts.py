"""Drafts: work in progress, kept on the server but not in the journal."""

from collections.abc import Mapping
from datetime import timedelta
from typing import Any

from django.db import IntegrityError, transaction
from django.db.models import QuerySet
from django.utils.translation import gettext

from registry.accounts.actor import Actor
from registry.core import names
from registry.core.errors import Conflict, Invalid, NotFound
from registry.core.input_checks import DOCUMENT_BYTES, SAMPLES_BYTES, check_text
from registry.journal import log
from registry.namespaces import path_permissions
from registry.namespaces.verbs import Verb
from registry.templates.models import Draft, Version

__all__ = [
    "KEPT",
    "MAX_DRAFTS",
    "NewerDraft",
    "delete_old_drafts",
    "discard_draft",
    "forget_draft",
    "require_free_name",
    "require_new_name",
    "restore_draft",
    "save_draft",
    "set_text_aside",
]

KEPT = timedelta(days=30)
"""How long a discarded draft can be restored."""
MAX_DRAFTS = 20
"""How many drafts a person can have of one template."""


class NewerDraft(Conflict):
    """The draft was changed elsewhere since the caller read it; `draft` is None if it is gone."""

    def __init__(self, draft: Draft | None) -> None:
        super().__init__(gettext("This draft was changed in another tab or on another device."))
        self.draft = draft


def save_draft(  # noqa: PLR0913  # what an editor has
    *,
    actor: Actor,
    namespace: str,
    path: str,
    document: str,
    samples: str = "",
    base: int | None = None,
    message: str = "",
    revision: int | None = None,
    name: str = "",
) -> Draft:
    """Store the actor's work on a template in place of what was stored before.

    path: inside the namespace, empty while the new template has no name. document and samples: text as typed, which
    need not be well-formed yet. base: number of the version that the work began from. revision: of the draft that the
    caller read last, 0 if there was none; None stores the work unconditionally. name: of the draft, empty for the first
    one; a new name makes another draft. Storing the same work again changes nothing, so that a request can be repeated.
    Raises NewerDraft if the draft has another revision now and another text, Invalid and Conflict as `require_new_name`
    does.
    """
    name = names.check_draft_name(name)
    if path:
        names.check_template(f"{namespace}/{path}")
    check_text(
        "document", document, 2 * DOCUMENT_BYTES, may_hold_secrets=True
    )  # a draft isn't in the journal; saving it as a version is refused
    check_text("samples", samples, 2 * SAMPLES_BYTES, may_hold_secrets=True)
    check_text("message", message, may_hold_secrets=True)
    space = path_permissions.find_namespace_for_draft(actor, Verb.SAVE, namespace, path)
    facts = {
        "document": document,
        "samples": samples,
        "base": _find_base(f"{namespace}/{path}", base),
        "message": message,
        "updated_at": log.now(),
    }
    place = {"person": actor.person, "namespace": space, "path": path}
    try:
        with transaction.atomic():
            return _store_draft(place, name, facts, revision)
    except IntegrityError as error:  # another tab has just made the first draft
        raise NewerDraft(Draft.objects.filter(**place, name=name).first()) from error


def _store_draft(place: Mapping[str, Any], name: str, facts: Mapping[str, object], revision: int | None) -> Draft:
    """Create the draft or overwrite it, in the caller's transaction. place: its person, namespace and path."""
    rows = Draft.objects.select_for_update().filter(**place)
    draft = rows.filter(name=name).first()
    if draft is None:
        _require_revision(None, revision, facts)
        if name:
            require_new_name(name, rows)
        return Draft.objects.create(**place, name=name, **facts)
    if all(getattr(draft, column) == facts[column] for column in ("document", "samples", "message", "base")):
        return draft
    _require_revision(draft, revision, facts)
    for column, value in facts.items():
        setattr(draft, column, value)
    draft.revision += 1
    draft.save()
    return draft


def _require_revision(draft: Draft | None, revision: int | None, facts: Mapping[str, object]) -> None:
    """Refuse to overwrite work that the caller has not seen; writing the same work again isn't a conflict."""
    if revision is None or revision == (draft.revision if draft else 0):
        return
    if draft is not None and all(getattr(draft, name) == facts[name] for name in ("document", "samples", "message")):
        return
    raise NewerDraft(draft)


def require_free_name(name: str, others: QuerySet[Draft]) -> None:
    """Raise Invalid if another of the person's drafts of the template has this name, ignoring case."""
    if name.casefold() in (other_name.casefold() for other_name in others.values_list("name", flat=True)):
        raise Invalid(fields={"draft": gettext("There is already a draft called {name}.").format(name=name)})


def require_new_name(name: str, others: QuerySet[Draft]) -> None:
    """Raise Invalid as `require_free_name` does, Conflict if there are MAX_DRAFTS drafts already."""
    require_free_name(name, others)
    if others.count() >= MAX_DRAFTS:
        words = gettext("You have {most} drafts of this template, which is the most: save or discard one first.")
        raise Conflict(words.format(most=MAX_DRAFTS))


def discard_draft(*, actor: Actor, namespace: str, path: str, name: str = "") -> None:
    """Discard the actor's draft, if there is one; it can be restored for a while."""
    name = names.check_draft_name(name)
    rows = Draft.objects.filter(person=actor.person, namespace__name=namespace, path=path, name=name)
    Draft.put_aside(rows, log.now())


def set_text_aside(draft: Draft, **facts: object) -> None:
    """Keep the text of a draft as a discarded one, which can be restored for a while; the draft stays as it is.

    facts: values that replace the draft's own: document, samples, message or base.
    """
    restored = {name: getattr(draft, name) for name in ("document", "samples", "message", "base")} | facts
    place = {name: getattr(draft, name) for name in ("person", "namespace", "path", "name", "revision")}
    Draft.everything.create(**place, **restored, updated_at=log.now(), discarded_at=log.now())


def forget_draft(draft: Draft) -> None:
    """Delete a draft that is the same as what is saved: there is nothing to restore."""
    draft.delete()


def restore_draft(*, actor: Actor, namespace: str, path: str, name: str = "") -> Draft:
    """Bring back the draft of this name that the actor discarded last. One begun since is discarded instead.

    Raises NotFound if there is nothing to bring back.
    """
    name = names.check_draft_name(name)
    space = path_permissions.find_namespace_for_draft(actor, Verb.SAVE, namespace, path)
    with transaction.atomic():
        drafts = Draft.everything.select_for_update().filter(person=actor.person, namespace=space, path=path)
        rows = drafts.filter(name=name)
        draft = rows.filter(discarded_at__gt=log.now() - KEPT).order_by("-discarded_at", "-pk").first()
        if draft is None:
            raise NotFound(gettext("There is no discarded draft to restore."))
        current = rows.filter(discarded_at=None).first()
        if name and current is None:
            require_new_name(name, drafts.filter(discarded_at=None))
        Draft.put_aside(rows.filter(discarded_at=None), log.now())
        draft.discarded_at = None
        # A tab that shows either draft must not mistake this one for its own.
        draft.revision = max(draft.revision, current.revision if current else 0) + 1
        draft.save(update_fields=["discarded_at", "revision"])
    return draft


def delete_old_drafts() -> int:
    """Delete drafts that were discarded too long ago to be restored. Return the number of rows deleted."""
    return Draft.everything.filter(discarded_at__lte=log.now() - KEPT).delete()[0]


def _find_base(name: str, number: int | None) -> Version | None:
    if number is None:
        return None
    version = Version.objects.filter(template__name=name, number=number).first()
    if version is None:
        raise NotFound(gettext("{name} has no version {number}.").format(name=name, number=number))
    return version
