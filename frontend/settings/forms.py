"""The forms of a namespace's settings: rules, members, invitations, keys, webhooks, connections."""

from collections.abc import Sequence
from typing import Any

from django import forms
from django.http import QueryDict
from django.utils.translation import gettext, gettext_lazy

from frontend.settings.event_titles import name_kind
from frontend.web.forms import set_choices
from registry.accounts.models import Key
from registry.namespaces.models import COMPATIBILITY, Role
from registry.namespaces.rules import CHECKS, DEFAULT_CHECKS, ApprovalRule, Owner, Rules
from registry.namespaces.verbs import KEY_VERBS
from registry.webhooks.models import Webhook
from registry.webhooks.queries import KINDS

__all__ = [
    "ROLES_IN_WORDS",
    "AddressesForm",
    "CapForm",
    "ConnectionForm",
    "GroupForm",
    "InvitationForm",
    "KeyForm",
    "MemberForm",
    "NamespaceForm",
    "NamespaceInvitationForm",
    "RotateForm",
    "RulesForm",
    "WebhookForm",
    "initial_rules",
    "list_owner_names",
    "read_owner_names",
]

VERSIONS_OF_KEYS = [
    ("", gettext_lazy("as the namespace's rules say")),
    ("approved", gettext_lazy("approved ones only")),
    ("any", gettext_lazy("any version")),
]
CHECKS_IN_WORDS = {
    "problems": gettext_lazy("the document has no errors"),
    "samples": gettext_lazy("every sample renders"),
    "budget": gettext_lazy("every sample fits the token limit"),
    "contract": gettext_lazy("no caller has to send something else"),
    "dependants": gettext_lazy("templates that include it stay sound"),
    "evaluation": gettext_lazy("attached evaluations reach their thresholds"),
}
RECEIVERS_IN_WORDS = {
    Webhook.STANDARD: gettext_lazy("a service (Standard Webhooks, signed)"),
    Webhook.SLACK: "Slack",
    Webhook.TEAMS: "Microsoft Teams",
}
ROLES_IN_WORDS = {
    Role.READER: gettext_lazy("reader"),
    Role.AUTHOR: gettext_lazy("author"),
    Role.REVIEWER: gettext_lazy("reviewer"),
    Role.ADMIN: gettext_lazy("admin"),
}
MODES_IN_WORDS = {
    "none": gettext_lazy("may change freely"),
    "backward": gettext_lazy("may not break what a label serves"),
}

_GROUP = "group:"  # before the name of a group among owners

PROTOCOLS_IN_WORDS = {
    "openai": gettext_lazy("OpenAI chat completions, or a local server (llama.cpp, vLLM, Ollama)"),
    "responses": gettext_lazy("OpenAI responses"),
    "anthropic": gettext_lazy("Anthropic messages"),
}


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
        return _words(self.cleaned_data["protected_labels"])

    def clean_approval_rules(self) -> list[dict[str, Any]]:
        lines = enumerate(self.cleaned_data["approval_rules"].splitlines(), start=1)
        return [_approval_rule(number, line) for number, line in lines if line.strip()]

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


class KeyForm(forms.Form):
    """A service, whom it acts for, and what it may."""

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
        return _words(self.cleaned_data["labels"])

    def clean_addresses(self) -> list[str]:
        return _words(self.cleaned_data["addresses"])

    def clean_versions(self) -> bool | None:
        return {"approved": True, "any": False}.get(self.cleaned_data["versions"])


class RotateForm(forms.Form):
    """Which key, and for how many hours the old secret goes on beside the new one."""

    key = forms.CharField(max_length=20)
    hours = forms.TypedChoiceField(
        coerce=int,
        choices=[
            (0, gettext_lazy("ends at once")),
            (1, gettext_lazy("goes on for an hour")),
            (24, gettext_lazy("goes on for a day")),
            (168, gettext_lazy("goes on for a week")),
        ],
        initial=24,
    )


class AddressesForm(forms.Form):
    """The network addresses that a key is limited to; empty for any."""

    key = forms.CharField(max_length=20)
    addresses = forms.CharField(max_length=3000, required=False)

    def clean_addresses(self) -> list[str]:
        return _words(self.cleaned_data["addresses"])


class MemberForm(forms.Form):
    """An account and its role; no role takes the membership away."""

    username = forms.CharField(max_length=150)
    role = forms.ChoiceField(
        choices=[(role.value, words) for role, words in ROLES_IN_WORDS.items()] + [("", gettext_lazy("no member"))],
        required=False,
    )


class GroupForm(forms.Form):
    """A new group: its title, and the role of its people."""

    title = forms.CharField(max_length=80)
    role = forms.ChoiceField(
        choices=[("", gettext_lazy("no role")), *((role.value, words) for role, words in ROLES_IN_WORDS.items())],
        required=False,
    )


class InvitationForm(forms.Form):
    """Who is invited, and as what."""

    email = forms.CharField(max_length=254, required=False)
    role = forms.ChoiceField(choices=[(role.value, words) for role, words in ROLES_IN_WORDS.items()])


