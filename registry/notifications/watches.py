"""Watches: a person says what they want mail about."""

from django.db import transaction

from registry.accounts.actor import Actor
from registry.core.errors import Conflict, Invalid, NotAllowed
from registry.core.text_checks import check_text
from registry.namespaces import permissions
from registry.namespaces.permissions import Verb
from registry.notifications.models import Watch

__all__ = ["MOST", "set_level"]

MOST = 100  # wishes of one person


def set_level(*, actor: Actor, level: str | None, namespace: str | None = None, template: str = "") -> None:
    """Want mail of `all` that happens in a place, of what is `mine`, or `none`; None forgets the wish.

    namespace: None for everywhere; template: a pattern of paths in the namespace, empty for all. In no journal: it is a
    person's own affair.
    """
    if actor.key is not None:
        raise NotAllowed("A key gets no mail: sign in as a person to choose it.")
    if level is not None and level not in Watch.LEVELS:
        raise Invalid(fields={"level": f"one of {', '.join(Watch.LEVELS)}."})
    pattern = check_text("template", template, 200).strip()
    if pattern and namespace is None:
        raise Invalid(fields={"namespace": "say in which namespace these paths are."})
    found = permissions.find_namespace(actor, Verb.READ, namespace) if namespace else None
    with transaction.atomic():
        same = Watch.objects.filter(person=actor.person, namespace=found, template=pattern)
        if level is None:
            same.delete()
        elif not same.update(level=level):
            if Watch.objects.filter(person=actor.person).count() >= MOST:
                raise Conflict(f"You have {MOST} wishes: forget one first.")
            Watch.objects.create(person=actor.person, namespace=found, template=pattern, level=level)
