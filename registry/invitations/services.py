"""Services of invitations: creating, renewing, revoking and accepting them."""

import secrets
import smtplib
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import NamedTuple

from django.conf import settings
from django.core.mail import EmailMessage
from django.db import transaction
from django.db.models import QuerySet
from django.utils.translation import gettext

from registry.accounts import people
from registry.accounts.actor import Actor
from registry.accounts.models import User
from registry.core.errors import Conflict, Invalid, NotAllowed, NotFound
from registry.invitations import addresses, queries
from registry.invitations.addresses import Outcome
from registry.invitations.events import InvitationEnded, InvitationMade
from registry.invitations.models import Invitation
from registry.journal import log
from registry.journal.event import to_microseconds
from registry.namespaces import permissions
from registry.namespaces import services as namespace_services
from registry.namespaces.models import Namespace, Role
from registry.namespaces.verbs import Verb

__all__ = [
    "MAX_OPEN",
    "Answer",
    "Invited",
    "Outcome",
    "accept_as_new_person",
    "accept_invitation",
    "answer_with_link",
    "end_invitation",
    "invite_people",
    "invite_person",
    "send_new_link",
]

MAX_OPEN = 200  # open invitations per namespace
_LIFE = timedelta(days=7)
_LETTERS = "abcdefghjkmnpqrstuvwxyz23456789"  # without characters that are easily confused


@dataclass(frozen=True)
class Invited:
    """A new invitation and the only copy of its link. is_sent: whether the link was mailed."""

    invitation: Invitation
    link: str
    is_sent: bool


@dataclass(frozen=True)
class Answer:
    """The result of inviting one address. sentence: the result as text, with the address. invited: None without a link.
    email: empty for a link that is passed on by hand.
    """

    email: str
    outcome: Outcome
    sentence: str
    invited: Invited | None = None


class _Target(NamedTuple):
    """The namespace of an invitation. waiting: its open invitations."""

    namespace: Namespace
    waiting: QuerySet[Invitation]
    at: datetime


def invite_person(*, actor: Actor, namespace: str, role: str, email: str = "") -> Invited:
    """Create a link that gives this role to the first person who opens it; admins only. It works once, for seven days.

    email: where the link is sent, if mail is set up; the result contains the link in any case. Raises Invalid by field,
    and Conflict if the address has an open invitation or belongs to a member with this role or a higher one, or 200 are
    open.
    """
    _require_role(role)
    (address,) = addresses.read_emails([email])
    with transaction.atomic():
        target = _lock_target(actor, namespace)
        known_address = addresses.find_known(target.namespace, [address], target.waiting).get(address)
        if known_address is not None and known_address.makes_useless(Role(role)):
            raise Conflict(known_address.sentence)
        row, secret = _make_invitations(actor, target, role, [address])[address]
    return _send(row, secret)


def invite_people(*, actor: Actor, namespace: str, role: str, emails: Sequence[str]) -> list[Answer]:
    """Invite up to 20 addresses, or create a link without an address if none is given; admins only.

    Members and addresses with an open invitation are skipped, with a note in the result. The owner of an account with a
    proven address gets the role immediately. Everybody else gets a link, as in `invite_person`. Returns one result per
    distinct address, in the order given.

    Raises Invalid with all malformed addresses, and invites nobody then. Raises Conflict if 200 invitations are open.
    """
    _require_role(role)
    distinct = addresses.read_emails(emails)
    with transaction.atomic():
        target = _lock_target(actor, namespace)
        known_addresses = addresses.find_known(target.namespace, distinct, target.waiting)
        for address in known_addresses.values():
            if address.outcome == Outcome.ROLE_GIVEN:
                namespace_services.set_role(actor=actor, namespace=namespace, username=address.username, role=role)
        new = [email for email in distinct if email not in known_addresses]
        invitations = _make_invitations(actor, target, role, new)
    answers = {
        email: Answer(email, address.outcome, address.describe(role)) for email, address in known_addresses.items()
    }
    answers |= {email: answer_with_link(_send(row, secret)) for email, (row, secret) in invitations.items()}
    return [answers[email] for email in distinct]


def send_new_link(*, actor: Actor, invitation_id: str) -> Invited:
    """Revoke an open invitation and create another one with the same role and address; admins only."""
    with transaction.atomic():
        old = end_invitation(actor=actor, invitation_id=invitation_id)
        target = _lock_target(actor, old.namespace.name)
        row, secret = _make_invitations(actor, target, old.role, [old.email])[old.email]
    return _send(row, secret)


def answer_with_link(invited: Invited) -> Answer:
    """The result for the address of a new invitation."""
    email = invited.invitation.email
    if not email:
        sentence = gettext("Hand the link on.")
    elif invited.is_sent:
        sentence = gettext("{email}: the invitation is sent.").format(email=email)
    elif settings.MAIL_IS_SENT:
        sentence = gettext("{email}: the mail could not be sent. Hand the link on.").format(email=email)
    else:
        sentence = gettext("{email}: no mail server is set up here. Hand the link on.").format(email=email)
    return Answer(email, Outcome.INVITED, sentence, invited)


def end_invitation(*, actor: Actor, invitation_id: str) -> Invitation:
    """Revoke an open invitation: its link stops working. Admins only."""
    at = log.now()
    with transaction.atomic():
        log.lock()
        row = Invitation.objects.select_related("namespace").filter(id=invitation_id).first()
        if row is None or not permissions.is_allowed(actor, Verb.BROWSE, row.namespace):
            raise NotFound(gettext("There is no such invitation."))
        permissions.require_verb(actor, Verb.MANAGE, row.namespace)
        if row.accepted_at is not None:
            raise Conflict(gettext("This invitation was accepted: take the role away instead."))
        if row.ended_at is not None:
            return row
        row.ended_at = at
        row.save(update_fields=["ended_at"])
        log.append(actor, InvitationEnded(id=row.id), namespace=row.namespace, at=at)
    return row


