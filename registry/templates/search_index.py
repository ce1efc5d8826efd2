"""The columns and rows of a template that come from its latest document: description, format, tags and inclusions."""

from promptuary.renderer.document.parser import Document
from registry.templates.fragments import find_written_references
from registry.templates.models import Inclusion, Tag, Template, Version

__all__ = ["update_search_index"]


def update_search_index(template: Template, version: Version, document: Document | None) -> None:
    """Update them from the latest version; for services and the restore, inside a transaction."""
    if document is None:
        return
    template.latest = version
    template.description = document.description
    template.format = document.format
    template.updated_at = version.created_at
    tags = list(dict.fromkeys(document.tags))
    template.save()
    if set(tags) != set(template.tags.values_list("name", flat=True)):
        template.tags.all().delete()
        Tag.objects.bulk_create(Tag(template=template, name=tag) for tag in tags)
    refs = [] if version.is_redacted else find_written_references(document.text, version.unpacked()["fragments"])
    included = Inclusion.objects.filter(template=template)
    if set(refs) != set(included.values_list("ref", flat=True)):
        included.delete()
        rows = [Inclusion(template=template, fragment=ref.partition("@")[0], ref=ref) for ref in refs]
        Inclusion.objects.bulk_create(rows)
