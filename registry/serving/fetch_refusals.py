"""Refusals of fetches, with messages that say what the key may fetch and who can grant more."""

from registry.core.errors import NotAllowed, NotFound
from registry.namespaces.granters import describe_granters
from registry.namespaces.models import Namespace
from registry.namespaces.verbs import Verb
from registry.serving.credentials import Caller
from registry.serving.journal_follower import renew_connection

__all__ = ["explain_absent", "explain_missing_verb", "explain_other_label", "explain_unapproved"]


def explain_absent(target: str) -> NotFound:
    """The error for a missing version and for one that the caller may not know of, which must look the same."""
    return NotFound(f"There is no {target[:600]}, or you don't have access to it.")


def explain_missing_verb(caller: Caller) -> NotAllowed:
    """The error of a key without the verb fetch."""
    sentence = f"This key may not fetch: that takes one with the verb fetch. {_describe_granters(caller)}"
    return NotAllowed(sentence, verb=Verb.FETCH.value)


def explain_unapproved(caller: Caller, target: str) -> NotAllowed:
    """The error of a key limited to approved versions."""
    return NotAllowed(
        f"{target} is not approved, and this key is limited to approved versions. Ask for "
        f"{' or '.join(sorted(caller.protected)) or 'an approved version'}, or have it approved.",
        approved_only=True,
    )


def explain_other_label(caller: Caller, target: str) -> NotAllowed:
    """The error of a key limited to what some labels serve."""
    labels = sorted(caller.labels)
    return NotAllowed(
        f"{target} is not what {' or '.join(labels)} serves now, and this key is limited to that. "
        f"{_describe_granters(caller)}",
        labels=labels,
    )


def _describe_granters(caller: Caller) -> str:
    """The people who can grant more; queries the database, which only refusals do."""
    renew_connection()
    return describe_granters(Namespace.objects.get(name=caller.namespace))
