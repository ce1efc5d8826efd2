"""Limited keys' view of templates: only the versions that the key may fetch.

A key limited to approved versions or to labels (`key_rights.is_narrow`) finds names and labels, but a template's
description, tags and settings are part of a version. It sees those of the newest version that its labels serve, or the
protected labels for a key without labels. It searches nothing else, and histories contain only versions that it may
fetch. People and wide keys see the latest version.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from django.db.models import Q, QuerySet
from django.utils.translation import gettext

from promptuary.renderer.document.parser import inspect_document
from registry.accounts.actor import Actor
from registry.core.errors import Invalid, NotAllowed
from registry.core.pagination import Page, check_limit, cut_page, read_text
from registry.namespaces import key_rights
from registry.namespaces.verbs import Verb
from registry.templates import label_queries, search_queries, version_queries
from registry.templates import queries as template_queries
from registry.templates.label_models import Label, LabelMove
from registry.templates.models import Template, Version
from registry.templates.version_queries import HistoryEntry

__all__ = [
    "VisibleTemplate",
    "find_visible_template",
    "list_visible",
    "list_visible_moves",
    "list_visible_numbers",
    "list_visible_templates",
    "list_visible_versions",
    "may_see_version",
    "search_visible",
]

_AT_ONCE = 200  # templates whose text is searched in one batch


@dataclass(frozen=True)
class VisibleTemplate:
    """What a limited key sees of a template. `version` is its source, None if the key may not fetch any version."""

    description: str
    tags: tuple[str, ...]
    format: str
    version: Version | None

    def has(self, template: Template, words: Iterable[str], tag: str | None) -> bool:
        """Whether all the words occur in the name or the visible text, and the tag is among its tags."""
        if tag and tag not in self.tags:
            return False
        text = self.version.remaining if self.version else ""
        searched_text = "\n".join([template.name, self.description, *self.tags, text]).casefold()
        return all(word in searched_text for word in words)


def find_visible_template(actor: Actor, template: Template) -> VisibleTemplate:
    """What the actor sees of one template."""
    return list_visible_templates(actor, [template])[template.pk]


def list_visible_templates(actor: Actor, rows: Sequence[Template]) -> dict[int, VisibleTemplate]:
    """Map the ids of many templates to what the actor sees of each."""
    if actor.key is None or not key_rights.is_narrow(actor.key):
        return {row.pk: _show_latest(row) for row in rows}
    versions = _find_served(actor, rows)
    return {row.pk: may_see_version(row, versions.get(row.pk)) for row in rows}


def may_see_version(template: Template, version: Version | None) -> VisibleTemplate:
    """What one version shows of its template; empty without a version, or if its text was redacted."""
    document = None if version is None or version.is_redacted else inspect_document(version.document)[0]
    if document is None:
        return VisibleTemplate("", (), template.format, version)
    return VisibleTemplate(document.description, tuple(sorted(set(document.tags))), document.format, version)


def search_visible(  # noqa: PLR0913  # as search_queries.search_templates
    actor: Actor,
    *,
    q: str = "",
    namespace: str | None = None,
    tag: str | None = None,
    label: str | None = None,
    folder: str | None = None,
    archived: bool = False,
    sort: str = "name",
    cursor: str | None = None,
    limit: int = 50,
    **values: str | None,
) -> Page[Template]:
    """Like `search_queries.search_templates`. For a narrow key, words and tag match only names and the text it may see,
    and other values or another order are refused.
    """
    places = {"namespace": namespace, "label": label, "folder": folder}
    if actor.key is None or not key_rights.is_narrow(actor.key):
        return search_queries.search_templates(
            actor, q=q, tag=tag, archived=archived, sort=sort, cursor=cursor, limit=limit, **places, **values
        )
    if refused := [kind for kind, value in values.items() if value] + (["sort"] if sort != "name" else []):
        raise Invalid(fields=dict.fromkeys(refused, gettext("a key limited to approved versions can't ask for this.")))
    limit = check_limit(limit)
    rows = template_queries.filter_templates(
        template_queries.list_browsable_templates(actor), archived=archived, **places
    )
    matches = _select_matching(actor, rows, template_queries.search_words(q), tag, read_text(cursor) or "", limit + 1)
    return cut_page(matches, limit, lambda template: template.name)


def list_visible(
    actor: Actor, *, name: str | None = None, tag: str | None = None, label: str | None = None
) -> Sequence[Template] | QuerySet[Template]:
    """Templates whose names the actor may see, by name, for paging by number; each filter is exact."""
    rows = template_queries.filter_templates(template_queries.list_browsable_templates(actor), label=label)
    if name:
        rows = rows.filter(name=name)
    if not tag:
        return rows
    if actor.key is not None and key_rights.is_narrow(actor.key):
        return _select_matching(actor, rows, (), tag)
    return rows.filter(tags__name=tag)


def list_visible_versions(actor: Actor, name: str, cursor: str | None = None, limit: int = 50) -> Page[HistoryEntry]:
    """The template's versions that the actor may fetch, newest first, without their bundles."""
    template = template_queries.find_template(actor, Verb.BROWSE, name)
    return version_queries.list_template_versions(template, cursor, limit, only=list_visible_numbers(actor, template))


