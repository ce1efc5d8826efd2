"""Versions: resolving refs, and a template's history."""

from collections.abc import Collection
from dataclasses import dataclass

from django.utils.translation import gettext

from registry.accounts.actor import Actor
from registry.accounts.models import Key
from registry.core.errors import NotAllowed, NotFound
from registry.core.names import LATEST, Ref, parse_ref
from registry.core.pagination import Page, check_limit, cut_page, read_number
from registry.journal.models import Event
from registry.namespaces import granters, key_rights
from registry.namespaces.verbs import Verb
from registry.templates import queries as template_queries
from registry.templates.approved_versions import is_accepted_digest
from registry.templates.events import VersionSaved
from registry.templates.former_names import find_current_names, list_names
from registry.templates.label_models import Label
from registry.templates.models import Template, Version

__all__ = [
    "HistoryEntry",
    "find_rows_by_digest",
    "get_version",
    "is_version_approved",
    "list_template_versions",
    "list_versions",
    "require_readable_version",
    "resolve_template_version",
    "resolve_version",
]


@dataclass(frozen=True)
class HistoryEntry:
    """A version in a history: its commit in the mirror (None until mirrored) and the labels that point to it."""

    version: Version
    commit: str | None
    labels: tuple[str, ...]


def resolve_version(actor: Actor, name: str, ref: str, *, verb: Verb = Verb.BROWSE) -> Version:
    """The version that a number, digest or label of the template resolves to now.

    A digest shared by several numbers resolves to the lowest. Raises NotAllowed for a version outside a limited key's
    digests or labels. `verb` is what the caller is about to do with it.
    """
    return resolve_template_version(actor, template_queries.find_template(actor, verb, name), ref)


def resolve_template_version(actor: Actor, template: Template, ref: str) -> Version:
    """The version that a number, digest or label resolves to now, of a template that was loaded with rights."""
    parsed = parse_ref(ref)
    version = _find(template, parsed)
    require_readable_version(actor, template, version, parsed.label)
    version.template = template
    return version


def get_version(actor: Actor, name: str, number: int) -> Version:
    """The version of that number."""
    return resolve_version(actor, name, str(number))


def find_rows_by_digest(pairs: Collection[tuple[str, str]]) -> dict[tuple[str, str], int]:
    """Map name and digest to the version's row, for those that exist; a former name finds its template.

    Of several numbers with one digest the lowest, as in a fetch. The caller has checked the rights.
    """
    current = find_current_names({name for name, _ in pairs})
    names = {current.get(name, name) for name, _ in pairs}
    rows = Version.objects.filter(template__name__in=names, digest__in={digest for _, digest in pairs})
    columns = rows.order_by("-number").values_list("template__name", "digest", "pk")
    keys = {(name, digest): pk for name, digest, pk in columns}
    places = {(name, digest): (current.get(name, name), digest) for name, digest in pairs}
    return {pair: keys[place] for pair, place in places.items() if place in keys}


def list_versions(actor: Actor, name: str, cursor: str | None = None, limit: int = 50) -> Page[HistoryEntry]:
    """The template's versions, newest first, without their bundles."""
    return list_template_versions(template_queries.get_template(actor, name), cursor, limit)


def list_save_messages(template: Template, numbers: Collection[int]) -> list[tuple[int, str]]:
    """The numbers, newest first, each with the first line of the version's message."""
    rows = Version.objects.filter(template=template, number__in=numbers).order_by("-number") if numbers else ()
    return [(row.number, row.message.partition("\n")[0]) for row in rows]


