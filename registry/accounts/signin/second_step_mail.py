"""Mails about one's own second step, so that people notice changes they did not make."""

import logging
import smtplib

from django.conf import settings
from django.core.mail import EmailMessage
from django.utils.translation import gettext

from registry.accounts.models import User, use_language_of

__all__ = ["send_mail_about"]

_log = logging.getLogger(__name__)


def send_mail_about(template_prefix: str, person: User) -> None:
    """Mail the person about a change; a no-op without a mail server or an address.

    template_prefix: allauth's name of the change, such as `mfa/email/totp_activated`. A failed mail is logged and
    doesn't undo the change.
    """
    if not settings.MAIL_IS_SENT or not person.email:
        return
    with use_language_of(person):
        sentence = _describe_act(template_prefix.rpartition("/")[2], person.username)
        message = EmailMessage(sentence, _write_body(sentence), to=[person.email])
    message.extra_headers["Auto-Submitted"] = "auto-generated"
    try:
        message.send()
    except (smtplib.SMTPException, OSError) as error:
        _log.warning("no mail about the second step can be sent: %s", error)


def _describe_act(act: str, username: str) -> str:
    sentences = {
        "totp_activated": gettext("Two-step sign-in with an authenticator app was turned on for {username}."),
        "totp_deactivated": gettext("Two-step sign-in with an authenticator app was turned off for {username}."),
        "recovery_codes_generated": gettext("New recovery codes were made for {username}."),
        "webauthn_added": gettext("A passkey was added to the account {username}."),
        "webauthn_removed": gettext("A passkey was removed from the account {username}."),
    }
    return sentences[act].format(username=username)


def _write_body(sentence: str) -> str:
    advice = gettext(
        "If that was you, there is nothing to do. If not, change your password, end all other sessions, and tell an "
        "admin: {address}"
    ).format(address=f"{settings.BASE_URL}/account")
    return f"{sentence}\n\n{advice}\n"
