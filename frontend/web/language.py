"""The language of pages: what the person chose, else what their browser asks for, else English."""

from collections.abc import Callable
from functools import cache
from hashlib import sha256
from pathlib import Path

from django.conf import settings
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.utils import translation
from django.utils.cache import patch_cache_control, patch_vary_headers
from django.utils.translation import get_language_from_request, gettext
from django.views.i18n import JavaScriptCatalog

from registry.accounts.actor import person_of
from registry.core.errors import NotFound

__all__ = ["answer_script_texts", "script_texts_version", "use_language"]

_FOLDER = Path(__file__).parents[1] / "locale"
_MONTH = 30 * 24 * 3600  # seconds that a browser keeps the texts of the scripts


def use_language(respond: Callable[[HttpRequest], HttpResponseBase]) -> Callable[[HttpRequest], HttpResponseBase]:
    """Middleware: what is answered to a person is in their language. The API answers a key in English."""

    def answer(request: HttpRequest) -> HttpResponseBase:
        if request.path.startswith("/api/") and settings.SESSION_COOKIE_NAME not in request.COOKIES:
            return respond(request)
        person = person_of(request)
        chosen = person.language if person else ""
        if chosen not in dict(settings.LANGUAGES):
            chosen = get_language_from_request(request)
        with translation.override(chosen):
            response = respond(request)
        if not (person and person.language):
            patch_vary_headers(response, ["Accept-Language"])
        return response

    return answer


@cache
def script_texts_version(language: str) -> str:
    """A digest of the texts that the scripts have in a language; empty where the catalogue was not compiled."""
    path = _FOLDER / language / "LC_MESSAGES" / "djangojs.mo"
    return sha256(path.read_bytes()).hexdigest()[:12] if path.exists() else ""


def answer_script_texts(request: HttpRequest, language: str) -> HttpResponseBase:
    """The translated texts of the scripts, as a script that is loaded before them. Its address names their state."""
    if language not in dict(settings.LANGUAGES):
        raise NotFound(gettext("There are no texts in this language."))
    with translation.override(language):
        response = JavaScriptCatalog.as_view(packages=["frontend"])(request)
    patch_cache_control(response, public=True, max_age=_MONTH, immutable=True)
    return response
