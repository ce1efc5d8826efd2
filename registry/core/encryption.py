"""Secrets that must be readable (such as a webhook's, for signing), sealed with a key derived from the secret key."""

# no texts here: logs have it

import base64

from cryptography.fernet import Fernet, InvalidToken
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from django.conf import settings
from django.utils.translation import gettext

from registry.core.errors import Conflict

__all__ = ["seal", "unseal"]


def seal(secret: str) -> str:
    """Encrypt the secret as text that only this instance can decrypt."""
    return _make_cipher().encrypt(secret.encode()).decode("ascii")


def unseal(sealed: str) -> str:
    """Decrypt the secret. Raises Conflict if it was sealed with another PROMPTUARY_SECRET_KEY."""
    try:
        return _make_cipher().decrypt(sealed.encode("ascii")).decode()
    except InvalidToken as error:
        sentence = gettext("The secret was sealed under another PROMPTUARY_SECRET_KEY: make a new one.")
        raise Conflict(sentence) from error


def _make_cipher() -> Fernet:
    key = HKDF(algorithm=SHA256(), length=32, salt=None, info=b"promptuary.sealing.1").derive(
        settings.SECRET_KEY.encode()
    )
    return Fernet(base64.urlsafe_b64encode(key))
