"""The panel "What can this key do?" of the keys page: its sentences, and a trial as the key."""

from typing import Any

from django import forms
from django.http import HttpRequest

from frontend.web.forms import add_errors
from registry.accounts.actor import Actor
from registry.core.errors import Invalid, NotFound
from registry.namespaces import key_queries
from registry.serving import key_trial
from registry.serving.key_trial import KeyTrial

__all__ = ["TrialForm", "panel_context"]

_ACTS = [(act, act.replace("_", " ")) for act in key_trial.ACTS]


class TrialForm(forms.Form):
    """What to try as the key."""

    act = forms.ChoiceField(choices=_ACTS)
    template = forms.CharField(max_length=520, required=False)
    ref = forms.CharField(max_length=100, required=False)


def panel_context(request: HttpRequest, actor: Actor) -> dict[str, Any]:
    """What `_key_panel.html` needs where the address names a key in `can`, else nothing; `try` in the address tries."""
    key_id = request.GET.get("can", "")
    if not key_id:
        return {"panel_key": None}
    try:
        key = key_queries.find_key(actor, key_id)
    except NotFound:
        return {"panel_key": None}
    start = {"act": "fetch", "template": f"{key.namespace.name}/", "ref": "production"}
    is_trial = "act" in request.GET
    form = TrialForm(request.GET if is_trial else None, initial=start)
    return {
        "panel_key": key,
        "abilities": key_trial.describe_abilities(actor, key_id),
        "trial_form": form,
        "trial": _try(actor, key_id, form) if is_trial and form.is_valid() else None,
    }


def _try(actor: Actor, key_id: str, form: TrialForm) -> KeyTrial | None:
    try:
        return key_trial.try_key(actor=actor, key_id=key_id, **form.cleaned_data)
    except Invalid as error:
        add_errors(form, error)
        return None
