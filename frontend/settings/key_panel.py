"""The panel "What can this key do?" of the keys page: its sentences, and a trial with the key."""

from typing import Any

from django import forms
from django.http import HttpRequest

from frontend.settings.key_forms import AddressesForm
from frontend.web.forms import add_errors
from registry.accounts.actor import Actor
from registry.accounts.models import Key
from registry.core.errors import Conflict, Invalid, NotFound
from registry.core.problem_details import find_status
from registry.namespaces import key_queries, keys, permissions
from registry.namespaces.verbs import Verb
from registry.serving import key_trial
from registry.serving.key_trial import KeyTrial
from registry.usage import queries as usage_queries
from registry.usage.queries import DAYS

__all__ = ["TrialForm", "make_panel_context", "set_addresses"]

_IDS = "id_panel_%s"  # the form of a new key, on the same page, has addresses as well

_ACTS = [(act, act.replace("_", " ")) for act in key_trial.ACTS]


class TrialForm(forms.Form):
    """The request to try with the key."""

    act = forms.ChoiceField(choices=_ACTS)
    template = forms.CharField(max_length=520, required=False)
    ref = forms.CharField(max_length=100, required=False)
    address = forms.CharField(max_length=64, required=False)


def set_addresses(request: HttpRequest, actor: Actor) -> tuple[AddressesForm, int]:
    """Set the addresses from the form. Returns the form, with its errors if there are any, and the status."""
    form = AddressesForm(request.POST, auto_id=_IDS)
    if not form.is_valid():
        return form, 422
    try:
        keys.set_key_addresses(actor=actor, key_id=form.cleaned_data["key"], addresses=form.cleaned_data["addresses"])
    except (Invalid, Conflict) as error:
        add_errors(form, error)
        return form, find_status(error)
    return form, 200


def make_panel_context(
    request: HttpRequest, actor: Actor, addresses_form: AddressesForm | None = None
) -> dict[str, Any]:
    """The context of `_key_panel.html` if `can` in the URL names a key, else without one; `act` in the URL runs a
    trial.

    changed: the posted form of the addresses with its errors, which then determines the key.
    """
    key_id = addresses_form["key"].value() if addresses_form else request.GET.get("can", "")
    if not key_id:
        return {"panel_key": None}
    try:
        key = key_queries.find_key(actor, key_id)
    except NotFound:
        return {"panel_key": None}
    networks = {"key": key.id, "addresses": ", ".join(key.addresses)}
    start = {"act": "fetch", "template": f"{key.namespace.name}/", "ref": "production"}
    is_trial = "act" in request.GET
    form = TrialForm(request.GET if is_trial else None, initial=start)
    trial = _try(actor, key_id, form) if is_trial and form.is_valid() else None
    return {
        "panel_key": key,
        "panel_role": permissions.find_role(key.person, key.namespace),
        "panel_use": usage_queries.find_use_of_key(key),
        "panel_use_days": DAYS,
        "other_refs": _list_other_refs(key, form) if trial and not trial.is_allowed else [],
        "addresses_form": addresses_form or AddressesForm(initial=networks, auto_id=_IDS),
        "has_panel_key_ended": key_queries.has_key_ended(key),
        "abilities": key_trial.describe_abilities(actor, key_id),
        "trial_form": form,
        "trial": trial,
    }


def _list_other_refs(key: Key, form: TrialForm) -> list[str]:
    """The labels to try after a refused fetch: those the key is limited to, else those of the namespace."""
    if form.cleaned_data["act"] != Verb.FETCH:
        return []
    return [label for label in key.labels or key.namespace.protected_labels if label != form.cleaned_data["ref"]]


def _try(actor: Actor, key_id: str, form: TrialForm) -> KeyTrial | None:
    try:
        return key_trial.try_key(actor=actor, key_id=key_id, **form.cleaned_data)
    except Invalid as error:
        add_errors(form, error)
        return None
