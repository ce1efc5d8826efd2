"""Following a template: its events notify the follower by mail.

Stored as a watch on that one path, so it is also listed on the page Mail. Watches are personal and not in the journal.
"""

from collections.abc import Collection

from django.utils.translation import gettext

from registry.accounts.actor import Actor
from registry.core.errors import NotAllowed
from registry.notifications import watches
from registry.notifications.models import Watch
from registry.templates import queries as template_queries
from registry.templates.models import Template

__all__ = ["find_follow", "follow_template", "get_follow", "move_follows", "unfollow_template"]


def find_follow(actor: Actor, template: Template) -> Watch | None:
    """The actor's watch on this template; None if they don't follow it individually."""
    path = template.name.partition("/")[2]
    own_watches = Watch.objects.filter(person=actor.person, namespace=template.namespace, template=path)
    return own_watches.filter(level=Watch.ALL).first()


def get_follow(actor: Actor, name: str) -> Watch | None:
    """Like `find_follow`, by the template's name. Raises NotFound for outsiders and NotAllowed for keys."""
    template = template_queries.get_template(actor, name)
    if actor.key is not None:
        raise NotAllowed(gettext("What a person follows is shown to that person only: sign in."))
    return find_follow(actor, template)


def follow_template(*, actor: Actor, name: str, topics: Collection[str] = ()) -> None:
    """Follow the template; for everybody who may read it.

    topics: from Watch.TOPICS, empty for all. Raises NotFound for outsiders, NotAllowed for keys, Invalid for an unknown
    topic, and Conflict if the person has too many watches.
    """
    _set_level(actor, name, Watch.ALL, topics)


def unfollow_template(*, actor: Actor, name: str) -> None:
    """Stop following the template: notify the person only of what concerns them, or as their broader watches say."""
    _set_level(actor, name, None, ())


def move_follows(template: Template, former: str) -> None:
    """Move the watches on this one template to its new name; for the renaming. former: its full former name.

    A person who already chose a level for the new name keeps that.
    """
    chosen = Watch.objects.filter(namespace=template.namespace, template=template.path)
    moving = Watch.objects.filter(namespace=template.namespace, template=former.partition("/")[2])
    moving.exclude(person__in=list(chosen.values_list("person", flat=True))).update(template=template.path)


def _set_level(actor: Actor, name: str, level: str | None, topics: Collection[str]) -> None:
    template = template_queries.get_template(actor, name)
    path = template.name.partition("/")[2]
    watches.set_watch_level(actor=actor, level=level, namespace=template.namespace.name, template=path, topics=topics)
