"""Authentication by a key, or by a browser's session (which then needs its CSRF token for writes)."""

from functools import partial

from drf_spectacular.extensions import OpenApiAuthenticationExtension
from rest_framework.authentication import BaseAuthentication
from rest_framework.exceptions import AuthenticationFailed
from rest_framework.request import Request

from registry.accounts.actor import Actor
from registry.accounts.models import Key, User
from registry.accounts.signin import reauthentication
from registry.core.client_address import read_client_address
from registry.namespaces.key_attempts import key_attempts

__all__ = ["KeyAuthentication", "KeyScheme", "identify_actor"]


class KeyAuthentication(BaseAuthentication):
    """`Authorization: Bearer <key>`. A wrong key is refused even with a valid session."""

    def authenticate(self, request: Request) -> tuple[User, Key] | None:
        """The key's person and the key; None without a key. Raises TooMany after many wrong keys."""
        scheme, _, token = request.META.get("HTTP_AUTHORIZATION", "").partition(" ")
        if scheme.lower() != "bearer":
            return None
        actor = key_attempts().authenticate(token.strip(), read_client_address(request.META))
        if actor is None or actor.key is None:
            raise AuthenticationFailed("This key is unknown, expired or revoked.")  # no text: keys only
        return actor.person, actor.key

    def authenticate_header(self, request: Request) -> str:
        """The `WWW-Authenticate` header of a 401."""
        return 'Bearer realm="promptuary"'  # no text: keys only


class KeyScheme(OpenApiAuthenticationExtension):  # type: ignore[no-untyped-call]  # its metaclass is untyped
    """The scheme's name in the OpenAPI schema."""

    target_class = "registry.namespaces.authentication.KeyAuthentication"
    name = "key"

    def get_security_definition(self, auto_schema: object) -> dict[str, str]:
        """The OpenAPI security scheme."""
        return {"type": "http", "scheme": "bearer", "description": "An API key: pb_<id>_<secret>"}  # no text: keys only


def identify_actor(request: Request) -> Actor:
    """The calling person, through their key if there is one. Only for views that require authentication."""
    person, key = request.user, request.auth
    if not isinstance(person, User):
        raise AuthenticationFailed
    if isinstance(key, Key):
        return Actor(person, key)
    return Actor(
        person,
        missing_proof=reauthentication.find_missing_proof(request),
        find_missing_emergency_proof=partial(reauthentication.find_missing_emergency_proof, request),
    )
