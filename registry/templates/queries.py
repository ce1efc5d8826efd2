"""Queries for templates by name, and for drafts. Search is in `search_queries`."""

from collections.abc import Collection, Iterable
from typing import Any, TypeVar

from django.db.models import Exists, Model, OuterRef, QuerySet, Subquery
from django.utils.translation import gettext

from registry.accounts.actor import Actor
from registry.core import names
from registry.core.errors import Conflict, NotFound
from registry.core.names import LATEST
from registry.core.pagination import Page, check_limit, cut_page, read_text
from registry.journal import log
from registry.namespaces import permissions
from registry.namespaces.models import Namespace
from registry.namespaces.permissions import list_visible_namespaces
from registry.namespaces.verbs import Verb
from registry.templates.drafts import KEPT
from registry.templates.models import Draft, SampleSet, Template

Rows = TypeVar("Rows", bound=Model)

__all__ = [
    "build_renamed_conflict",
    "filter_by_namespaces",
    "filter_templates",
    "find_discarded_draft",
    "find_draft",
    "find_template",
    "get_template",
    "list_browsable_templates",
    "list_discarded_drafts",
    "list_drafts",
    "list_template_drafts",
    "list_templates_by_name",
    "lock_template",
    "read_current_samples",
    "require_current_names",
    "search_words",
]

_READING = frozenset({Verb.BROWSE, Verb.READ, Verb.CHECK, Verb.FETCH})
_MAX_WORDS = 10
_FEW = 500  # the most templates that a list is filtered by id for


def read_current_samples(template_ids: Collection[int]) -> dict[int, SampleSet]:
    """The samples of each template as last saved, by the template's id, in one query."""
    newest = SampleSet.objects.filter(template=OuterRef("template")).order_by("-number").values("pk")[:1]
    rows = SampleSet.objects.filter(template__in=template_ids, pk=Subquery(newest))
    return {row.template_id: row for row in rows}


def list_templates_by_name(
    ids: QuerySet[Any, Any] | Collection[int], words: str = "", *, cursor: str | None = None, limit: int = 100
) -> Page[Template]:
    """A page of these templates by name, with their namespaces and newest versions. words: parts of the name.

    ids: of templates that the actor may read, or a query of them.
    """
    limit = check_limit(limit)
    rows = Template.objects.filter(pk__in=ids).select_related("namespace", "latest").defer("latest__bundle")
    for word in words.split():
        rows = rows.filter(name__icontains=word.replace("\0", ""))
    if after := read_text(cursor):
        rows = rows.filter(name__gt=after)
    return cut_page(rows.order_by("name")[: limit + 1], limit, lambda template: template.name)


def filter_by_namespaces(
    rows: QuerySet[Rows], namespaces: QuerySet[Namespace], template: str | None = None
) -> QuerySet[Rows]:
    """Filter rows to those whose `template` is in one of the namespaces; with a name, to that template's.

    A few templates are filtered by id, so that the index on `template` finds the newest rows of a quiet namespace;
    filtering by namespace would scan past all other rows. Many templates are filtered with EXISTS: with a join, SQLite
    would read and sort the rows of all of them.
    """
    if template:
        return rows.filter(template__name=template, template__namespace__in=namespaces)
    keys = Template.objects.filter(namespace__in=namespaces).order_by().values_list("pk", flat=True)
    templates = list(keys[: _FEW + 1])
    if len(templates) > _FEW:
        return rows.filter(Exists(Template.objects.filter(pk=OuterRef("template"), namespace__in=namespaces)))
    return rows.filter(template__in=templates)


def get_template(actor: Actor, name: str) -> Template:
    """The template with its namespace and latest version. Raises NotFound, to outsiders too.

    For callers that read its newest text, samples or change requests. Narrow keys are refused; they use
    `limited_key_view`.
    """
    return find_template(actor, Verb.READ, name)


def find_template(actor: Actor, verb: Verb, name: str, *, lock: bool = False, act: str = "") -> Template:
    """The template, after checking the right to `verb`; locked until commit if the caller is about to write.

    A former name finds the template for reading and raises Conflict otherwise, so that writes use the current name.
    act: the action that an error message names; empty for the verb's own words.
    """
    if lock:
        lock_template(name)
    rows = Template.objects.select_related("namespace", "latest")
    template = rows.filter(name=name).first() or rows.filter(former_names__name=name).first()
    if template is None:
        raise _refuse_unknown(name)
    try:
        permissions.require_verb(actor, verb, template.namespace, template.path, act=act)
    except NotFound as error:
        raise _refuse_unknown(name) from error
    if template.name != name and (lock or verb not in _READING):
        raise build_renamed_conflict(name, template.name)
    return template


