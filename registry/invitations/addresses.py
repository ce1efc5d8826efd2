"""The addresses that an admin invites: parsing them, and what is known about them."""

from collections import defaultdict
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from enum import StrEnum

from django.conf import settings
from django.core.exceptions import ValidationError
from django.core.validators import validate_email
from django.db.models import QuerySet
from django.db.models.functions import Lower
from django.utils.translation import gettext, ngettext

from registry.accounts.models import User
from registry.core.errors import Invalid
from registry.invitations.models import Invitation
from registry.namespaces.models import Membership, Namespace, Role

__all__ = ["MAX_AT_ONCE", "KnownAddress", "Outcome", "find_known", "read_emails"]

MAX_AT_ONCE = 20  # each is mailed before the response


class Outcome(StrEnum):
    """The result of inviting one address."""

    INVITED = "invited"
    ROLE_GIVEN = "role_given"
    ALREADY_MEMBER = "already_member"
    ALREADY_INVITED = "already_invited"


@dataclass(frozen=True)
class KnownAddress:
    """An address that needs no link. username: its owner, empty for an open invitation. role: their current role, empty
    if they get the role now.
    """

    email: str
    outcome: Outcome
    namespace: str
    username: str = ""
    role: str = ""
    is_active: bool = True

    def makes_useless(self, role: Role) -> bool:
        """Whether an invitation to this role is useless: one is open, or the person has the role or a higher one."""
        if self.outcome == Outcome.ALREADY_MEMBER:
            return Role(self.role).rank >= role.rank
        return self.outcome == Outcome.ALREADY_INVITED

    @property
    def sentence(self) -> str:
        """Why the address is not invited."""
        if self.outcome == Outcome.ALREADY_INVITED:
            sentence = gettext("{email} has an open invitation already: send a new link, or take it back first.")
        elif not self.is_active:
            sentence = gettext(
                "{email} is the address of {username}, who is {role} of {namespace} already and is deactivated."
            )
        else:
            sentence = gettext("{email} is the address of {username}, who is {role} of {namespace} already.")
        return sentence.format(
            email=self.email, username=self.username, role=gettext(self.role or "reader"), namespace=self.namespace
        )

    def describe(self, role: str) -> str:
        """The result of inviting the address as `role`."""
        if self.outcome != Outcome.ROLE_GIVEN:
            return self.sentence
        sentence = gettext("{email}: {username} has an account already, and is {role} of {namespace} now.")
        return sentence.format(email=self.email, username=self.username, role=gettext(role), namespace=self.namespace)


def read_emails(emails: Sequence[str]) -> list[str]:
    """The distinct addresses in lower case; one empty string if none is given. Raises Invalid with all invalid ones."""
    addresses = list(dict.fromkeys(email.strip().lower() for email in emails if email.strip()))
    if not addresses:
        if settings.OIDC_ISSUER:
            raise Invalid(
                fields={
                    "email": gettext("needed: people sign in through {oidc_name}, by their address.").format(
                        oidc_name=settings.OIDC_NAME
                    )
                }
            )
        return [""]
    if len(addresses) > MAX_AT_ONCE:
        raise Invalid(fields={"email": gettext("at most {count} addresses at once.").format(count=MAX_AT_ONCE)})
    if wrong := [email[:100] for email in addresses if not _is_mail_address(email)]:
        sentence = ngettext("not a mail address: {emails}.", "not mail addresses: {emails}.", len(wrong))
        raise Invalid(fields={"email": sentence.format(emails=", ".join(wrong))})
    return addresses


def find_known(namespace: Namespace, emails: Collection[str], waiting: QuerySet[Invitation]) -> dict[str, KnownAddress]:
    """Map lower-case addresses to members, open invitations, and the only active account that has proven the address.
    An unproven address counts for members only: typing somebody else's address must not give access to the role.
    waiting: the namespace's open invitations.
    """
    addresses = [email for email in emails if email]
    known_addresses: dict[str, KnownAddress] = {}
    for email, username in _find_accounts(addresses).items():
        known_addresses[email] = KnownAddress(email, Outcome.ROLE_GIVEN, namespace.name, username)
    for email in waiting.filter(email__in=addresses).values_list("email", flat=True):
        known_addresses[email] = KnownAddress(email, Outcome.ALREADY_INVITED, namespace.name)
    members = Membership.objects.annotate(address=Lower("person__email")).filter(
        namespace=namespace, address__in=addresses
    )
    for member in members.select_related("person").order_by("person__is_active", "person__username"):
        person, email = member.person, member.person.email.lower()
        known_addresses[email] = KnownAddress(
            email, Outcome.ALREADY_MEMBER, namespace.name, person.username, member.role, person.is_active
        )
    return known_addresses


def _find_accounts(emails: Collection[str]) -> dict[str, str]:
    """Map each address to the username of the only active account that has proven it."""
    people = User.objects.filter(is_active=True, is_address_unproven=False)
    rows = people.annotate(address=Lower("email")).filter(address__in=emails).values_list("email", "username")
    names: defaultdict[str, list[str]] = defaultdict(list)
    for email, username in rows:
        names[email.lower()].append(username)
    return {email: usernames[0] for email, usernames in names.items() if len(usernames) == 1}


def _is_mail_address(text: str) -> bool:
    try:
        validate_email(text)
    except ValidationError:
        return False
    return True
