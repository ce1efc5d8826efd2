"""Templates that include a fragment of their own namespace, which its members can fix themselves."""

from collections.abc import Iterable

from registry.templates.former_names import list_names
from registry.templates.models import Inclusion, Template

__all__ = ["list_including_digests", "list_including_templates"]


def list_including_templates(fragment: Template) -> list[tuple[Template, list[str]]]:
    """Each template, by name, with the references in its latest document as written; archived ones don't count."""
    rows = Inclusion.objects.filter(fragment__in=list_names(fragment), template__namespace=fragment.namespace_id)
    rows = rows.filter(template__archived_at=None, template__latest__isnull=False).order_by("template__name", "ref")
    inclusions: dict[int, tuple[Template, list[str]]] = {}
    for row in rows.select_related("template__latest"):
        inclusions.setdefault(row.template_id, (row.template, []))[1].append(row.ref)
    return list(inclusions.values())


def list_including_digests(fragments: Iterable[Template]) -> dict[str, tuple[str, ...]]:
    """Map each fragment's name to the sorted digests of the latest versions that include it."""
    listed = {name: fragment for fragment in fragments for name in list_names(fragment)}
    rows = Inclusion.objects.filter(fragment__in=listed, template__archived_at=None, template__latest__isnull=False)
    references: dict[str, set[str]] = {}
    for written, space, digest in rows.values_list(
        "fragment", "template__namespace_id", "template__latest__digest"
    ).distinct():
        fragment = listed[written]
        if fragment.namespace_id == space:
            references.setdefault(fragment.name, set()).add(digest)
    return {fragment: tuple(sorted(digests)) for fragment, digests in references.items()}
