"""What a key can do, in sentences, and a trial of one act as that key.

Both ask the functions that answer the key's own calls. A trial changes nothing and is counted nowhere.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from registry.accounts.actor import Actor
from registry.accounts.models import Key
from registry.core.client_address import parse_networks, read_networks
from registry.core.errors import Invalid, PromptuaryError
from registry.core.problem_details import status_of
from registry.namespaces import key_queries, permissions
from registry.namespaces.permissions import KEY_VERBS, Verb
from registry.serving.fetcher import fetcher
from registry.templates import labels as template_labels
from registry.templates import queries as template_queries
from registry.templates.models import Template

__all__ = ["ACTS", "KeyAbility", "KeyTrial", "describe_abilities", "try_key"]

ACTS = tuple(verb.value for verb in (Verb.FETCH, *(verb for verb in KEY_VERBS if verb is not Verb.FETCH), Verb.APPROVE))
_OF_LABELS = (Verb.PROPOSE, Verb.MOVE, Verb.PUBLISH, Verb.ROLL_BACK)
_STILL_NEEDED = {
    Verb.PUBLISH: "where the change is approved and its checks pass",
    Verb.ROLL_BACK: "to a version that the label held before",
    Verb.SAVE: "where the document has no errors",
}
_OK, _UNAUTHORIZED = 200, 401


@dataclass(frozen=True)
class KeyAbility:
    """One sentence about a key: `Can fetch` and the rest of it."""

    is_allowed: bool
    verb: str
    rest: str


@dataclass(frozen=True)
class KeyTrial:
    """What the server would answer the key. number, digest: of the version that a fetch would give."""

    act: str
    target: str
    status: int
    sentence: str
    number: int | None = None
    digest: str = ""

    @property
    def is_allowed(self) -> bool:
        """Whether the key would get what it asks for."""
        return self.status == _OK


def describe_abilities(actor: Actor, key_id: str) -> list[KeyAbility]:
    """What the key can do at this moment, what it can't, in sentences; for admins and the person it acts for."""
    key = key_queries.find_key(actor, key_id)
    if reason := _why_closed(key):
        return [KeyAbility(False, "Can't do anything.", reason)]
    return list(_sentences(key))


def try_key(  # what is tried, and from where
    *, actor: Actor, key_id: str, act: str, template: str, ref: str = "", address: str = ""
) -> KeyTrial:
    """What the server would answer the key for this act; for admins and the person it acts for.

    act: one of ACTS. ref: the version or label to fetch, for other acts the label if the act is about one. address:
    the IP address that the key is used from; empty: one that it is for.
    """
    key = key_queries.find_key(actor, key_id)
    if act not in ACTS:
        raise Invalid(fields={"act": f"one of {', '.join(ACTS)}."})
    verb, template, ref = Verb(act), template.strip(), ref.strip()
    if not template:
        raise Invalid(fields={"template": "say which template, as namespace/path."})
    if verb is Verb.FETCH and not ref:
        raise Invalid(fields={"ref": "say which version or label, such as production or 3."})
    address = _read_address(address)
    target = f"{template}@{ref}" if ref else template
    if reason := _why_closed(key):
        return KeyTrial(act, target, _UNAUTHORIZED, reason)
    try:
        if address:
            key_queries.require_address(key.id, parse_networks(key.addresses), address)
        if verb is Verb.FETCH:
            version = fetcher().find_version_for_key(key, target)
            return KeyTrial(act, target, _OK, "", version.number, version.digest)
        _require_right(Actor(key.person, key), verb, template, ref)
    except PromptuaryError as error:
        return KeyTrial(act, target, status_of(error), error.message)
    needed = _STILL_NEEDED.get(verb)
    return KeyTrial(act, target, _OK, f"The key has the right, {needed}." if needed else "")


def _read_address(text: str) -> str:
    if "/" in text:
        raise Invalid(fields={"address": "one address, such as 203.0.113.7, and no network."})
    return read_networks("address", [text], 1)[0].partition("/")[0] if text.strip() else ""


def _require_right(actor: Actor, verb: Verb, name: str, label: str) -> None:
    template = template_queries.find_template(actor, verb, name)
    if not label or verb not in _OF_LABELS:
        return
    permissions.require_label(actor, label)
    if verb is Verb.MOVE:
        template_labels.require_unprotected(template, label)


def _why_closed(key: Key) -> str:
    if not key.person.is_active:
        return f"{key.person.username}, whom it acts for, is deactivated."
    if key.revoked_at is not None:
        return "It is revoked."
    return "It has expired." if key_queries.has_key_ended(key) else ""


def _sentences(key: Key) -> Iterator[KeyAbility]:
    actor, space = Actor(key.person, key), key.namespace
    if permissions.role_of(key.person, space) is None:
        yield KeyAbility(False, "Can't do anything.", f"{key.person.username} has no role in {space.name} any more.")
        return
    if key.addresses:
        yield KeyAbility(False, "Can't be used", f"from network addresses other than {_join(key.addresses, 'and')}.")
    allowed = [verb for verb in KEY_VERBS if permissions.is_allowed(actor, verb, space)]
    count = Template.objects.filter(namespace=space, archived_at=None).count()
    where = f"in all {count:,} templates of {space.name}" if count != 1 else f"in the one template of {space.name}"
    if Verb.FETCH in allowed:
        yield KeyAbility(True, "Can fetch", f"{_describe_versions(key)}, {where}.")
        yield KeyAbility(False, "Can't fetch", _describe_rest(key))
    for verb in allowed:
        if verb is not Verb.FETCH:
            on = f" on {' and '.join(key.labels)}" if key.labels and verb in _OF_LABELS else ""
            yield KeyAbility(True, f"Can {key_queries.describe_verb(verb)}", f"in {space.name}{on}.")
    refused = [key_queries.describe_verb(verb) for verb in KEY_VERBS if verb not in allowed]
    if refused:
        yield KeyAbility(False, f"Can't {_join(refused)}.", "")
    yield KeyAbility(False, "Can't approve, manage or try a prompt with a model.", "No key can ever.")


def _describe_versions(key: Key) -> str:
    """The versions that the key fetches."""
    if key.labels:
        words = f"what {_join(list(key.labels), 'and')} {'serve' if len(key.labels) > 1 else 'serves'}"
        return f"{words}, where it is approved" if permissions.is_limited(key) else words
    if permissions.is_limited(key):
        return f"approved versions, and what {_join(list(key.namespace.protected_labels), 'and')} serves"
    return "any version"


def _describe_rest(key: Key) -> str:
    """What no fetch of the key gives."""
    others = "other versions, drafts" if permissions.is_narrow(key) else "drafts"
    return f"{others} or anything of other namespaces."


def _join(words: list[str], conjunction: str = "or") -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} {conjunction} {words[-1]}"