class NamespaceInvitationForm(InvitationForm):
    """The same with the namespace, for the page of all people. namespaces: those that may be chosen."""

    namespace = forms.ChoiceField()

    def __init__(self, data: QueryDict | None = None, *, namespaces: Sequence[str]) -> None:
        super().__init__(data, initial={"role": Role.READER.value})
        self.namespaces = list(namespaces)
        set_choices(self, "namespace", [(name, name) for name in namespaces])


class WebhookForm(forms.Form):
    """An address and what it hears of; nothing chosen means all.

    For a webhook that there is, the receiver stays; so does the address of a chat where the field is left empty.
    """

    receiver = forms.ChoiceField(choices=list(RECEIVERS_IN_WORDS.items()), required=False)
    url = forms.CharField(max_length=2000)
    template = forms.CharField(max_length=200, required=False)
    kinds = forms.MultipleChoiceField(
        choices=[(kind, name_kind(kind)) for kind in KINDS], required=False, widget=forms.CheckboxSelectMultiple
    )

    def __init__(self, data: QueryDict | None = None, *, webhook: Webhook | None = None) -> None:
        if webhook is None:
            super().__init__(data)
            return
        url = "" if webhook.is_chat else webhook.url
        super().__init__(data, initial={"url": url, "kinds": webhook.kinds_heard, "template": webhook.template})
        del self.fields["receiver"]
        self.fields["url"].required = not webhook.is_chat

    def clean_receiver(self) -> str:
        """What reads the messages; a service unless something else is chosen."""
        return str(self.cleaned_data["receiver"]) or Webhook.STANDARD


class ConnectionForm(forms.Form):
    """A model to connect: how it is asked, and what it costs."""

    name = forms.CharField(max_length=64)
    protocol = forms.ChoiceField(choices=list(PROTOCOLS_IN_WORDS.items()))
    base_url = forms.CharField(max_length=2000)
    model = forms.CharField(max_length=200)
    key = forms.CharField(max_length=1000, required=False)
    prompt_price = forms.CharField(max_length=20, required=False)
    completion_price = forms.CharField(max_length=20, required=False)
    currency = forms.CharField(max_length=3, initial="USD")
    timeout = forms.IntegerField(initial=60)


class CapForm(forms.Form):
    """What calls of models may cost; an empty amount is no cap."""

    person_day = forms.CharField(max_length=20, required=False)
    namespace_month = forms.CharField(max_length=20, required=False)
    currency = forms.CharField(max_length=3)


def initial_rules(rules: Rules) -> dict[str, Any]:
    """The rules as the form shows them: lists as words, a rule of approvals and an owner a line."""
    lines = [f"{owner.pattern}: {', '.join(list_owner_names(owner))}" for owner in rules.owners]
    return {
        **rules.values(),
        "protected_labels": ", ".join(rules.protected_labels),
        "approval_rules": "\n".join(map(_describe_approval_rule, rules.approval_rules)),
        "owners": "\n".join(lines),
    }


def _words(text: str) -> list[str]:
    return [word for word in text.replace(",", " ").split() if word]


def _describe_approval_rule(rule: ApprovalRule) -> str:
    """A line of the form: `production refunds: 2, legal`."""
    asked = ([str(rule.approvals)] if rule.approvals else []) + list(rule.groups)
    return f"{rule.label or '*'} {rule.folder}".rstrip() + f": {', '.join(asked)}"


def _approval_rule(number: int, line: str) -> dict[str, Any]:
    where, colon, asked = line.partition(":")
    places, words = where.split(), _words(asked)
    numbers = [word for word in words if word.isdecimal() and len(word) < 4]
    if not colon or not 1 <= len(places) <= 2 or not words or len(numbers) > 1:
        raise forms.ValidationError(
            gettext(
                "Line {number} is no rule: write a label or *, maybe a folder, a colon, then a number, groups or both."
            ).format(number=number)
        )
    return {
        "label": "" if places[0] == "*" else places[0],
        "folder": places[1] if len(places) > 1 else "",
        "approvals": int(numbers[0]) if numbers else 0,
        "groups": [word for word in words if word not in numbers],
    }


def list_owner_names(owner: Owner) -> list[str]:
    """The accounts and groups as they are typed: `reviewer`, `group:legal`."""
    return [*owner.people, *(f"{_GROUP}{name}" for name in owner.groups)]


def _owner(number: int, line: str) -> dict[str, Any]:
    pattern, colon, people = line.partition(":")
    if not colon or not pattern.strip() or not _words(people):
        raise forms.ValidationError(
            gettext("Line {number} is no owner: write a pattern, a colon, and accounts or groups.").format(
                number=number
            )
        )
    return {"pattern": pattern.strip(), **read_owner_names(people)}


def read_owner_names(text: str) -> dict[str, list[str]]:
    """The accounts (`people`) and names of groups (`groups`) in a text like `reviewer, group:legal`."""
    names = _words(text)
    return {
        "people": [name for name in names if not name.startswith(_GROUP)],
        "groups": [name.removeprefix(_GROUP) for name in names if name.startswith(_GROUP)],
    }
