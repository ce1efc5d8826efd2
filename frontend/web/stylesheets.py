"""Bundles of stylesheets: the sources are many small files, a page loads one bundle for all pages and one of its own.

A bundle's URL lists its files and contains the digest of their content, so that each process can answer it and browsers
keep the answer for good. Nothing is written: there is no build, and the program's folder may be read-only.
"""

import gzip
import re
from dataclasses import dataclass
from functools import lru_cache
from hashlib import sha256
from pathlib import Path

from django.http import HttpRequest, HttpResponse
from django.utils.cache import patch_cache_control, patch_vary_headers

__all__ = ["build_bundle_url", "find_bundle"]

_FOLDER = Path(__file__).parents[1] / "static/frontend/css"
_PATH = re.compile(r"/styles/([a-z]+/[a-z-]+(?:,[a-z]+/[a-z-]+)*)\.css")
_YEAR = 365 * 24 * 3600  # seconds that browsers keep a bundle


@dataclass(frozen=True, slots=True)
class _Bundle:
    """version: the digest of the content, 12 hex digits."""

    version: str
    compressed: bytes


@lru_cache(maxsize=128)
def build_bundle_url(names: tuple[str, ...]) -> str:
    """The URL of the bundle of these files, in their order. names: such as `web/forms`; OSError if one is missing."""
    return f"/styles/{','.join(names)}.css?v={_read_bundle(names).version}"


def find_bundle(request: HttpRequest) -> HttpResponse | None:
    """The answer if the request is for a bundle of files that exist, else None."""
    match = _PATH.fullmatch(request.path_info)
    names = tuple(match[1].split(",")) if match and request.method in ("GET", "HEAD") else ()
    if not names or len(names) > len(set(names)):
        return None
    try:
        bundle = _read_bundle(names)
    except OSError:
        return None
    return _answer_bundle(request, bundle)


@lru_cache(maxsize=128)
def _read_bundle(names: tuple[str, ...]) -> _Bundle:
    """Read once by a process: an edited file, like an edited template, shows up when the server is started again."""
    content = b"\n".join((_FOLDER / f"{name}.css").read_bytes() for name in names)
    return _Bundle(sha256(content).hexdigest()[:12], gzip.compress(content, mtime=0))


def _answer_bundle(request: HttpRequest, bundle: _Bundle) -> HttpResponse:
    is_compressed = "gzip" in request.headers.get("Accept-Encoding", "")
    content = bundle.compressed if is_compressed else gzip.decompress(bundle.compressed)
    response = HttpResponse(content, content_type="text/css; charset=utf-8")
    if is_compressed:
        response["Content-Encoding"] = "gzip"
    patch_vary_headers(response, ["Accept-Encoding"])
    if request.GET.get("v") == bundle.version:
        patch_cache_control(response, public=True, max_age=_YEAR, immutable=True)
    else:  # the page is from a process with older or newer files
        patch_cache_control(response, no_cache=True)
    return response
