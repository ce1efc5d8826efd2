"""The texts of the scripts in the language of the page."""

from functools import cache
from hashlib import sha256
from pathlib import Path

from django.conf import settings
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.utils import translation
from django.utils.cache import patch_cache_control
from django.utils.translation import gettext
from django.views.i18n import JavaScriptCatalog

from registry.core.errors import NotFound

__all__ = ["answer_script_texts", "compute_script_texts_version"]

_FOLDER = Path(__file__).parents[1] / "locale"
_MONTH = 30 * 24 * 3600  # seconds that browsers cache the scripts' texts


@cache
def compute_script_texts_version(language: str) -> str:
    """A digest of the scripts' texts in a language; empty if the catalogue wasn't compiled."""
    path = _FOLDER / language / "LC_MESSAGES" / "djangojs.mo"
    return sha256(path.read_bytes()).hexdigest()[:12] if path.exists() else ""


def answer_script_texts(request: HttpRequest, language: str) -> HttpResponseBase:
    """The translated texts as a script that is loaded before the others. Its URL contains their digest."""
    if language not in dict(settings.LANGUAGES):
        raise NotFound(gettext("There are no texts in this language."))
    with translation.override(language):
        response = JavaScriptCatalog.as_view(packages=["frontend"])(request)
    patch_cache_control(response, public=True, max_age=_MONTH, immutable=True)
    return response
