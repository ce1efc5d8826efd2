"""The actor of a request or command: a person, possibly through an API key, or the operator of the machine."""

from collections.abc import Callable
from dataclasses import dataclass, field

from django.conf import settings
from django.http import HttpRequest
from django.utils.translation import get_language_from_request, gettext

from registry.accounts.models import Key, User
from registry.core.errors import Conflict

__all__ = ["OPERATOR", "Actor", "build_operator_actor", "find_language", "find_signed_in_person"]

OPERATOR = "operator"  # the username of commands run by the operator


@dataclass(frozen=True)
class Actor:
    """A person, possibly through one of their keys.

    missing_proof: what the person's session has to prove again before an action that weakens the gate, `password` or
    `totp`; empty if nothing is required, and for keys and commands, which have no session.
    find_missing_emergency_proof: returns the same for publishing in an emergency, which requires a proof in every
    installation.
    """

    person: User
    key: Key | None = None
    missing_proof: str = field(default="", compare=False)
    find_missing_emergency_proof: Callable[[], str] = field(default=str, compare=False)

    @property
    def is_operator(self) -> bool:
        """Whether this is a command run by the operator. Nobody can sign in as it: the account is never active."""
        return self.key is None and self.person.username == OPERATOR and not self.person.is_active


def build_operator_actor() -> Actor:
    """The actor of commands run on the machine: may do everything except approve, and can't sign in."""
    person, is_new = User.objects.get_or_create(username=OPERATOR, defaults={"is_active": False})
    if is_new:
        person.set_unusable_password()
        person.save(update_fields=["password"])
    if person.is_active:
        raise Conflict(
            gettext("An account named {operator} can sign in: that name is kept for commands. Deactivate it.").format(
                operator=OPERATOR
            )
        )
    return Actor(person)


def find_signed_in_person(request: HttpRequest) -> User | None:
    """The signed-in person of the request, or None."""
    user = getattr(request, "user", None)  # missing if a middleware before authentication refused the request
    return user if isinstance(user, User) and user.is_authenticated else None


def find_language(request: HttpRequest, person: User | None) -> str:
    """The code of the person's language, else of the browser's preference."""
    chosen = person.language if person else ""
    return chosen if chosen in dict(settings.LANGUAGES) else get_language_from_request(request)
