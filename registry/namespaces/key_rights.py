"""What a key may do, and which versions it may see, within the role of its person."""

from django.utils.translation import gettext

from registry.accounts.actor import Actor
from registry.accounts.models import Key
from registry.core.errors import NotAllowed
from registry.namespaces.granters import describe_granters
from registry.namespaces.verbs import (
    BY_NAME_ONLY,
    IN_WORDS,
    NEVER_BY_KEY,
    NEVER_BY_NARROW_KEY,
    SCOPES,
    WRITING,
    Verb,
)

__all__ = ["is_limited", "is_narrow", "list_key_verbs", "require_key", "require_wide"]


def list_key_verbs(key: Key) -> frozenset[Verb]:
    """All that the key may do, within the role of its person."""
    if key.scope == Key.CHOSEN:
        return frozenset(Verb(verb) for verb in key.verbs) - NEVER_BY_KEY
    return SCOPES[key.scope]


def require_key(key: Key, verb: Verb) -> None:
    """Raise NotAllowed if the key doesn't have this verb, or is too narrow for it."""
    if verb in NEVER_BY_KEY:
        raise NotAllowed(
            gettext("A key can't {act}: sign in as a person to do this.").format(act=IN_WORDS[verb]),
            verb=verb.value,
            key=key.id,
        )
    if verb == Verb.BROWSE:
        is_wide, verb = True, Verb.READ
    else:
        is_wide = verb not in NEVER_BY_NARROW_KEY or not is_narrow(key)
    if verb in list_key_verbs(key):
        if not is_wide:
            raise _refuse_narrow_key(key, verb)
        return
    if key.scope == Key.CHOSEN:
        sentence = gettext("The key {name} may {verbs}; to {act} takes one with the verb {verb}. {granters}")
    elif verb in BY_NAME_ONLY:
        sentence = gettext("The key {name} has the scope {scope}; to {act} takes one with the verb {verb}. {granters}")
    else:
        sentence = gettext("The key {name} has the scope {scope}; to {act} takes one with the scope write. {granters}")
    raise NotAllowed(
        sentence.format(
            name=key.name,
            verbs=", ".join(key.verbs),
            scope=key.scope,
            act=IN_WORDS[verb],
            verb=verb.value,
            granters=describe_granters(key.namespace),
        ),
        verb=verb.value,
        key=key.id,
    )


def is_limited(key: Key) -> bool:
    """Whether the key gets approved digests only: as set; by default for read-only keys if a label is protected, unless
    the namespace's rule keys_approved_only is off.

    A key that may write can read what it changes, approved or not.
    """
    if key.approved_only is not None:
        return key.approved_only
    space = key.namespace
    return space.keys_approved_only and bool(space.protected_labels) and not WRITING & list_key_verbs(key)


def is_narrow(key: Key) -> bool:
    """Whether the key sees only some versions: the approved ones, or those that its labels serve."""
    return bool(key.labels) or is_limited(key)


def require_wide(actor: Actor, verb: Verb) -> None:
    """Raise NotAllowed for a narrow key: the action shows text of versions that it may not fetch."""
    if actor.key is not None and is_narrow(actor.key):
        raise _refuse_narrow_key(actor.key, verb)


def _refuse_narrow_key(key: Key, verb: Verb) -> NotAllowed:
    """The error for actions that show text of versions that a narrow key may not fetch.

    Change requests, threads, runs, datasets, samples and the journal all quote drafts. So a narrow key gets none of
    these, and elsewhere only the versions that it may fetch.
    """
    limit = gettext("approved versions")
    if key.labels:
        limit = gettext("what {labels} serves").format(labels=gettext(" and ").join(key.labels))
    return NotAllowed(
        gettext(
            "The key {name} is limited to {limit}, and this shows text of other versions too. It may "
            "list templates, fetch, check and render. {granters}"
        ).format(name=key.name, limit=limit, granters=describe_granters(key.namespace)),
        verb=verb.value,
        key=key.id,
    )
