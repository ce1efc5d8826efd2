"""The form of a webhook."""

from django import forms

from registry.webhooks.queries import KINDS

__all__ = ["WebhookForm"]


class WebhookForm(forms.Form):
    """An address and what it hears of; nothing chosen means all."""

    url = forms.CharField(max_length=2000)
    template = forms.CharField(max_length=200, required=False)
    kinds = forms.MultipleChoiceField(
        choices=[(kind, kind) for kind in KINDS], required=False, widget=forms.CheckboxSelectMultiple
    )
