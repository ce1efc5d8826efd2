"""Refusals of fetches, with messages that say what the key may fetch and who can grant more."""

from collections.abc import Collection

from django.utils.translation import gettext

from registry.core.errors import NotAllowed, NotFound
from registry.namespaces.granters import describe_granters
from registry.namespaces.models import Namespace
from registry.namespaces.verbs import Verb
from registry.serving.credentials import Caller
from registry.serving.journal_follower import renew_connection

__all__ = ["explain_absent", "explain_missing_verb", "explain_other_label", "explain_unapproved"]


def explain_absent(target: str) -> NotFound:
    """The error for a missing version and for one that the caller may not know of, which must look the same."""
    return NotFound(gettext("There is no {target}, or you don't have access to it.").format(target=target[:600]))


def explain_missing_verb(caller: Caller) -> NotAllowed:
    """The error of a key without the verb fetch."""
    sentence = gettext("This key may not fetch: that takes one with the verb fetch.")
    return NotAllowed(f"{sentence} {_describe_granters(caller)}", verb=Verb.FETCH.value)


def explain_unapproved(caller: Caller, target: str) -> NotAllowed:
    """The error of a key limited to approved versions."""
    sentence = gettext(
        "{target} is not approved, and this key is limited to approved versions. Ask for {alternative}, or have it "
        "approved."
    )
    alternative = _join_labels(caller.protected) or gettext("an approved version")
    return NotAllowed(sentence.format(target=target, alternative=alternative), approved_only=True)


def explain_other_label(caller: Caller, target: str) -> NotAllowed:
    """The error of a key limited to what some labels serve."""
    labels = sorted(caller.labels)
    sentence = gettext("{target} is not what {names} serves now, and this key is limited to that.")
    sentence = sentence.format(target=target, names=_join_labels(labels))
    return NotAllowed(f"{sentence} {_describe_granters(caller)}", labels=labels)


def _join_labels(labels: Collection[str]) -> str:
    *others, last = sorted(labels) or [""]
    return gettext("{others} or {last}").format(others=", ".join(others), last=last) if others else last


def _describe_granters(caller: Caller) -> str:
    """The people who can grant more; queries the database, which only refusals do."""
    renew_connection()
    return describe_granters(Namespace.objects.get(name=caller.namespace))
