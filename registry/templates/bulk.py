"""Bulk actions on templates: all or nothing."""

from collections.abc import Callable, Collection, Mapping, Sequence

from django.db import transaction
from django.utils.translation import gettext

from promptuary.renderer.document.parser import parse_document
from promptuary.renderer.validation.fixes import apply_fix
from promptuary.renderer.validation.tag_edits import edit_tags
from registry.accounts.actor import Actor
from registry.core.errors import Conflict, Invalid, PromptuaryError, ProofRequired
from registry.core.input_checks import check_text
from registry.namespaces.verbs import Verb
from registry.templates import archive, restore
from registry.templates import queries as template_queries
from registry.templates import save as template_save

__all__ = ["LIMIT", "archive_templates", "tag_templates", "unarchive_templates", "undo_tags"]

LIMIT = 50  # templates in one action


def tag_templates(
    *, actor: Actor, names: Sequence[str], add: Collection[str], remove: Collection[str], message: str = ""
) -> list[str]:
    """Add tags to the documents of templates and remove others. Return the names of those that changed.

    Each changed template gets a new version based on its latest; the rest of its text stays. Raises Invalid with a
    sentence for each template that can't be changed, by name; nothing is saved then.
    """
    added_tags, removed_tags = _read_tags("add", add), _read_tags("remove", remove)
    if not added_tags and not removed_tags:
        raise Invalid(fields={"add": gettext("write a tag to add or to remove.")})
    if both := sorted(set(added_tags) & set(removed_tags)):
        raise Invalid(
            fields={
                "remove": gettext("these can't be added and removed at once: {names}.").format(names=", ".join(both))
            }
        )
    words = [
        f"add {', '.join(added_tags)}" if added_tags else "",
        f"remove {', '.join(removed_tags)}" if removed_tags else "",
    ]
    text = message.strip() or f"Tags: {', '.join(filter(None, words))}"
    return _do_for_each(names, lambda name: _save_tags(actor, name, added_tags, removed_tags, text))


def archive_templates(*, actor: Actor, names: Sequence[str], reason: str, force: bool = False) -> list[str]:
    """Archive each template as `archive_template` does. Return their names. Raises Invalid as `tag_templates` does."""
    check_text("reason", reason)
    return _do_for_each(names, lambda name: _archive(actor, name, reason, force))


def unarchive_templates(*, actor: Actor, names: Sequence[str]) -> list[str]:
    """Unarchive each template as `unarchive_template` does. Return their names. Raises Invalid as `tag_templates`."""
    return _do_for_each(names, lambda name: _unarchive(actor, name))


def undo_tags(*, actor: Actor, numbers: Mapping[str, int]) -> list[str]:
    """Undo `tag_templates`: save each template's earlier text as its newest version. Return their names.

    numbers: the version that `tag_templates` made, by template name. Raises Invalid as `tag_templates` does, and if
    another version was saved since.
    """
    return _do_for_each(list(numbers), lambda name: _undo_tags(actor, name, numbers[name]))


def _do_for_each(names: Sequence[str], act: Callable[[str], bool]) -> list[str]:
    """Run the action on each template. Return the names of those it changed."""
    chosen = list(dict.fromkeys(names))
    if not chosen:
        raise Invalid(fields={"template": gettext("choose at least one.")})
    if len(chosen) > LIMIT:
        raise Invalid(
            fields={
                "template": gettext("{count} are chosen; at most {most} are possible at once.").format(
                    count=len(chosen), most=LIMIT
                )
            }
        )
    changed_names, refusals = [], {}
    with transaction.atomic():
        for name in chosen:
            try:
                with transaction.atomic():
                    if act(name):
                        changed_names.append(name)
            except ProofRequired:
                raise  # required once for all of them
            except PromptuaryError as error:
                refusals[name] = _describe(error)
        if refusals:
            transaction.set_rollback(True)
    if refusals:
        raise Invalid(fields=refusals)
    return changed_names


def _save_tags(actor: Actor, name: str, added_tags: Sequence[str], removed_tags: Sequence[str], message: str) -> bool:
    template = template_queries.find_template(actor, Verb.SAVE, name)
    latest = template.latest
    if latest is None:
        return False
    document = parse_document(latest.document)
    tags = [tag for tag in dict.fromkeys([*document.tags, *added_tags]) if tag not in removed_tags]
    if tags == list(document.tags):
        return False
    fix = edit_tags(document, tags)
    if fix is None:
        raise Invalid(
            fields={"tags": gettext("its tags are written with comments or in an unusual form: edit them there.")}
        )
    text = apply_fix(document.text, fix)
    saved = template_save.save_version(
        actor=actor, name=name, document=text, message=message, base=latest.digest, ends_draft=False
    )
    return saved.created


def _archive(actor: Actor, name: str, reason: str, force: bool) -> bool:
    already = archive.find_for_archiving(actor, name).archived_at is not None
    archive.archive_template(actor=actor, name=name, reason=reason, force=force)
    return not already


def _unarchive(actor: Actor, name: str) -> bool:
    act = gettext("bring templates back")
    is_archived = template_queries.find_template(actor, Verb.MANAGE, name, act=act).archived_at is not None
    archive.unarchive_template(actor=actor, name=name)
    return is_archived


def _undo_tags(actor: Actor, name: str, number: int) -> bool:
    latest = template_queries.find_template(actor, Verb.SAVE, name).latest
    if latest is None or latest.number != number:
        raise Conflict(gettext("v{number} is not the newest version any more.").format(number=number))
    restore.restore_version(actor=actor, name=name, ref=str(number - 1), base=latest.digest)
    return True


def _read_tags(field: str, tags: Collection[str]) -> list[str]:
    return list(dict.fromkeys(tag for one in tags if (tag := check_text(field, one).strip())))


def _describe(error: PromptuaryError) -> str:
    """The error's sentences without field names, which belong to another form."""
    if isinstance(error, Invalid) and error.fields:
        return " ".join(error.fields.values())
    return error.message
