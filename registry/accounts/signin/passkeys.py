"""Passkeys: the forms to add, rename and use them, and checks of browser responses.

allauth creates the challenges and checks the signatures. Passkeys are always discoverable and require user verification
(fingerprint, face or PIN), so a passkey alone signs in and counts as both steps.
"""

import ipaddress
import re
import struct
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from allauth.mfa.models import Authenticator
from allauth.mfa.webauthn.forms import (
    AddWebAuthnForm,
    AuthenticateWebAuthnForm,
    EditWebAuthnForm,
    LoginWebAuthnForm,
    ReauthenticateWebAuthnForm,
)
from cryptography.exceptions import UnsupportedAlgorithm
from django import forms
from django.http import HttpRequest
from django.http.request import split_domain_port
from django.utils.translation import gettext, gettext_lazy

from registry.core.errors import Invalid
from registry.core.input_checks import check_text

__all__ = [
    "MAX_PASSKEYS",
    "AddPasskeyForm",
    "PasskeyProofForm",
    "PasskeySecondStepForm",
    "PasskeySignInForm",
    "RenamePasskeyForm",
    "describe_passkey_obstacle",
    "read_host",
]

MAX_PASSKEYS = 20  # per person
_NAME_CHARACTERS = 100
_MAX_CHARACTERS = 16_384  # per field of a browser's response; passkeys usually take a few hundred
_BASE64URL = re.compile(r"[A-Za-z0-9_-]+")
_REFUSED = gettext_lazy("The passkey was not accepted. Try again.")
# What parsing a response can raise: it is untrusted input.
_UNREADABLE = (
    ArithmeticError,
    AssertionError,
    AttributeError,
    LookupError,
    RecursionError,
    TypeError,
    UnsupportedAlgorithm,
    ValueError,
    struct.error,
)


def describe_passkey_obstacle(request: HttpRequest) -> str:
    """Why browsers allow no passkey at the current address, as a sentence; empty if they do."""
    host = read_host(request)
    if host == "localhost" or host.endswith(".localhost"):
        return ""
    if _is_ip_address(host):
        return gettext("Passkeys need a domain name: this page was opened at the IP address {host}.").format(host=host)
    return "" if request.is_secure() else gettext("Passkeys need HTTPS, and this page was opened without it.")


def read_host(request: HttpRequest) -> str:
    """The host of the page's address, without port; passkeys belong to it."""
    return split_domain_port(request.get_host())[0].strip("[]")


class _AnswerField(forms.JSONField):
    """A browser's response as JSON; an unreadable or deeply nested one is rejected like a wrong one."""

    widget = forms.HiddenInput

    def to_python(self, value: Any) -> Any:
        """The parsed JSON."""
        with _refuse_unreadable():
            return super().to_python(value)


class AddPasskeyForm(AddWebAuthnForm):  # type: ignore[misc]  # allauth has no types
    """A new passkey and its name. Only the parts of the response that sign-in needs are stored."""

    name = forms.CharField(max_length=_NAME_CHARACTERS, required=False)
    credential = _AnswerField()
    passwordless = None  # always: see the module docstring

    def clean_name(self) -> str:
        """The name, or a numbered one if it is empty."""
        return _check_name(super().clean_name())

    def clean_credential(self) -> dict[str, Any]:
        """The response, reduced to the fields that are stored."""
        with _refuse_unreadable():
            return _keep_known(self.cleaned_data["credential"])

    def clean(self) -> dict[str, Any]:
        """The cleaned data, if the response matches the challenge of this session."""
        with _refuse_unreadable():
            cleaned: dict[str, Any] = super().clean()
        if Authenticator.objects.filter(user=self.user, type="webauthn").count() >= MAX_PASSKEYS:
            raise forms.ValidationError(
                gettext("You have {count} passkeys, which is the most. Remove one first.").format(count=MAX_PASSKEYS)
            )
        return cleaned


class RenamePasskeyForm(EditWebAuthnForm):  # type: ignore[misc]  # allauth has no types
    """The form that renames a passkey."""

    name = forms.CharField(max_length=_NAME_CHARACTERS)

    def clean_name(self) -> str:
        """The name to store."""
        return _check_name(self.cleaned_data["name"])


class _CheckedAnswer(AuthenticateWebAuthnForm):  # type: ignore[misc]  # allauth has no types
    """A browser's response with a passkey; everything invalid is rejected with the same sentence."""

    credential = _AnswerField()

    def clean_credential(self) -> Authenticator:
        """The passkey that signed the challenge of this session."""
        with _refuse_unreadable():
            return super().clean_credential()


class PasskeySignInForm(_CheckedAnswer, LoginWebAuthnForm):  # type: ignore[misc]  # as above
    """Signing in with a passkey alone."""


class PasskeySecondStepForm(_CheckedAnswer):
    """A passkey after the password."""


class PasskeyProofForm(_CheckedAnswer, ReauthenticateWebAuthnForm):  # type: ignore[misc]  # as above
    """A passkey for reauthentication."""


@contextmanager
def _refuse_unreadable() -> Iterator[None]:
    """Reject a response with one sentence, whether it is unreadable or doesn't match."""
    try:
        yield
    except forms.ValidationError as error:
        if getattr(error, "code", "") in ("incorrect_code", "invalid"):
            raise forms.ValidationError(_REFUSED, code="refused") from error
        raise
    except _UNREADABLE as error:
        raise forms.ValidationError(_REFUSED, code="refused") from error


def _keep_known(answer: dict[str, Any]) -> dict[str, Any]:
    """The fields of a new passkey that are used later; each has to be base64url of a plausible length."""
    response = answer["response"]
    return {
        "type": "public-key",
        "id": _read_field(answer["id"]),
        "rawId": _read_field(answer["rawId"]),
        "response": {name: _read_field(response[name]) for name in ("clientDataJSON", "attestationObject")},
        "clientExtensionResults": {"credProps": {"rk": True}},  # as requested
    }


def _read_field(value: str) -> str:
    if len(value) > _MAX_CHARACTERS or not _BASE64URL.fullmatch(value):
        raise ValueError("no field of a passkey")
    return value


def _check_name(name: str) -> str:
    try:
        return check_text("name", name)
    except Invalid as error:
        raise forms.ValidationError(error.fields["name"]) from error


def _is_ip_address(host: str) -> bool:
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return False
    return True
