"""A small OpenID provider on its own port: discovery, keys, codes with PKCE, RS256 tokens, and faults on demand."""

import base64
import hashlib
import json
import secrets
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

import jwt
from cryptography.hazmat.primitives.asymmetric import rsa

__all__ = ["CLIENT", "SECRET", "Provider", "running_provider"]

CLIENT, SECRET = "promptuary", "a secret between the two"
Claims = dict[str, Any]
_OURS, _FORGED = (rsa.generate_private_key(public_exponent=65537, key_size=2048) for _ in range(2))


class Provider:
    """Signs in `person` without a prompt. `twist` may change the token's claims; `forge` signs with another key."""

    def __init__(self) -> None:
        self.url = ""
        self.person: Claims = {
            "sub": "7",
            "preferred_username": "Ann.Lee",
            "email": "ann@example.org",
            "name": "Ann Lee",
        }
        self.person["email_verified"] = True
        self.twist: Callable[[Claims], Claims] = lambda claims: claims
        self.told: Callable[[Claims], Claims] = lambda facts: facts  # userinfo's response
        self.forge = False
        self.unsigned = False
        self.silent = False  # sends no id_token
        self.calls_itself = ""
        self.asked: list[dict[str, str]] = []
        self._codes: dict[str, dict[str, str]] = {}

    def discovery(self) -> Claims:
        return {
            "issuer": self.calls_itself or self.url,
            "authorization_endpoint": f"{self.url}/authorize",
            "token_endpoint": f"{self.url}/token",
            "userinfo_endpoint": f"{self.url}/userinfo",
            "jwks_uri": f"{self.url}/keys",
            "token_endpoint_auth_methods_supported": ["client_secret_post"],
        }

    def keys(self) -> Claims:
        public = json.loads(jwt.algorithms.RSAAlgorithm.to_jwk(_OURS.public_key()))
        return {"keys": [{**public, "kid": "one", "use": "sig", "alg": "RS256"}]}

    def authorize(self, asked: dict[str, str]) -> str:
        """The address, with a code, that the browser is redirected to."""
        self.asked.append(asked)
        code = secrets.token_urlsafe(8)
        self._codes[code] = asked
        return f"{asked['redirect_uri']}?{urlencode({'code': code, 'state': asked['state']})}"

    def token(self, sent: dict[str, str]) -> Claims | None:
        """Exchange a code, once, for the client that has the verifier; return None for any other."""
        asked = self._codes.pop(sent.get("code", ""), None)
        challenge = base64.urlsafe_b64encode(hashlib.sha256(sent.get("code_verifier", "").encode()).digest())
        if (
            asked is None
            or (sent.get("client_id"), sent.get("client_secret")) != (CLIENT, SECRET)
            or sent.get("redirect_uri") != asked["redirect_uri"]
            or asked.get("code_challenge_method") != "S256"
            or challenge.decode().rstrip("=") != asked.get("code_challenge")
        ):
            return None
        now = int(time.time())
        claims = {"iss": self.url, "aud": CLIENT, "iat": now, "exp": now + 60, "nonce": asked.get("nonce")}
        signed = {"access_token": "open", "token_type": "Bearer", "expires_in": 60}
        return signed if self.silent else {**signed, "id_token": self._sign(self.twist({**claims, **self.person}))}

    def _sign(self, claims: Claims) -> str:
        if self.unsigned:
            return jwt.encode(claims, "", algorithm="none", headers={"kid": "one"})
        return jwt.encode(claims, _FORGED if self.forge else _OURS, algorithm="RS256", headers={"kid": "one"})


@contextmanager
def running_provider() -> Iterator[Provider]:
    """Run the provider on 127.0.0.1 until the block ends."""
    provider = Provider()

    class Answer(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            path, _, query = self.path.partition("?")
            if path == "/authorize":
                self.send_response(302)
                self.send_header("Location", provider.authorize(_flatten(query)))
                self.send_header("Content-Length", "0")
                self.end_headers()
            elif path == "/userinfo" and self.headers["Authorization"] == "Bearer open":
                self._say(provider.told(dict(provider.person)))
            else:
                pages = {"/.well-known/openid-configuration": provider.discovery, "/keys": provider.keys}
                self._say(pages[path]() if path in pages else None)

        def do_POST(self) -> None:
            self._say(provider.token(_flatten(self.rfile.read(int(self.headers["Content-Length"])).decode())))

        def _say(self, body: Claims | None) -> None:
            content = json.dumps(body if body is not None else {"error": "invalid_grant"}).encode()
            self.send_response(200 if body is not None else 400)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, *_arguments: Any) -> None:
            """Log nothing: the tests read the responses."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Answer)
    provider.url = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield provider
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def _flatten(query: str) -> dict[str, str]:
    return {name: values[0] for name, values in parse_qs(query).items()}


def split_address(address: str) -> tuple[str, dict[str, str]]:
    """Split an address into path and query."""
    parts = urlsplit(address)
    return parts.path, _flatten(parts.query)
