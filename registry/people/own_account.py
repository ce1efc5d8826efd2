"""Services for one's own account: name, time zone, and mail address.

An address is confirmed through a link that is mailed to it. Without a mail server it is accepted and marked as
unproven, so that OpenID sign-in doesn't match the account by it.
"""

import smtplib
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from django.conf import settings
from django.core import signing
from django.core.exceptions import ValidationError
from django.core.mail import EmailMessage
from django.core.validators import validate_email
from django.db import transaction
from django.utils.translation import gettext

from registry.accounts.actor import Actor
from registry.accounts.models import User
from registry.core.errors import Busy, Conflict, Invalid, NotAllowed
from registry.core.input_checks import check_text
from registry.namespaces import permissions

__all__ = [
    "ADDRESS_DAYS",
    "FOLDER_LAYOUTS",
    "change_address",
    "confirm_address",
    "read_address_link",
    "set_profile",
    "store_folder_layout",
    "store_promotion_pair",
]

ADDRESS_DAYS = 3  # days that a confirmation link is valid
FOLDER_LAYOUTS = ("tree", "flat")
_SALT = "promptuary.address"


def set_profile(
    *, actor: Actor, full_name: str | None = None, time_zone: str | None = None, language: str | None = None
) -> User:
    """Set one's own name, time zone and language; None leaves a value unchanged. Never by key.

    time_zone: an IANA name such as `Europe/Zurich`; empty for UTC. language: a code of `settings.LANGUAGES`; empty for
    the browser's preference. Raises Invalid by field.
    """
    _require_person(actor)
    values = {}
    if full_name is not None:
        values["first_name"] = check_text("full_name", full_name, 150).strip()
        values["last_name"] = ""
    if time_zone is not None:
        values["time_zone"] = _read_time_zone(time_zone)
    if language is not None:
        values["language"] = _check_language(language)
    person = actor.person
    for name, value in values.items():
        setattr(person, name, value)
    if values:
        person.save(update_fields=list(values))
    return person


def store_promotion_pair(*, actor: Actor, source: str, target: str) -> None:
    """Remember the labels between which the person promotes on Environments. Writes only if they changed."""
    person = actor.person
    if (person.promotion_source, person.promotion_target) != (source, target):
        person.promotion_source, person.promotion_target = source, target
        person.save(update_fields=["promotion_source", "promotion_target"])


def store_folder_layout(*, actor: Actor, layout: str) -> None:
    """Remember the person's folder layout on Templates: `tree` or `flat`. Writes only if it changed."""
    if layout not in FOLDER_LAYOUTS:
        raise Invalid(fields={"folders": gettext("one of {names}.").format(names=", ".join(FOLDER_LAYOUTS))})
    person = actor.person
    if person.folder_layout != layout:
        person.folder_layout = layout
        person.save(update_fields=["folder_layout"])


def change_address(*, actor: Actor, email: str) -> bool:
    """Request another address: True if a confirmation link was sent to it, False if it applies immediately.

    It applies immediately if no mail server is set up, and if it is removed (empty). Never by key; requires a fresh
    proof. Raises Busy if the mail can't be sent.
    """
    _require_person(actor)
    email = email.strip()
    person = actor.person
    if email == person.email and not (person.is_address_unproven and settings.MAIL_IS_SENT):
        return False
    if email:
        _check_address(email)
    permissions.require_proof(actor)
    if email and settings.MAIL_IS_SENT:
        _send_link(person, email)
        return True
    _store_address(person, email, is_unproven=bool(email))
    return False


def read_address_link(*, actor: Actor, token: str) -> str:
    """The address that a link confirms for the actor. Raises Conflict if the link isn't theirs, expired or outdated."""
    try:
        facts = signing.loads(token, salt=_SALT, max_age=ADDRESS_DAYS * 24 * 3600)
    except signing.SignatureExpired as error:
        raise Conflict(
            gettext("This link is older than {address_days} days. Ask for a new one on your account page.").format(
                address_days=ADDRESS_DAYS
            )
        ) from error
    except signing.BadSignature as error:
        raise Conflict(gettext("This link is incomplete. Open it as it is in the mail.")) from error
    if facts["person"] != actor.person.pk:
        raise Conflict(gettext("This link belongs to another account. Sign in to that account, then open it again."))
    if facts["before"] != actor.person.email:
        raise Conflict(
            gettext("Your address was changed after this link was sent. Ask for a new one on your account page.")
        )
    return str(facts["email"])


def confirm_address(*, actor: Actor, token: str) -> User:
    """Apply the address of a confirmation link. Errors as in `read_address_link`; never by key."""
    _require_person(actor)
    with transaction.atomic():
        person = User.objects.select_for_update().get(pk=actor.person.pk)
        email = read_address_link(actor=Actor(person), token=token)
        _store_address(person, email, is_unproven=False)
    return person


def _require_person(actor: Actor) -> None:
    if actor.key is not None or actor.is_operator:
        raise NotAllowed(gettext("An account is changed by its person, who signed in."))


def _read_time_zone(name: str) -> str:
    name = name.strip()
    if name in ("", "UTC"):
        return ""
    try:
        ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError) as error:
        raise Invalid(fields={"time_zone": gettext("there is no time zone {name}.").format(name=name[:60])}) from error
    return name


def _check_language(code: str) -> str:
    codes = [language for language, _ in settings.LANGUAGES]
    if code and code not in codes:
        raise Invalid(fields={"language": gettext("there are the languages {names}.").format(names=", ".join(codes))})
    return code


def _check_address(email: str) -> None:
    check_text("email", email, 254, may_hold_secrets=True)
    try:
        validate_email(email)
    except ValidationError as error:
        raise Invalid(fields={"email": gettext("{email} is not a mail address.").format(email=email[:100])}) from error


def _store_address(person: User, email: str, *, is_unproven: bool) -> None:
    person.email, person.is_address_unproven = email, is_unproven
    person.save(update_fields=["email", "is_address_unproven"])


def _send_link(person: User, email: str) -> None:
    token = signing.dumps({"person": person.pk, "email": email, "before": person.email}, salt=_SALT)
    body = gettext(
        "Somebody signed in as {account} wants Promptuary to send its mail to this address.\n\n"
        "If that's you, confirm it here: {address}\n\n"
        "The link works for {days} days. If it isn't you, ignore this mail."
    )
    address = f"{settings.BASE_URL}/account/address/{token}"
    message = EmailMessage(
        subject=gettext("Confirm your address for Promptuary"),
        body=body.format(account=person.username, address=address, days=ADDRESS_DAYS),
        to=[email],
        headers={"Auto-Submitted": "auto-generated"},
    )
    try:
        message.send()
    except (smtplib.SMTPException, OSError) as error:
        raise Busy(
            gettext("The mail couldn't be sent; your address is as before. Try again later."), retry_after=60
        ) from error
