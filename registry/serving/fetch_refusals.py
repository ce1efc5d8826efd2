"""Refusals of fetches, in sentences that say what the key may have and who can give more."""

from registry.core.errors import NotAllowed, NotFound
from registry.namespaces.granters import describe_granters
from registry.namespaces.models import Namespace
from registry.namespaces.verbs import Verb
from registry.serving.credentials import Caller
from registry.serving.journal_follower import renew_connection

__all__ = ["explain_absent", "explain_missing_verb", "explain_other_label", "explain_unapproved"]


def explain_absent(target: str) -> NotFound:
    """There is no such version, or the caller may not know of it: the two read alike."""
    return NotFound(f"There is no {target[:600]}, or you don't have access to it.")


def explain_missing_verb(caller: Caller) -> NotAllowed:
    """The key has not the verb fetch."""
    sentence = f"This key may not fetch: that takes one with the verb fetch. {_describe_granters(caller)}"
    return NotAllowed(sentence, verb=Verb.FETCH.value)


def explain_unapproved(caller: Caller, target: str) -> NotAllowed:
    """The key is limited to approved versions."""
    return NotAllowed(
        f"{target} is not approved, and this key is limited to approved versions. Ask for "
        f"{' or '.join(sorted(caller.protected)) or 'an approved version'}, or have it approved.",
        approved_only=True,
    )


def explain_other_label(caller: Caller, target: str) -> NotAllowed:
    """The key is limited to what some labels serve."""
    labels = sorted(caller.labels)
    return NotAllowed(
        f"{target} is not what {' or '.join(labels)} serves now, and this key is limited to that. "
        f"{_describe_granters(caller)}",
        labels=labels,
    )


def _describe_granters(caller: Caller) -> str:
    """Who gives a key that may more; asks the database, which refusals alone do."""
    renew_connection()
    return describe_granters(Namespace.objects.get(name=caller.namespace))
