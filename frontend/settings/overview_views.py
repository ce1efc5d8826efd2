"""The page that links to all settings: of each namespace, of the installation, and of the reader's account."""

from dataclasses import dataclass

from django.http import HttpRequest, HttpResponse

from frontend.web.decorators import signed_in
from frontend.web.page import render_page
from registry.accounts.actor import Actor
from registry.namespaces import queries as namespace_queries
from registry.namespaces.models import Role
from registry.people import permissions

__all__ = ["show_settings"]


@dataclass(frozen=True)
class NamespaceSettings:
    """A namespace whose settings the reader may see. may_manage: whether they may also change them."""

    name: str
    role: str
    may_manage: bool


@signed_in
def show_settings(request: HttpRequest, actor: Actor) -> HttpResponse:
    """Links to all settings that the reader may see."""
    rows = [
        NamespaceSettings(space.name, roles.namespace, roles.namespace == Role.ADMIN)
        for space, roles in namespace_queries.list_namespaces(actor)
    ]
    is_installation_admin = permissions.is_installation_admin(actor)
    context = {
        "section": "settings",
        "rows": rows,
        "is_installation_admin": is_installation_admin,
        "may_see_people": is_installation_admin or any(row.may_manage for row in rows),
    }
    return render_page(request, "settings/overview.html", context)