def accept_invitation(*, actor: Actor, secret: str) -> Invitation:
    """Accept the role of a link for one's own account; for people who signed in, never a key.

    The role is given by the person who created the link, whose permission is checked again now. Raises Conflict if the
    link was used or has ended, or the person already has this role or a higher one.
    """
    if actor.key is not None or actor.is_operator:
        raise NotAllowed(gettext("Invitations are accepted by a person who signed in."))
    with transaction.atomic():
        log.lock()
        row = queries.find_by_secret(secret)
        before = permissions.find_role(actor.person, row.namespace)
        if before is not None and before.rank >= Role(row.role).rank:
            raise Conflict(
                gettext("You are {role} of {namespace} already. The invitation stays open.").format(
                    role=before.value, namespace=row.namespace.name
                )
            )
        _give_role(row, actor.person)
    return row


def accept_as_new_person(*, secret: str, username: str, password: str | None, full_name: str = "") -> User:
    """Create an account for the person with the link, and give it the role. Errors as in `accept_invitation` and
    `people.build_person`.

    password: None if people sign in through a provider, which then matches the account by the invitation's address.
    """
    email = queries.find_by_secret(secret).email
    if password is None and not email:
        raise Conflict(gettext("This invitation names no mail address, so no provider could find the account."))
    person = people.build_person(username=username, password=password, email=email, full_name=full_name)
    with transaction.atomic():
        log.lock()
        row = queries.find_by_secret(secret)  # again under the lock: the link may have been used meanwhile
        people.insert_person(person)
        _give_role(row, person)
    return person


def _require_role(role: str) -> None:
    if role not in list(Role):
        raise Invalid(fields={"role": gettext("one of {names}.").format(names=", ".join(Role))})


def _lock_target(actor: Actor, namespace: str) -> _Target:
    """The namespace under the journal's lock, after checking that the actor may invite into it."""
    at = log.now()
    log.lock()
    space = permissions.find_namespace(actor, Verb.MANAGE, namespace)
    permissions.require_proof(actor)
    return _Target(space, queries.open_in(space), at)


def _make_invitations(
    actor: Actor, target: _Target, role: str, emails: Sequence[str]
) -> dict[str, tuple[Invitation, str]]:
    """Map each address to its new row and the secret of its link. Raises Conflict if they exceed the limit."""
    if target.waiting.count() + len(emails) > MAX_OPEN:
        raise Conflict(
            gettext("{namespace} has {most_open} open invitations: take some back first.").format(
                namespace=target.namespace.name, most_open=MAX_OPEN
            )
        )
    return {email: _insert_invitation(actor, target.namespace, role, email, target.at) for email in emails}


def _insert_invitation(actor: Actor, space: Namespace, role: str, email: str, at: datetime) -> tuple[Invitation, str]:
    row = Invitation(
        id="".join(secrets.choice(_LETTERS) for _ in range(8)),
        namespace=space,
        role=role,
        email=email,
        invited_by=actor.person,
        created_at=at,
        expires_at=at + _LIFE,
    )
    secret = secrets.token_urlsafe(32)
    row.secret_sha256 = queries.hash_secret(secret)
    row.save(force_insert=True)
    event = InvitationMade(id=row.id, role=role, expires_at=to_microseconds(row.expires_at))
    log.append(actor, event, namespace=space, at=at)
    return row, secret


def _give_role(row: Invitation, person: User) -> None:
    inviter, at = Actor(row.invited_by), log.now()
    try:
        namespace_services.set_role(
            actor=inviter,
            namespace=row.namespace.name,
            username=person.username,
            role=row.role,
            invitation=row.id,
            at=at,
        )
    except (NotAllowed, NotFound) as error:
        sentence = gettext("{display_name}, who invited you, may not give roles in {namespace} any more.").format(
            display_name=row.invited_by.display_name, namespace=row.namespace.name
        )
        raise Conflict(
            gettext("{sentence} Ask an admin of it for a new invitation.").format(sentence=sentence)
        ) from error
    row.accepted_at, row.accepted_by = at, person
    row.save(update_fields=["accepted_at", "accepted_by"])


def _send(row: Invitation, secret: str) -> Invited:
    """Mail the link if it has an address and mail is set up. A failed mail isn't an error, since the link is shown."""
    link = f"{settings.BASE_URL}/invitations/{secret}"
    if not (row.email and settings.MAIL_IS_SENT):
        return Invited(row, link, is_sent=False)
    inviter, space = row.invited_by.display_name, row.namespace.name
    lines = [
        gettext("{inviter} invites you to the prompts of {space} as {role}.").format(
            inviter=inviter, space=space, role=row.role
        ),
        "",
        gettext("Accept here: {link}").format(link=link),
        "",
        gettext("The link works once, until {expires_at} UTC. If you don't expect this mail, ignore it.").format(
            expires_at=f"{row.expires_at:%d %B %Y, %H:%M}"
        ),
    ]
    message = EmailMessage(
        subject=gettext("{inviter} invites you to {space} on Promptuary").format(inviter=inviter, space=space),
        body="\n".join(lines),
        to=[row.email],
        headers={"Auto-Submitted": "auto-generated"},
    )
    try:
        message.send()
    except (smtplib.SMTPException, OSError):
        return Invited(row, link, is_sent=False)
    return Invited(row, link, is_sent=True)
