"""Where the page of a refusal leads: to the template that its address belongs to, or to the list of its section."""

import re
from dataclasses import dataclass

from django.http import HttpRequest
from django.urls import reverse
from django.utils.functional import Promise
from django.utils.translation import gettext, gettext_lazy

from registry.accounts.actor import Actor
from registry.core.errors import PromptuaryError
from registry.templates.queries import get_template

__all__ = ["WayBack", "find_way_back"]

_TEMPLATES: tuple[str | Promise, str] = (gettext_lazy("Go to the templates"), "browse")
_LISTS: dict[str, tuple[str | Promise, str]] = {
    "changes": (gettext_lazy("Go to the changes"), "changes"),
    "releases": (gettext_lazy("Go to the releases"), "releases"),
    "runs": (gettext_lazy("Go to the runs"), "runs"),
    "improvements": (gettext_lazy("Go to the runs"), "runs"),
    "d": (gettext_lazy("Go to the datasets"), "datasets"),
    "environments": (gettext_lazy("Go to the environments"), "environments"),
    "n": (gettext_lazy("Go to the settings"), "settings"),
    "settings": (gettext_lazy("Go to the settings"), "settings"),
    "people": (gettext_lazy("Go to the settings"), "settings"),
    "help": (gettext_lazy("Go to the help"), "help"),
}
"""The words and the URL name of the list, by the first segment of an address."""
_TEMPLATE_PAGE = re.compile(r"/t/(?P<name>[a-z0-9-]+(?:/[a-z0-9-]+)+)/-/")


@dataclass(frozen=True)
class WayBack:
    """A link: its words and its address."""

    words: str
    url: str


def find_way_back(request: HttpRequest, *, is_missing: bool) -> WayBack:
    """The link of a refused request. is_missing: whether its page doesn't exist, or not for this user."""
    page = _TEMPLATE_PAGE.match(request.path_info) if is_missing else None
    if page and (way_back := _find_template(request, page["name"])):
        return way_back
    section = request.path_info.lstrip("/").partition("/")[0]
    words, url_name = _LISTS.get(section, _TEMPLATES)
    return WayBack(str(words), reverse(url_name))


def _find_template(request: HttpRequest, name: str) -> WayBack | None:
    user = getattr(request, "user", None)
    if user is None or not user.is_authenticated:
        return None
    try:
        template = get_template(Actor(user), name)
    except PromptuaryError:
        return None
    return WayBack(gettext("Go to {name}").format(name=template.name), reverse("template", args=[template.name]))
