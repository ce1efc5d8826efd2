"""A software passkey: it answers a server's challenges with real signatures, or wrongly on demand."""

import json
import secrets
from typing import Any

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from fido2.cose import ES256
from fido2.utils import sha256, websafe_decode, websafe_encode
from fido2.webauthn import (
    AttestationObject,
    AttestedCredentialData,
    AuthenticatorData,
    CollectedClientData,
)

__all__ = ["SoftwarePasskey"]

Json = dict[str, Any]
FLAG = AuthenticatorData.FLAG


class SoftwarePasskey:
    """One credential for one person on one server. origin: the value that the browser puts into responses."""

    def __init__(self, origin: str, *, is_verified: bool = True) -> None:
        self.origin = origin
        self.flags = FLAG.UP | (FLAG.UV if is_verified else FLAG(0))
        self.rp_id = ""
        self.user_handle = ""
        self._id = secrets.token_bytes(16)
        self._key = ec.generate_private_key(ec.SECP256R1())

    def create(self, options: Json) -> str:
        """The response to a registration challenge, as a form submits it."""
        asked = options["publicKey"]
        self.rp_id, self.user_handle = asked["rp"]["id"], asked["user"]["id"]
        public = ES256.from_cryptography_key(self._key.public_key())
        credential = AttestedCredentialData.create(b"\0" * 16, self._id, public)
        data = AuthenticatorData.create(self._hash(), self.flags | FLAG.AT, 0, credential)
        attestation = AttestationObject.create("none", data, {})
        client = self._client_data(CollectedClientData.TYPE.CREATE, asked["challenge"])
        return self._write({"clientDataJSON": client.b64, "attestationObject": websafe_encode(attestation)})

    def get(self, options: Json, **other: str) -> str:
        """The response to a sign-in challenge; `other` replaces fields in it."""
        client = self._client_data(CollectedClientData.TYPE.GET, options["publicKey"]["challenge"])
        data = AuthenticatorData.create(self._hash(), self.flags, 0)
        response = {
            "clientDataJSON": client.b64,
            "authenticatorData": websafe_encode(data),
            "signature": websafe_encode(self._key.sign(data + client.hash, ec.ECDSA(hashes.SHA256()))),
            "userHandle": self.user_handle,
        }
        return self._write({**response, **other})

    def _client_data(self, kind: str, challenge: str) -> CollectedClientData:
        return CollectedClientData.create(kind, websafe_decode(challenge), self.origin)

    def _hash(self) -> bytes:
        return sha256(self.rp_id.encode())

    def _write(self, response: Json) -> str:
        name = websafe_encode(self._id)
        return json.dumps({"id": name, "rawId": name, "type": "public-key", "response": response})
