"""Watches: what people are notified of by mail, and where."""

from collections.abc import Collection

from django.db import transaction
from django.utils.translation import gettext

from registry.accounts.actor import Actor
from registry.core.errors import Conflict, Invalid, NotAllowed
from registry.core.input_checks import check_text
from registry.namespaces import permissions
from registry.namespaces.verbs import Verb
from registry.notifications.models import Watch

__all__ = ["MAX_WATCHES", "set_watch_level"]

MAX_WATCHES = 100  # per person


def set_watch_level(
    *,
    actor: Actor,
    level: str | None,
    namespace: str | None = None,
    template: str = "",
    topics: Collection[str] = (),
) -> None:
    """Set the mail level for a place: `all` that happens there, `mine`, or `none`; None removes the choice.

    namespace: None for everywhere; template: a pattern of paths in the namespace, empty for all; topics: from
    Watch.TOPICS, to limit `all`, empty for everything. Watches are personal and not in the journal.
    """
    if actor.key is not None:
        raise NotAllowed(gettext("A key gets no mail: sign in as a person to choose it."))
    if level is not None and level not in Watch.LEVELS:
        raise Invalid(fields={"level": gettext("one of {names}.").format(names=", ".join(Watch.LEVELS))})
    if set(topics) - set(Watch.TOPICS):
        raise Invalid(fields={"topics": gettext("some of {names}.").format(names=", ".join(Watch.TOPICS))})
    wanted_topics = [topic for topic in Watch.TOPICS if topic in topics] if level == Watch.ALL else []
    joined = "" if len(wanted_topics) == len(Watch.TOPICS) else ",".join(wanted_topics)
    pattern = check_text("template", template, 200).strip()
    if pattern and namespace is None:
        raise Invalid(fields={"namespace": gettext("say in which namespace these paths are.")})
    space = permissions.find_namespace(actor, Verb.READ, namespace) if namespace else None
    with transaction.atomic():
        same = Watch.objects.filter(person=actor.person, namespace=space, template=pattern)
        if level is None:
            same.delete()
        elif not same.update(level=level, topics=joined):
            if Watch.objects.filter(person=actor.person).count() >= MAX_WATCHES:
                raise Conflict(
                    gettext("You have {most_watches} choices, which is the most: remove one first.").format(
                        most_watches=MAX_WATCHES
                    )
                )
            Watch.objects.create(person=actor.person, namespace=space, template=pattern, level=level, topics=joined)
