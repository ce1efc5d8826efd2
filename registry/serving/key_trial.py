"""A key's permissions in sentences, and a trial of one action as that key.

Both use the functions that answer the key's own calls. A trial changes nothing and is not counted.
"""

import time
from collections.abc import Iterator
from dataclasses import dataclass

from django.db.models import Q
from django.utils.formats import number_format
from django.utils.translation import gettext, gettext_lazy, ngettext

from registry.accounts.actor import Actor
from registry.accounts.models import Key
from registry.changes import head_checks
from registry.core import names
from registry.core.client_address import parse_networks, read_networks
from registry.core.errors import Invalid, PromptuaryError
from registry.core.problem_details import find_status
from registry.namespaces import key_queries, key_rights, permissions
from registry.namespaces.models import Namespace
from registry.namespaces.verbs import KEY_VERBS, NEVER_BY_NARROW_KEY, Verb
from registry.serving.credentials import read_caller
from registry.serving.fetcher import get_fetcher
from registry.templates import labels as template_labels
from registry.templates import queries as template_queries
from registry.templates.models import Template

__all__ = ["ACTS", "KeyAbility", "KeyTrial", "describe_abilities", "try_key"]

ACTS = tuple(verb.value for verb in (Verb.FETCH, *(verb for verb in KEY_VERBS if verb is not Verb.FETCH), Verb.APPROVE))
_OF_LABELS = (Verb.PROPOSE, Verb.MOVE, Verb.PUBLISH, Verb.ROLL_BACK)
_STILL_NEEDED = {
    Verb.PUBLISH: gettext_lazy("The key has the right, where the change is approved and its checks pass."),
    Verb.ROLL_BACK: gettext_lazy("The key has the right, to a version that the label held before."),
    Verb.PROPOSE: gettext_lazy("The key has the right, where the label does not serve the version already."),
    Verb.SAVE: gettext_lazy("The key has the right, where the document has no errors."),
}
_OK, _UNAUTHORIZED = 200, 401


@dataclass(frozen=True)
class KeyAbility:
    """One sentence about a key: `Can fetch` and what follows."""

    is_allowed: bool
    verb: str
    description: str


@dataclass(frozen=True)
class KeyTrial:
    """The server's hypothetical response to the key. number, digest: of the version that a fetch would return."""

    act: str
    target: str
    status: int
    sentence: str
    number: int | None = None
    digest: str = ""

    @property
    def is_allowed(self) -> bool:
        """Whether the key's request would succeed."""
        return self.status == _OK


def describe_abilities(actor: Actor, key_id: str) -> list[KeyAbility]:
    """What the key can and can't do now, in sentences; for admins and the person it acts for."""
    key = key_queries.find_key(actor, key_id)
    if reason := _explain_end(key):
        return [KeyAbility(False, gettext("Can't do anything."), reason)]
    return list(_list_abilities(key))


def try_key(*, actor: Actor, key_id: str, act: str, template: str, ref: str = "", address: str = "") -> KeyTrial:
    """What the server would answer the key for this action; for admins and the person it acts for.

    act: one of ACTS. ref: the version or label to fetch, for other actions the label, if any. address: the IP address
    that the key is used from; empty for an allowed one.
    """
    key = key_queries.find_key(actor, key_id)
    if act not in ACTS:
        raise Invalid(fields={"act": gettext("one of {names}.").format(names=", ".join(ACTS))})
    verb, template, ref = Verb(act), template.strip(), ref.strip()
    if not template:
        raise Invalid(fields={"template": gettext("say which template, as namespace/path.")})
    if verb is Verb.FETCH and not ref:
        raise Invalid(fields={"ref": gettext("say which version or label, such as production or 3.")})
    address = _read_address(address)
    target = f"{template}@{ref}" if ref else template
    if reason := _explain_end(key):
        return KeyTrial(act, target, _UNAUTHORIZED, reason)
    try:
        if address:
            key_queries.require_address(key.id, parse_networks(key.addresses), address)
        if verb is Verb.FETCH:
            get_fetcher().follower.poll_if_due()
            version = get_fetcher().find_version(read_caller(key, time.monotonic()), target)
            return KeyTrial(act, target, _OK, "", version.number, version.digest)
        _require_right(Actor(key.person, key), verb, template, ref)
    except PromptuaryError as error:
        return KeyTrial(act, target, find_status(error), error.message)
    return KeyTrial(act, target, _OK, str(_STILL_NEEDED.get(verb, "")))


def _read_address(text: str) -> str:
    if "/" in text:
        raise Invalid(fields={"address": gettext("one address, such as 203.0.113.7, and no network.")})
    return read_networks("address", [text], 1)[0].partition("/")[0] if text.strip() else ""


