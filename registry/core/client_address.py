"""The network address that a request comes from, as far as it can be believed."""

from collections.abc import Mapping
from typing import Any

from django.conf import settings

__all__ = ["client_address"]


def client_address(environ: Mapping[str, Any]) -> str:
    """The caller's address from a WSGI environ or `request.META`.

    Behind a proxy that is trusted (PROMPTUARY_TRUST_PROXY) it is the last entry of X-Forwarded-For: the one that the
    proxy itself wrote. Otherwise that header is ignored, because anybody can send it.
    """
    if settings.TRUST_PROXY:
        forwarded = str(environ.get("HTTP_X_FORWARDED_FOR", "")).rpartition(",")[2].strip()
        if forwarded:
            return forwarded[:64]
    return str(environ.get("REMOTE_ADDR", ""))
