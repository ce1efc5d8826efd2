"""The rules of a namespace as a form: what an admin types, and the values that the service takes."""

from typing import Any

from django import forms
from django.http import QueryDict

from registry.namespaces.models import COMPATIBILITY
from registry.namespaces.rules import CHECKS, DEFAULT_CHECKS, Rules

__all__ = ["NamespaceForm", "RulesForm", "initial"]

CHECKS_IN_WORDS = {
    "problems": "the document has no errors",
    "samples": "every sample renders",
    "budget": "every sample fits the token limit",
    "contract": "no caller has to send something else",
    "dependants": "templates that include it stay sound",
    "evaluation": "attached evaluations reach their thresholds",
}
MODES_IN_WORDS = {"none": "may change freely", "backward": "may not break what a label serves"}


class RulesForm(forms.Form):
    """All rules of a namespace."""

    protected_labels = forms.CharField(max_length=800, required=False)
    approvals = forms.IntegerField()
    self_approval = forms.BooleanField(required=False)
    suggesters_may_approve = forms.BooleanField(required=False)
    required_checks = forms.MultipleChoiceField(
        choices=[(name, CHECKS_IN_WORDS[name]) for name in CHECKS], required=False
    )
    compatibility = forms.ChoiceField(choices=[(mode, MODES_IN_WORDS[mode]) for mode in COMPATIBILITY])
    owners = forms.CharField(max_length=20_000, required=False, widget=forms.Textarea)
    keys_approved_only = forms.BooleanField(required=False)
    break_glass = forms.BooleanField(required=False)

    def clean_protected_labels(self) -> list[str]:
        return _words(self.cleaned_data["protected_labels"])

    def clean_owners(self) -> list[dict[str, Any]]:
        lines = enumerate(self.cleaned_data["owners"].splitlines(), start=1)
        return [_owner(number, line) for number, line in lines if line.strip()]


class NamespaceForm(forms.Form):
    """A new namespace: its name, and the first rules."""

    name = forms.CharField(max_length=64)
    protected_labels = forms.CharField(max_length=800, required=False)
    approvals = forms.IntegerField()
    required_checks = forms.MultipleChoiceField(
        choices=[(name, CHECKS_IN_WORDS[name]) for name in CHECKS], required=False
    )

    def __init__(self, data: QueryDict | None = None, **options: Any) -> None:
        """A browser sends nothing for boxes that are not ticked: `checks_shown` says that they were there to be ticked.
        Where the form that was sent showed none, the checks are those of every new namespace."""
        if data is not None and "checks_shown" not in data and "required_checks" not in data:
            data = data.copy()
            data.setlist("required_checks", list(DEFAULT_CHECKS))
        super().__init__(data, **options)

    def clean_protected_labels(self) -> list[str]:
        return _words(self.cleaned_data["protected_labels"])


def initial(rules: Rules) -> dict[str, Any]:
    """The rules as the form shows them: lists as words, an owner a line."""
    lines = [f"{owner.pattern}: {', '.join(owner.people)}" for owner in rules.owners]
    return {
        **rules.values(),
        "protected_labels": ", ".join(rules.protected_labels),
        "owners": "\n".join(lines),
    }


def _words(text: str) -> list[str]:
    return [word for word in text.replace(",", " ").split() if word]


def _owner(number: int, line: str) -> dict[str, Any]:
    pattern, colon, people = line.partition(":")
    names = _words(people)
    if not colon or not pattern.strip() or not names:
        raise forms.ValidationError(f"Line {number} is no owner: write a pattern, a colon, and accounts.")
    return {"pattern": pattern.strip(), "people": names}
