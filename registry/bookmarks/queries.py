"""Queries of favourites and saved views."""

from collections.abc import Collection

from django.db.models import QuerySet

from registry.accounts.actor import Actor
from registry.bookmarks.models import Favourite, SavedView
from registry.namespaces import permissions
from registry.templates.models import Template

__all__ = ["find_readable", "is_favourite", "list_favourites", "list_views"]


def is_favourite(actor: Actor, template: Template) -> bool:
    """Whether the template is a favourite of the actor."""
    return Favourite.objects.filter(person=actor.person, template=template).exists()


def list_favourites(actor: Actor, limit: int) -> list[Template]:
    """The actor's favourites that they may read, by name; archived ones too."""
    favourites = _filter_readable(actor).filter(pk__in=Favourite.objects.filter(person=actor.person).values("template"))
    return list(favourites.order_by("name")[:limit])


def find_readable(actor: Actor, names: Collection[str]) -> list[Template]:
    """Find the named templates that the actor may read, in the order of the names."""
    templates = {template.name: template for template in _filter_readable(actor).filter(name__in=list(names))}
    return [templates[name] for name in dict.fromkeys(names) if name in templates]


def list_views(actor: Actor) -> list[SavedView]:
    """The actor's saved views, by name."""
    return list(SavedView.objects.filter(person=actor.person).order_by("name"))


def _filter_readable(actor: Actor) -> QuerySet[Template]:
    """The templates that the actor may read."""
    return Template.objects.filter(namespace__in=permissions.list_visible_namespaces(actor), latest__isnull=False)
