"""Accounts: creating them, passwords, and second steps."""

import re

from django.contrib.auth.password_validation import validate_password
from django.core.exceptions import ValidationError
from django.core.validators import validate_email
from django.db import IntegrityError, transaction
from django.utils import timezone
from django.utils.translation import gettext

from registry.accounts.actor import OPERATOR, Actor
from registry.accounts.models import User
from registry.core.errors import Conflict, Invalid, NotAllowed
from registry.core.input_checks import check_text

__all__ = [
    "build_person",
    "close_checklist",
    "create_person",
    "has_people",
    "insert_person",
    "open_checklist",
    "set_password",
]

_USERNAME = re.compile(r"[a-z0-9](?:[a-z0-9._-]{0,62}[a-z0-9])?")


def create_person(*, actor: Actor, username: str, password: str | None, email: str = "", full_name: str = "") -> User:
    """Create an account; for commands run by the operator. Parameters and errors as in `build_person`."""
    _require_operator(actor)
    return insert_person(build_person(username=username, password=password, email=email, full_name=full_name))


def has_people() -> bool:
    """Whether anybody has an account here."""
    return User.objects.exclude(username=OPERATOR).exists()


def build_person(*, username: str, password: str | None, email: str = "", full_name: str = "") -> User:
    """Return a validated, unsaved account. Hashing the password is slow, so call this before taking any lock.

    A username never changes, since the journal refers to people by it. password: None for a person who only signs in by
    an OpenID provider, which matches the verified `email`. Raises Invalid by field.
    """
    if not _USERNAME.fullmatch(username) or username == OPERATOR:
        raise Invalid(
            fields={"username": gettext("1 to 64 lower-case letters, digits and inner dots, hyphens or underscores.")}
        )
    check_text("full_name", full_name, 150)
    if email:
        _check_email(email)
    person = User(username=username, email=email, first_name=full_name)
    if password is not None:
        _check_password(password, person)
    person.set_password(password)
    return person


def insert_person(person: User) -> User:
    """Save an account from `build_person`. Raises Conflict if the username is taken."""
    try:
        with transaction.atomic():
            person.save(force_insert=True)
    except IntegrityError as error:
        raise Conflict(gettext("There is an account {person} already.").format(person=person.username)) from error
    return person


def set_password(*, actor: Actor, username: str, password: str) -> User:
    """Set a new password; for commands run by the operator."""
    _require_operator(actor)
    person = User.objects.filter(username=username).first()
    if person is None or username == OPERATOR:
        raise Invalid(fields={"username": gettext("there is no account {username}.").format(username=username)})
    _check_password(password, person)
    person.set_password(password)
    person.save(update_fields=["password"])
    return person


def close_checklist(*, actor: Actor) -> None:
    """Hide the first-steps checklist on the actor's home page until it is opened again."""
    User.objects.filter(pk=actor.person.pk, checklist_closed_at=None).update(checklist_closed_at=timezone.now())


def open_checklist(*, actor: Actor) -> None:
    """Show the first-steps checklist on the actor's home page again."""
    User.objects.filter(pk=actor.person.pk).update(checklist_closed_at=None)
    actor.person.checklist_closed_at = None


def _require_operator(actor: Actor) -> None:
    if not actor.is_operator:
        raise NotAllowed(gettext("Accounts are made on the machine itself: manage.py createperson."))


def _check_email(email: str) -> None:
    try:
        validate_email(email)
    except ValidationError as error:
        raise Invalid(fields={"email": gettext("{email} is not a mail address.").format(email=email[:100])}) from error


def _check_password(password: str, person: User) -> None:
    try:
        validate_password(password, person)
    except ValidationError as error:
        raise Invalid(fields={"password": " ".join(error.messages)}) from error