def list_visible_moves(
    actor: Actor, name: str, label: str, cursor: str | None = None, limit: int = 50
) -> Page[LabelMove]:
    """The moves of one label, newest first. A narrow key gets no reason of a move to a version that it may not
    fetch.
    """
    template = template_queries.find_template(actor, Verb.BROWSE, name)
    page = label_queries.list_template_label_moves(template, label, cursor, limit)
    visible_numbers = list_visible_numbers(actor, template)
    if visible_numbers is not None:
        for move in page.items:
            if move.after is None or move.after.number not in visible_numbers:
                move.reason = ""
    return page


def list_visible_numbers(actor: Actor, template: Template) -> set[int] | None:
    """The numbers of the versions that a narrow key may fetch; None for all, for every other caller."""
    key = actor.key
    if key is None or not key_rights.is_narrow(key):
        return None
    # A version that no label ever held and no change proposes can't be approved; the others are checked once per
    # digest.
    if key.labels:
        may_be_approved = Q(
            digest__in=Label.objects.filter(template=template, name__in=key.labels).values("version__digest")
        )
    else:
        moved = LabelMove.objects.filter(template=template, after__isnull=False).values("after__digest")
        may_be_approved = Q(digest__in=moved) | Q(digest__in=template.changes.values("version__digest"))
    label_digests = list(Label.objects.filter(template=template).values_list("name", "version__digest"))
    verdicts: dict[str, bool] = {}
    rows = list(template.versions.filter(may_be_approved).defer("bundle"))
    for row in rows:
        if row.digest not in verdicts:
            refs = [None, *(name for name, digest in label_digests if digest == row.digest)]
            verdicts[row.digest] = any(_may_fetch(actor, template, row, ref) for ref in refs)
    return {row.number for row in rows if verdicts[row.digest]}


def _select_matching(
    actor: Actor,
    rows: QuerySet[Template],
    words: Sequence[str],
    tag: str | None,
    after: str = "",
    limit: int | None = None,
) -> list[Template]:
    """Up to `limit` rows after the name `after` in which all the words occur."""
    if not words and not tag:
        return list(rows.filter(name__gt=after)[:limit])
    templates: list[Template] = []
    while limit is None or len(templates) < limit:
        chunk = list(rows.filter(name__gt=after)[:_AT_ONCE])
        visible_templates = list_visible_templates(actor, chunk)
        templates += [row for row in chunk if visible_templates[row.pk].has(row, words, tag)]
        if len(chunk) < _AT_ONCE:
            break
        after = chunk[-1].name
    return templates[:limit]


def _find_served(actor: Actor, rows: Sequence[Template]) -> Mapping[int, Version]:
    """Map template id to the newest version that the narrow key's labels serve; without labels, the protected ones."""
    key = actor.key
    if key is None or not rows:
        return {}
    templates = {row.pk: row for row in rows}
    names = key.labels or key.namespace.protected_labels
    labels = Label.objects.filter(template__in=list(templates), name__in=names).select_related("version")
    versions: dict[int, Version] = {}
    for label in labels.order_by("version__number"):
        template, version = templates[label.template_id], label.version
        if _may_fetch(actor, template, version, label.name):
            versions[template.pk] = version
    return versions


def _may_fetch(actor: Actor, template: Template, version: Version, label: str | None) -> bool:
    try:
        version_queries.require_readable_version(actor, template, version, label)
    except NotAllowed:
        return False
    return True


def _show_latest(template: Template) -> VisibleTemplate:
    tags = tuple(sorted(tag.name for tag in template.tags.all()))
    return VisibleTemplate(template.description, tags, template.format, template.latest)
