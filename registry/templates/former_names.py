"""Former names of templates: the table that keeps them forever, and what each one redirects to."""

from collections.abc import Collection, Iterable

from django.db import models
from django.db.models import Q

from registry.templates.models import Template

__all__ = ["FormerName", "find_current_folder", "find_current_names", "list_names", "map_all_names", "map_former_names"]


class FormerName(models.Model):
    """A name that a template had. It redirects to the template forever, and no other template can take it."""

    name = models.CharField(max_length=520, unique=True, help_text="with the namespace: support/refunds/reply")
    template = models.ForeignKey(Template, on_delete=models.PROTECT, related_name="former_names")
    renamed_at = models.DateTimeField()

    def __str__(self) -> str:
        return self.name


def find_current_names(names: Iterable[str]) -> dict[str, str]:
    """Map each of these names that is a former name to its template's current name; one query."""
    return dict(FormerName.objects.filter(name__in=list(names)).values_list("name", "template__name"))


def find_current_folder(folder: str) -> str | None:
    """The current folder of the templates from a folder with this former name; None if it isn't a former name, or they
    are in several folders by now.
    """
    former = FormerName.objects.filter(name__startswith=f"{folder}/")
    folders = set()
    for name, current in former.values_list("name", "template__name"):
        rest = name[len(folder) :]
        folders.add(current.removesuffix(rest) if current.endswith(rest) else "")
    return next(iter(folders)) or None if len(folders) == 1 else None


def list_names(template: Template) -> list[str]:
    """The name of a template, then its former names, latest first; queries only if it was renamed."""
    if template.renamed_at is None:
        return [template.name]
    former = FormerName.objects.filter(template=template).order_by("-renamed_at", "-pk")
    return [template.name, *former.values_list("name", flat=True)]


def map_former_names(template_ids: Collection[int]) -> dict[str, int]:
    """Map the former names of these templates to their ids; queries only if there are ids."""
    if not template_ids:
        return {}
    return dict(FormerName.objects.filter(template__in=template_ids).values_list("name", "template_id"))


def map_all_names(names: Collection[str]) -> dict[str, tuple[str, ...]]:
    """Map each name to all names, former ones too, of its template; names without a template are absent."""
    rows = Template.objects.filter(Q(name__in=names) | Q(former_names__name__in=names)).order_by().distinct()
    pairs = Template.objects.filter(pk__in=rows.values("pk")).values_list("name", "former_names__name")
    groups: dict[str, list[str]] = {}
    for name, former in pairs:
        groups.setdefault(name, [name]).extend([former] if former else [])
    return {name: tuple(group) for group in groups.values() for name in group if name in names}
