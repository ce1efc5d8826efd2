"""Services of favourites and saved views. Only people have them: a key is refused."""

from urllib.parse import parse_qsl, urlencode

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext

from registry.accounts.actor import Actor
from registry.accounts.models import User
from registry.bookmarks.models import Favourite, SavedView
from registry.core import names
from registry.core.errors import Conflict, Invalid, NotAllowed, NotFound
from registry.core.input_checks import check_text
from registry.templates import queries as template_queries

__all__ = ["MAX_FAVOURITES", "MAX_VIEWS", "add_favourite", "remove_favourite", "remove_view", "save_view"]

MAX_FAVOURITES = 200
MAX_VIEWS = 50
_MAX_NAME = 60
_MAX_QUERY = 1000


def add_favourite(*, actor: Actor, name: str) -> None:
    """Make a template a favourite; nothing happens if it is one already.

    Raises NotFound if the actor may not read the template, and Conflict at MAX_FAVOURITES.
    """
    template = template_queries.get_template(actor, name)
    with transaction.atomic():
        person = _take_person(actor)
        others = Favourite.objects.filter(person=person).exclude(template=template)
        if others.count() >= MAX_FAVOURITES:
            raise Conflict(
                gettext("You have {most_favourites} favourites, which is the most: remove one first.").format(
                    most_favourites=MAX_FAVOURITES
                )
            )
        Favourite.objects.get_or_create(person=person, template=template, defaults={"created_at": timezone.now()})


def remove_favourite(*, actor: Actor, name: str) -> None:
    """Remove a favourite, also one that the actor may not read any more."""
    Favourite.objects.filter(person=_load_person(actor), template__name=name).delete()


def save_view(*, actor: Actor, name: str, folder: str, query: str) -> SavedView:
    """Save a search of the list of templates under a name, in place of a view of that name.

    folder: where the search looks, empty for all templates. query: of the address, without its question mark. Invalid
    by field; Conflict at MAX_VIEWS.
    """
    name = " ".join(check_text("name", name, _MAX_NAME).split())
    if not name:
        raise Invalid(fields={"name": gettext("give it a name.")})
    if folder:
        names.check_folder(folder)
    pairs = parse_qsl(check_text("query", query, _MAX_QUERY).lstrip("?"))
    if not pairs:
        raise Invalid(fields={"query": gettext("search or filter first: there is nothing to save.")})
    with transaction.atomic():
        person = _take_person(actor)
        if SavedView.objects.filter(person=person).exclude(name=name).count() >= MAX_VIEWS:
            raise Conflict(
                gettext("You have {most_views} saved views, which is the most: remove one first.").format(
                    most_views=MAX_VIEWS
                )
            )
        search = {"folder": folder, "query": urlencode(pairs)}
        view, _ = SavedView.objects.update_or_create(
            person=person, name=name, defaults=search, create_defaults={**search, "created_at": timezone.now()}
        )
    return view


def remove_view(*, actor: Actor, view_id: int) -> str:
    """Delete a saved view and return its name. Raises NotFound if the actor has no such view."""
    view = SavedView.objects.filter(person=_load_person(actor), pk=view_id).first()
    if view is None:
        raise NotFound(gettext("You have no such saved view."))
    view.delete()
    return view.name


def _load_person(actor: Actor) -> User:
    if actor.key is not None:
        raise NotAllowed(gettext("Favourites and saved views belong to people: sign in."))
    return actor.person


def _take_person(actor: Actor) -> User:
    """The person's row, locked: two tabs at once don't pass the limit."""
    return User.objects.select_for_update().get(pk=_load_person(actor).pk)
