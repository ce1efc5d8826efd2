"""The forms of a namespace's members, invitations, groups, webhooks, connections and caps."""

import re
from collections.abc import Sequence
from typing import Any

from django import forms
from django.http import QueryDict
from django.utils.translation import gettext_lazy

from frontend.settings.event_titles import find_title
from frontend.web.forms import set_choices
from registry.namespaces.models import Role
from registry.webhooks.models import Webhook
from registry.webhooks.queries import KINDS

__all__ = [
    "ROLES_IN_WORDS",
    "CapForm",
    "ConnectionForm",
    "GroupForm",
    "InvitationForm",
    "MemberForm",
    "NamespaceInvitationForm",
    "WebhookForm",
]

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
PROTOCOLS_IN_WORDS = {
    "openai": gettext_lazy("OpenAI chat completions, or a local server (llama.cpp, vLLM, Ollama)"),
    "responses": gettext_lazy("OpenAI responses"),
    "anthropic": gettext_lazy("Anthropic messages"),
}


class MemberForm(forms.Form):
    """A user and their role; an empty role removes the membership."""

    username = forms.CharField(max_length=150)
    role = forms.ChoiceField(
        choices=[(role.value, words) for role, words in ROLES_IN_WORDS.items()] + [("", gettext_lazy("no member"))],
        required=False,
    )


class GroupForm(forms.Form):
    """A new group: its title, and the role of its members."""

    title = forms.CharField(max_length=80)
    role = forms.ChoiceField(
        choices=[("", gettext_lazy("no role")), *((role.value, words) for role, words in ROLES_IN_WORDS.items())],
        required=False,
    )


class InvitationForm(forms.Form):
    """The invitees and their role. emails: the addresses in the field `email`."""

    email = forms.CharField(max_length=6000, required=False)
    role = forms.ChoiceField(choices=[(role.value, words) for role, words in ROLES_IN_WORDS.items()])

    def clean(self) -> dict[str, Any]:
        data = dict(super().clean() or {})
        data["emails"] = [part for part in re.split(r"[\s,;]+", data.pop("email", "")) if part]
        return data


class NamespaceInvitationForm(InvitationForm):
    """An invitation form with a choice of the namespace, for the page of all users. namespaces: the options."""

    namespace = forms.ChoiceField()

    def __init__(self, data: QueryDict | None = None, *, namespaces: Sequence[str]) -> None:
        super().__init__(data, initial={"role": Role.READER.value})
        self.namespaces = list(namespaces)
        set_choices(self, "namespace", [(name, name) for name in namespaces])


class WebhookForm(forms.Form):
    """A URL and its topics; no selection means all.

    For an existing webhook, the receiver can't be changed; the URL of a chat is kept if the field is left empty.
    """

    receiver = forms.ChoiceField(choices=list(RECEIVERS_IN_WORDS.items()), required=False)
    url = forms.CharField(max_length=2000)
    template = forms.CharField(max_length=200, required=False)
    kinds = forms.MultipleChoiceField(
        choices=[(kind, find_title(kind)) for kind in KINDS], required=False, widget=forms.CheckboxSelectMultiple
    )

    def __init__(self, data: QueryDict | None = None, *, webhook: Webhook | None = None) -> None:
        if webhook is None:
            super().__init__(data)
            return
        url = "" if webhook.is_chat else webhook.url
        super().__init__(data, initial={"url": url, "kinds": webhook.subscribed_kinds, "template": webhook.template})
        del self.fields["receiver"]
        self.fields["url"].required = not webhook.is_chat

    def clean_receiver(self) -> str:
        """The receiver of the messages; a service by default."""
        return str(self.cleaned_data["receiver"]) or Webhook.STANDARD


class ConnectionForm(forms.Form):
    """A model to connect: how it is called, and its prices."""

    name = forms.CharField(max_length=64)
    protocol = forms.ChoiceField(choices=list(PROTOCOLS_IN_WORDS.items()))
    base_url = forms.CharField(max_length=2000)
    model = forms.CharField(max_length=200)
    key = forms.CharField(max_length=1000, required=False)
    prompt_price = forms.CharField(max_length=20, required=False)
    completion_price = forms.CharField(max_length=20, required=False)
    currency = forms.CharField(max_length=3, initial="USD")
    timeout = forms.IntegerField(initial=60)
    concurrency = forms.IntegerField(initial=4)
    per_second = forms.FloatField(required=False)


class CapForm(forms.Form):
    """Spending caps for model calls; an empty amount means no cap."""

    person_day = forms.CharField(max_length=20, required=False)
    namespace_month = forms.CharField(max_length=20, required=False)
    currency = forms.CharField(max_length=3)