def build_renamed_conflict(former: str, name: str) -> Conflict:
    """The refusal to write by a former name."""
    return Conflict(
        gettext("{former} was renamed: it is {name} now. Use that name.").format(former=former, name=name),
        renamed_to=name,
    )


def require_current_names(names: Iterable[str], namespace: Namespace | None = None) -> None:
    """Raise Conflict with the current name of the first of these that is a former name. The caller has checked the
    right to read. namespace: only templates in this one.
    """
    storable_names = [name for name in names if "\0" not in name]  # PostgreSQL rejects NUL
    rows = Template.objects.filter(former_names__name__in=storable_names)
    rows = rows.filter(namespace=namespace) if namespace else rows
    former = rows.order_by("former_names__name").values_list("former_names__name", "name").first()
    if former is not None:
        raise build_renamed_conflict(*former)


def find_draft(actor: Actor, name: str, draft_name: str = "") -> Draft | None:
    """The actor's draft for a full template name, or for a namespace with nothing after the slash, for a template
    without a name. draft_name: which of the drafts, empty for the first one.
    """
    namespace, _, path = name.partition("/")
    if path:
        names.check_template(name)
    rows = Draft.objects.select_related("namespace", "base", "base__template")
    return rows.filter(
        person=actor.person,
        namespace__in=list_visible_namespaces(actor),
        namespace__name=namespace,
        path=path,
        name=names.check_draft_name(draft_name),
    ).first()


def find_discarded_draft(actor: Actor, name: str) -> Draft | None:
    """The draft of a template that the actor discarded last and can still restore."""
    return _select_discarded_drafts(actor, name).first()


def list_discarded_drafts(actor: Actor, name: str) -> list[Draft]:
    """The drafts of a template that the actor can restore: for each name the one discarded last."""
    rows = _select_discarded_drafts(actor, name).defer("document", "samples")
    newest: dict[str, Draft] = {}
    for draft in rows:
        newest.setdefault(draft.name, draft)
    return list(newest.values())


def list_template_drafts(actor: Actor, name: str) -> list[Draft]:
    """The actor's drafts of one template without their texts, the unnamed one first."""
    namespace, _, path = name.partition("/")
    rows = Draft.objects.select_related("base").defer("base__bundle", "document", "samples")
    rows = rows.filter(namespace__in=list_visible_namespaces(actor), namespace__name=namespace)
    return list(rows.filter(person=actor.person, path=path).order_by("name"))


def _select_discarded_drafts(actor: Actor, name: str) -> QuerySet[Draft]:
    namespace, _, path = name.partition("/")
    rows = Draft.everything.filter(person=actor.person, namespace__name=namespace, path=path)
    return rows.filter(discarded_at__gt=log.now() - KEPT).order_by("-discarded_at", "-pk")


def list_drafts(actor: Actor) -> list[Draft]:
    """All drafts of the actor, most recently changed first."""
    rows = Draft.objects.select_related("namespace", "base").defer("base__bundle", "document", "samples")
    return list(rows.filter(person=actor.person, namespace__in=list_visible_namespaces(actor)).order_by("-updated_at"))


def lock_template(name: str) -> bool:
    """Lock the template's row until commit. Return whether it exists.

    Read related rows afterwards: PostgreSQL returns a row it waited for in its current state, but joined rows as they
    were before.
    """
    return Template.objects.select_for_update(no_key=True).filter(name=name).values_list("pk").first() is not None


def search_words(q: str) -> list[str]:
    """The words that a search looks for, in lower case."""
    return q.replace("\0", "").casefold().split()[:_MAX_WORDS]


def filter_templates(
    rows: QuerySet[Template],
    *,
    namespace: str | None = None,
    label: str | None = None,
    folder: str | None = None,
    archived: bool = False,
) -> QuerySet[Template]:
    """Filter the rows by everything but text."""
    rows = rows.filter(archived_at__isnull=not archived)
    if namespace:
        rows = rows.filter(namespace__name=namespace)
    if folder:
        rows = rows.filter(name__startswith=folder.rstrip("/") + "/")
    if label and label != LATEST:
        rows = rows.filter(labels__name=label)
    return rows


def list_browsable_templates(actor: Actor) -> QuerySet[Template]:
    """The templates whose names and labels the actor may see, by name; their texts come from `limited_key_view`."""
    rows = Template.objects.filter(namespace__in=list_visible_namespaces(actor, Verb.BROWSE), latest__isnull=False)
    rows = rows.select_related("namespace", "latest", "latest__author").defer("latest__bundle")
    return rows.prefetch_related("tags", "labels").order_by("name")


def _refuse_unknown(name: str) -> NotFound:
    return NotFound(gettext("There is no template {name}, or you don't have access to it.").format(name=name[:600]))
