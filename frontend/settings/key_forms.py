"""The forms of a namespace's keys: a new key, a new secret, and allowed addresses."""

from collections.abc import Sequence
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy

from frontend.web.forms import set_choices, split_words
from registry.accounts.models import Key
from registry.namespaces.verbs import KEY_VERBS

__all__ = ["AddressesForm", "KeyForm", "RotateForm"]

VERSIONS_OF_KEYS = [
    ("", gettext_lazy("as the namespace's rules say")),
    ("approved", gettext_lazy("approved ones only")),
    ("any", gettext_lazy("any version")),
]


class KeyForm(forms.Form):
    """A service, the user it acts for, and its permissions."""

    name = forms.CharField(max_length=100)
    person = forms.ChoiceField()
    scope = forms.ChoiceField(
        choices=[
            (Key.READ, gettext_lazy("read")),
            (Key.WRITE, gettext_lazy("write, which includes read, but not rolling back")),
            (Key.CHOSEN, gettext_lazy("only what is chosen below")),
        ]
    )
    verbs = forms.MultipleChoiceField(
        choices=[(verb.value, verb.value) for verb in KEY_VERBS], required=False, widget=forms.CheckboxSelectMultiple
    )
    labels = forms.CharField(max_length=800, required=False)
    addresses = forms.CharField(max_length=3000, required=False)
    versions = forms.ChoiceField(choices=VERSIONS_OF_KEYS, required=False)
    days = forms.TypedChoiceField(
        coerce=int,
        choices=[
            (0, gettext_lazy("never (until revoked)")),
            (30, gettext_lazy("30 days")),
            (90, gettext_lazy("90 days")),
            (365, gettext_lazy("a year")),
        ],
        initial=0,
    )

    def __init__(self, *args: Any, people: Sequence[str], **options: Any) -> None:
        super().__init__(*args, **options)
        set_choices(self, "person", [(person, person) for person in people])

    def clean_labels(self) -> list[str]:
        return split_words(self.cleaned_data["labels"])

    def clean_addresses(self) -> list[str]:
        return split_words(self.cleaned_data["addresses"])

    def clean_versions(self) -> bool | None:
        return {"approved": True, "any": False}.get(self.cleaned_data["versions"])


class RotateForm(forms.Form):
    """The key, and how many hours the old secret remains valid."""

    key = forms.CharField(max_length=20)
    hours = forms.TypedChoiceField(
        coerce=int,
        choices=[
            (0, gettext_lazy("ends at once")),
            (1, gettext_lazy("works for another hour")),
            (24, gettext_lazy("works for another day")),
            (168, gettext_lazy("works for another week")),
        ],
        initial=24,
    )


class AddressesForm(forms.Form):
    """The network addresses that may use a key; empty for any."""

    key = forms.CharField(max_length=20)
    addresses = forms.CharField(max_length=3000, required=False)

    def clean_addresses(self) -> list[str]:
        return split_words(self.cleaned_data["addresses"])
