"""The form of the owners of one path pattern, which changes that line in the namespace's rules."""

from typing import Any

from django import forms
from django.utils.translation import gettext

from frontend.settings.rule_forms import read_owner_names
from registry.accounts.actor import Actor
from registry.changes import rule_effects, rules
from registry.changes.rule_effects import RuleEffects
from registry.core.errors import Invalid
from registry.namespaces import permissions
from registry.namespaces.models import Namespace
from registry.namespaces.rules import read_rules
from registry.namespaces.verbs import Verb

__all__ = ["OwnerForm", "set_owners"]


class OwnerForm(forms.Form):
    """A pattern, and the users and groups that own matching templates; without owners the pattern is removed."""

    pattern = forms.CharField(max_length=200)
    owners = forms.CharField(max_length=4000, required=False)

    def clean_owners(self) -> dict[str, list[str]]:
        return read_owner_names(self.cleaned_data["owners"])


def set_owners(actor: Actor, namespace: Namespace, data: dict[str, Any], confirmed: str) -> str | RuleEffects:
    """Set the owners of the pattern, after all others if it is new; returns the message.

    Returns the effects instead, without setting anything, if there are any and `confirmed` isn't their seal. Raises
    Invalid naming the field for a new pattern without owners, and for users and groups outside the namespace.
    """
    permissions.require_verb(actor, Verb.MANAGE, namespace)
    pattern, owners = data["pattern"], data["owners"]
    rows = [owner.to_dict() for owner in read_rules(namespace).owners]
    row = {"pattern": pattern, **owners}
    is_new = all(owner["pattern"] != pattern for owner in rows)
    if owners["people"] or owners["groups"]:
        rows = [row if owner["pattern"] == pattern else owner for owner in rows] + ([row] if is_new else [])
        sentence = gettext("Owners of {pattern} are now: {names}.")
    elif is_new:
        sentence = gettext("name an account or a group: {pattern} has no owners that could be removed.")
        raise Invalid(fields={"owners": sentence.format(pattern=pattern)})
    else:
        rows = [owner for owner in rows if owner["pattern"] != pattern]
        sentence = gettext("{pattern} has no owners now.")
    effects = rule_effects.find_rule_effects(actor, namespace.name, {"owners": rows})
    if not effects.is_empty and confirmed != effects.seal:
        return effects
    rules.set_rules(actor=actor, namespace=namespace.name, owners=rows)
    return sentence.format(pattern=pattern, names=", ".join([*owners["people"], *owners["groups"]]))
