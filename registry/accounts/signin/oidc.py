"""Validates an OpenID provider's response: signature, issuer, audience, time, and one subject throughout.

allauth skips the signature of a token that it fetched itself; here it is always verified. The nonce is compared in
`allauth_adapters.ProviderAdapter`, which has both the request and the response.
"""

# no texts here: errors of the protocol go to the log

from typing import Any

import jwt
from allauth.socialaccount.internal import jwtkit
from allauth.socialaccount.models import SocialApp, SocialLogin, SocialToken
from allauth.socialaccount.providers.oauth2.client import OAuth2Error
from allauth.socialaccount.providers.openid_connect.views import OpenIDConnectOAuth2Adapter
from django.http import HttpRequest

__all__ = ["ALGORITHMS", "PROVIDER", "Adapter"]

PROVIDER = "oidc"
ALGORITHMS = {"RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA"}


class Adapter(OpenIDConnectOAuth2Adapter):  # type: ignore[misc]  # allauth has no types
    """Client for the provider of the settings."""

    def __init__(self, request: HttpRequest) -> None:
        super().__init__(request, PROVIDER)

    @property
    def openid_config(self) -> dict[str, Any]:
        """The provider's discovery document; its issuer must match the settings."""
        config: dict[str, Any] = super().openid_config
        issuer = self.get_provider().app.settings["server_url"].rstrip("/")
        if str(config.get("issuer", "")).rstrip("/") != issuer:
            raise OAuth2Error("The provider calls itself by another name than the settings do.")
        return config

    def complete_login(self, request: HttpRequest, app: SocialApp, token: SocialToken, **kwargs: Any) -> SocialLogin:
        """The login, with the token's claims in its account. Raises OAuth2Error if anything is invalid."""
        if not kwargs["response"].get("id_token"):
            raise OAuth2Error("The provider sent no id_token.")
        try:
            login = super().complete_login(request, app, token, **kwargs)
        except (KeyError, TypeError, ValueError) as error:
            raise OAuth2Error("The provider's answer has another form than OpenID's.") from error
        data = login.account.extra_data
        if data["userinfo"].get("sub") != data["id_token"].get("sub"):
            raise OAuth2Error("The two halves of the provider's answer speak of different people.")
        return login

    def _decode_id_token(self, app: SocialApp, id_token: str) -> dict[str, Any]:
        try:
            header = jwt.get_unverified_header(id_token)
        except jwt.PyJWTError as error:
            raise OAuth2Error("The id_token can't be read.") from error
        if header.get("alg") not in ALGORITHMS or not header.get("kid"):
            raise OAuth2Error("The id_token is not signed with a key of the provider's.")
        claims: dict[str, Any] = jwtkit.verify_and_decode(
            credential=id_token,
            keys_url=self.openid_config["jwks_uri"],
            issuer=self.openid_config["issuer"],
            audience=app.client_id,
            lookup_kid=jwtkit.lookup_kid_jwk,
            verify_signature=True,
        )
        if isinstance(claims.get("aud"), list) and len(claims["aud"]) > 1 and claims.get("azp") != app.client_id:
            raise OAuth2Error("The id_token was made for another client.")
        return claims
