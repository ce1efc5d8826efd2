"""The forms of a namespace's rules and of a new namespace, with approvals and owners as text."""

from typing import Any

from django import forms
from django.http import QueryDict
from django.utils.translation import gettext, gettext_lazy

from frontend.web.forms import split_words
from registry.namespaces.models import COMPATIBILITY
from registry.namespaces.rules import CHECKS, DEFAULT_CHECKS, ApprovalRule, Owner, Rules

__all__ = [
    "CHECKS_IN_WORDS",
    "MODES_IN_WORDS",
    "NamespaceForm",
    "RulesForm",
    "list_owner_names",
    "read_initial_rules",
    "read_owner_names",
]

CHECKS_IN_WORDS = {
    "problems": gettext_lazy("the document has no errors"),
    "samples": gettext_lazy("every sample renders"),
    "budget": gettext_lazy("every sample fits the token limit"),
    "contract": gettext_lazy("no caller has to send something else"),
    "dependants": gettext_lazy("templates that include it stay sound"),
    "evaluation": gettext_lazy("attached evaluations reach their thresholds"),
}
MODES_IN_WORDS = {
    "none": gettext_lazy("may change freely"),
    "backward": gettext_lazy("may not break what a label serves"),
}

_GROUP = "group:"  # prefix of a group among owners


class RulesForm(forms.Form):
    """All rules of a namespace."""

    protected_labels = forms.CharField(max_length=800, required=False)
    approvals = forms.IntegerField()
    self_approval = forms.BooleanField(required=False)
    suggesters_may_approve = forms.BooleanField(required=False)
    threads_resolved = forms.BooleanField(required=False)
    two_step_required = forms.BooleanField(required=False)
    discard_playground_texts = forms.BooleanField(required=False)
    required_checks = forms.MultipleChoiceField(
        choices=[(name, CHECKS_IN_WORDS[name]) for name in CHECKS], required=False
    )
    compatibility = forms.ChoiceField(choices=[(mode, MODES_IN_WORDS[mode]) for mode in COMPATIBILITY])
    approval_rules = forms.CharField(max_length=20_000, required=False, widget=forms.Textarea)
    owners = forms.CharField(max_length=20_000, required=False, widget=forms.Textarea)
    keys_approved_only = forms.BooleanField(required=False)
    break_glass = forms.BooleanField(required=False)

    def clean_protected_labels(self) -> list[str]:
        return split_words(self.cleaned_data["protected_labels"])

    def clean_approval_rules(self) -> list[dict[str, Any]]:
        lines = enumerate(self.cleaned_data["approval_rules"].splitlines(), start=1)
        return [_parse_approval_rule(number, line) for number, line in lines if line.strip()]

    def clean_owners(self) -> list[dict[str, Any]]:
        lines = enumerate(self.cleaned_data["owners"].splitlines(), start=1)
        return [_parse_owner(number, line) for number, line in lines if line.strip()]


class NamespaceForm(forms.Form):
    """A new namespace: its name, and its initial rules."""

    name = forms.CharField(max_length=64)
    protected_labels = forms.CharField(max_length=800, required=False)
    approvals = forms.IntegerField()
    required_checks = forms.MultipleChoiceField(
        choices=[(name, CHECKS_IN_WORDS[name]) for name in CHECKS], required=False
    )

    def __init__(self, data: QueryDict | None = None, **options: Any) -> None:
        """Browsers don't send unticked boxes: `checks_shown` means that they were in the form. If they weren't, the
        default checks apply.
        """
        if data is not None and "checks_shown" not in data and "required_checks" not in data:
            data = data.copy()
            data.setlist("required_checks", list(DEFAULT_CHECKS))
        super().__init__(data, **options)

    def clean_protected_labels(self) -> list[str]:
        return split_words(self.cleaned_data["protected_labels"])


def read_initial_rules(rules: Rules) -> dict[str, Any]:
    """The rules as initial values: lists as words, one line for each approval rule and each owner."""
    lines = [f"{owner.pattern}: {', '.join(list_owner_names(owner))}" for owner in rules.owners]
    return {
        **rules.to_columns(),
        "protected_labels": ", ".join(rules.protected_labels),
        "approval_rules": "\n".join(map(_describe_approval_rule, rules.approval_rules)),
        "owners": "\n".join(lines),
    }


def _describe_approval_rule(rule: ApprovalRule) -> str:
    """A line of the form: `production refunds: 2, legal`."""
    requirements = ([str(rule.approvals)] if rule.approvals else []) + list(rule.groups)
    return f"{rule.label or '*'} {rule.folder}".rstrip() + f": {', '.join(requirements)}"


def _parse_approval_rule(number: int, line: str) -> dict[str, Any]:
    where, colon, requirement = line.partition(":")
    places, words = where.split(), split_words(requirement)
    numbers = [word for word in words if word.isdecimal() and len(word) < 4]
    if not colon or not 1 <= len(places) <= 2 or not words or len(numbers) > 1:
        raise forms.ValidationError(
            gettext(
                "Line {number} can't be read: write a label or *, maybe a folder, a colon, a number, groups or both."
            ).format(number=number)
        )
    return {
        "label": "" if places[0] == "*" else places[0],
        "folder": places[1] if len(places) > 1 else "",
        "approvals": int(numbers[0]) if numbers else 0,
        "groups": [word for word in words if word not in numbers],
    }


def list_owner_names(owner: Owner) -> list[str]:
    """The users and groups as typed: `reviewer`, `group:legal`."""
    return [*owner.people, *(f"{_GROUP}{name}" for name in owner.groups)]


def _parse_owner(number: int, line: str) -> dict[str, Any]:
    pattern, colon, people = line.partition(":")
    if not colon or not pattern.strip() or not split_words(people):
        raise forms.ValidationError(
            gettext("Line {number} can't be read: write a pattern, a colon, and accounts or groups.").format(
                number=number
            )
        )
    return {"pattern": pattern.strip(), **read_owner_names(people)}


def read_owner_names(text: str) -> dict[str, list[str]]:
    """The users (`people`) and names of groups (`groups`) in a text such as `reviewer, group:legal`."""
    names = split_words(text)
    return {
        "people": [name for name in names if not name.startswith(_GROUP)],
        "groups": [name.removeprefix(_GROUP) for name in names if name.startswith(_GROUP)],
    }