def _require_right(actor: Actor, verb: Verb, name: str, label: str) -> None:
    if verb is Verb.SAVE and not Template.objects.filter(Q(name=name) | Q(former_names__name=name)).exists():
        permissions.find_namespace(actor, verb, *names.check_template(name))  # like the first save of a new template
        return
    template = template_queries.find_template(actor, verb, name)
    if not label or verb not in _OF_LABELS:
        return
    permissions.require_label(actor, label)
    if verb is Verb.MOVE:
        template_labels.require_unprotected(template, label)
    if verb is Verb.PROPOSE:
        head_checks.require_protected(template, label)


def _explain_end(key: Key) -> str:
    if not key.person.is_active:
        return gettext("{person}, whom it acts for, is deactivated.").format(person=key.person.username)
    if key.revoked_at is not None:
        return gettext("It is revoked.")
    return gettext("It has expired.") if key_queries.has_key_ended(key) else ""


def _list_abilities(key: Key) -> Iterator[KeyAbility]:
    actor, space = Actor(key.person, key), key.namespace
    if permissions.find_role(key.person, space) is None:
        details = gettext("{person} has no role in {namespace} any more.")
        details = details.format(person=key.person.username, namespace=space.name)
        yield KeyAbility(False, gettext("Can't do anything."), details)
        return
    if key.addresses:
        details = gettext("from network addresses other than {addresses}.").format(addresses=_join_names(key.addresses))
        yield KeyAbility(False, gettext("Can't be used"), details)
    allowed = [verb for verb in KEY_VERBS if permissions.is_allowed(actor, verb, space)]
    if Verb.FETCH in allowed:
        yield KeyAbility(True, gettext("Can fetch"), _describe_versions(key, space))
        yield KeyAbility(False, gettext("Can't fetch"), _describe_unfetchable(key))
    for verb in allowed:
        if verb is not Verb.FETCH:
            can = gettext("Can {act}").format(act=key_queries.describe_verb(verb))
            yield KeyAbility(True, can, _describe_place(key, space, verb))
    narrowed = [verb for verb in KEY_VERBS if verb not in allowed and verb in key_rights.list_key_verbs(key)]
    narrowed = [verb for verb in narrowed if verb in NEVER_BY_NARROW_KEY and key_rights.is_narrow(key)]
    if narrowed:
        acts = _join_choices([key_queries.describe_verb(verb) for verb in narrowed])
        details = gettext("although it was given this: that shows text of versions that the key can't fetch.")
        yield KeyAbility(False, gettext("Can't {acts},").format(acts=acts), details)
    refused = [key_queries.describe_verb(verb) for verb in KEY_VERBS if verb not in (*allowed, *narrowed)]
    if refused:
        yield KeyAbility(False, gettext("Can't {acts}.").format(acts=_join_choices(refused)), "")
    never = gettext("Can't approve, manage or try a prompt with a model.")
    yield KeyAbility(False, never, gettext("No key can do that."))


def _describe_place(key: Key, space: Namespace, verb: Verb) -> str:
    """Where the key may do the action."""
    if key.labels and verb in _OF_LABELS:
        sentence = gettext("in {namespace} on {labels}.")
        return sentence.format(namespace=space.name, labels=_join_names(list(key.labels)))
    return gettext("in {namespace}.").format(namespace=space.name)


def _describe_versions(key: Key, space: Namespace) -> str:
    """The versions that the key may fetch, and of how many templates."""
    count = Template.objects.filter(namespace=space, archived_at=None).count()
    sentence = ngettext(
        "{versions}, in the one template of {namespace}.", "{versions}, in all {count} templates of {namespace}.", count
    )
    count_text = number_format(count, force_grouping=True)
    return sentence.format(versions=_name_versions(key, space), count=count_text, namespace=space.name)


def _name_versions(key: Key, space: Namespace) -> str:
    if key.labels:
        labels = _join_names(list(key.labels))
        serves = ngettext("what {labels} serves", "what {labels} serve", len(key.labels))
        if key_rights.is_limited(key):
            serves = ngettext(
                "what {labels} serves, where it is approved",
                "what {labels} serve, where it is approved",
                len(key.labels),
            )
        return serves.format(labels=labels)
    if key_rights.is_limited(key):
        labels = _join_names(list(space.protected_labels))
        sentence = ngettext(
            "approved versions, and what {labels} serves",
            "approved versions, and what {labels} serve",
            len(space.protected_labels),
        )
        return sentence.format(labels=labels)
    return gettext("any version")


def _describe_unfetchable(key: Key) -> str:
    """What the key can't fetch."""
    if key_rights.is_narrow(key):
        return gettext("other versions, drafts or anything of other namespaces.")
    return gettext("drafts or anything of other namespaces.")


def _join_names(names: list[str]) -> str:
    return _join(names, gettext("{others} and {last}"))


def _join_choices(words: list[str]) -> str:
    return _join(words, gettext("{others} or {last}"))


def _join(words: list[str], together: str) -> str:
    return words[0] if len(words) == 1 else together.format(others=", ".join(words[:-1]), last=words[-1])
