"""Restoring an older version: its text as the newest version, or as a draft based on the newest."""

from dataclasses import dataclass

from django.db import transaction
from django.utils.translation import gettext

from registry.accounts.actor import Actor
from registry.core import names
from registry.core.errors import Conflict, NotFound
from registry.namespaces.verbs import Verb
from registry.templates import drafts, version_queries
from registry.templates import queries as template_queries
from registry.templates.models import Draft, Version
from registry.templates.save import SavedVersion, save_version

__all__ = ["StartedDraft", "restore_version", "start_draft"]


@dataclass(frozen=True)
class StartedDraft:
    """A draft with the text of a version. `replaced`: the draft that was discarded for it, or None."""

    draft: Draft
    version: Version
    replaced: Draft | None = None


def restore_version(*, actor: Actor, name: str, ref: str, base: str | None, message: str = "") -> SavedVersion:
    """Save the text of an older version as the newest version; the samples stay as they are.

    base: digest of the newest version that the caller has seen. message: "Restore v3" if empty. The actor's draft
    stays. Raises PreconditionRequired without base, Stale if the newest version is another one by now, what
    `save_version` raises, Gone if the text was redacted, and Conflict if the newest version already has the same text.
    """
    version = version_queries.resolve_version(actor, name, ref, verb=Verb.SAVE)
    saved = save_version(
        actor=actor,
        name=name,
        document=version.document,
        message=message.strip() or gettext("Restore v{number}").format(number=version.number),
        base=base,
        ends_draft=False,
    )
    if not saved.created:
        raise Conflict(
            gettext("v{number} is the newest version of {name} and says the same already.").format(
                number=saved.version.number, name=name
            )
        )
    return saved


def start_draft(*, actor: Actor, name: str, ref: str, draft_name: str = "") -> StartedDraft:
    """Give the actor a draft with the text of a version, based on the newest version.

    An existing draft with another text is discarded, so that it can be restored; one with the same text stays as it is.
    draft_name: which of the actor's drafts, empty for the first one. Raises Gone if the text was redacted.
    """
    version = version_queries.resolve_version(actor, name, ref, verb=Verb.SAVE)
    template = version.template
    draft_name = names.check_draft_name(draft_name)
    with transaction.atomic():
        template_queries.lock_template(name)
        template.refresh_from_db(fields=["latest"])
        if template.latest is None:
            raise NotFound(gettext("{name} has no version yet.").format(name=name))
        rows = Draft.objects.filter(person=actor.person, namespace=template.namespace, path=template.path)
        replaced = rows.filter(name=draft_name).first()
        if replaced is not None and replaced.document == version.document and replaced.base == template.latest:
            return StartedDraft(replaced, version)
        space, path = template.namespace.name, template.path
        drafts.discard_draft(actor=actor, namespace=space, path=path, name=draft_name)
        draft = drafts.save_draft(
            actor=actor,
            namespace=space,
            path=path,
            document=version.document,
            base=template.latest.number,
            name=draft_name,
        )
        if replaced is not None:
            # A tab that still shows the old draft must not mistake this one for its own.
            draft.revision = replaced.revision + 1
            draft.save(update_fields=["revision"])
    return StartedDraft(draft, version, replaced)