def list_template_versions(
    template: Template, cursor: str | None = None, limit: int = 50, *, only: Collection[int] | None = None
) -> Page[HistoryEntry]:
    """The versions of a template that the caller may read, newest first. only: the numbers to keep, None for all."""
    limit = check_limit(limit)
    rows = (
        template.versions.select_related("author", "base", "key", "redaction__person")
        .defer("bundle", "base__bundle")
        .order_by("-number")
    )
    if only is not None:
        rows = rows.filter(number__in=only)
    if before := read_number(cursor):
        rows = rows.filter(number__lt=before)
    page = cut_page(rows[: limit + 1], limit, lambda version: version.number)
    numbers = [version.number for version in page.items]
    saved = Event.objects.filter(template__in=list_names(template), kind=VersionSaved.kind, version__in=numbers)
    commits = dict(saved.values_list("version", "commit__sha"))
    labels: dict[int, list[str]] = {}
    for label in template.labels.order_by("name"):
        labels.setdefault(label.version_id, []).append(label.name)
    entries = [
        HistoryEntry(version, commits.get(version.number), tuple(labels.get(version.pk, ()))) for version in page.items
    ]
    return Page(entries, page.next)


def require_readable_version(actor: Actor, template: Template, version: Version, label: str | None) -> None:
    """Raise NotAllowed if a key limited to approved digests asks for a version that was never approved, or one limited
    to labels for a version that none of them serves now.

    A request by protected label always succeeds, even if what it serves was never approved: only the gate moves it.
    """
    if actor.key is None:
        return
    _require_served(actor.key, template, version)
    if not key_rights.is_limited(actor.key):
        return
    if label in template.namespace.protected_labels or is_version_approved(template, version):
        return
    raise NotAllowed(
        gettext(
            "{name}@{number} is not approved, and the key {key} is limited to approved versions. "
            "Ask for {labels}, or have it approved."
        ).format(
            name=template.name,
            number=version.number,
            key=actor.key.name,
            labels=gettext(" or ").join(template.namespace.protected_labels) or gettext("an approved version"),
        ),
        version=version.number,
        digest=version.digest,
        key=actor.key.id,
    )


def _require_served(key: Key, template: Template, version: Version) -> None:
    if not key.labels:
        return
    served = Label.objects.filter(template=template, name__in=key.labels, version__digest=version.digest)
    if not served.exists():
        raise NotAllowed(
            gettext(
                "{name}@{number} is not what {names} serves now, and the key {key} is limited to that. {granters}"
            ).format(
                name=template.name,
                number=version.number,
                names=gettext(" or ").join(key.labels),
                key=key.name,
                granters=granters.describe_granters(key.namespace),
            ),
            labels=list(key.labels),
            key=key.id,
        )


def is_version_approved(template: Template, version: Version) -> bool:
    """Whether a protected label held these bytes by approval, or an open change to one of them is approved."""
    return is_accepted_digest(template, template.namespace.protected_labels, version.digest)


def _find(template: Template, ref: Ref) -> Version:
    rows = Version.objects.select_related("author", "base", "key").filter(template=template)
    if ref.number is not None:
        version = rows.filter(number=ref.number).first()
    elif ref.digest is not None:
        version = rows.filter(digest=ref.digest).order_by("number").first()
    elif ref.label == LATEST:
        version = rows.order_by("-number").first()
    else:
        version = rows.filter(labels__name=ref.label).first()
    if version is None:
        raise NotFound(_describe_missing(template, ref))
    return version


def _describe_missing(template: Template, ref: Ref) -> str:
    """The message that the template has no such version."""
    latest, names = template.latest.number if template.latest else None, ""
    if ref.number is not None and latest is None:
        sentence = gettext("{name} has no version {number}; its latest is none.")
    elif ref.number is not None:
        sentence = gettext("{name} has no version {number}; its latest is {latest}.")
    elif ref.digest is not None:
        sentence = gettext("{name} has no version with the digest {digest}.")
    elif ref.label == LATEST:
        sentence = gettext("{name} has no version yet.")
    else:
        sentence = gettext("{name} has no label {label}; it has {names}.")
        labels = Label.objects.filter(template=template).order_by("name")
        names = ", ".join([*labels.values_list("name", flat=True), LATEST])
    return sentence.format(
        name=template.name, number=ref.number, latest=latest, digest=ref.digest, label=ref.label, names=names
    )
