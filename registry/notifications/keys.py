"""Notifications of keys that act for a person."""

from django.utils.translation import gettext

from registry.accounts.actor import OPERATOR, Actor
from registry.accounts.models import Key, translate_for
from registry.namespaces import key_queries
from registry.namespaces.events import KeyIssued, KeyRotated
from registry.notifications.models import Notification

__all__ = ["notify_of_key"]


def notify_of_key(actor: Actor, key: Key) -> None:
    """Notify the person that a key acts for, unless they issued it themselves; for services, in its transaction."""
    person = key.person
    if person == actor.person or not person.is_active or person.username == OPERATOR:
        return
    kind = KeyRotated.kind if key.replaces_id else KeyIssued.kind
    sentence = translate_for(person, lambda: _describe_key(actor, key))
    Notification.objects.create(person=person, kind=kind, sentence=sentence, key=key, created_at=key.created_at)


def _describe_key(actor: Actor, key: Key) -> str:
    if key.replaces_id:
        sentence = gettext(
            "{name} rotated a key that acts in your name: {key} in {namespace}. It may {rights}. "
            "If you do not want it, revoke it on your account page."
        )
    else:
        sentence = gettext(
            "{name} issued a key that acts in your name: {key} in {namespace}. It may {rights}. "
            "If you do not want it, revoke it on your account page."
        )
    rights = key_queries.describe_key(key)
    return sentence.format(name=actor.person.display_name, key=key.name, namespace=key.namespace.name, rights=rights)
