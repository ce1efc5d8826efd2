"""The page of a namespace's members and their roles."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect

from frontend.settings.forms import MemberForm
from frontend.web.decorators import form_page, signed_in
from frontend.web.forms import add_errors
from frontend.web.page import show
from registry.accounts.actor import Actor
from registry.core.errors import Conflict, Invalid, NotFound
from registry.core.problem_details import status_of
from registry.namespaces import permissions
from registry.namespaces import queries as namespace_queries
from registry.namespaces import services as members_service
from registry.namespaces.permissions import Role, Verb
from registry.namespaces.rules import rules_of

__all__ = ["members"]

MAY = {
    Role.READER: "read, fetch, check and render",
    Role.AUTHOR: "also save, propose, comment, move unprotected labels and publish what was approved",
    Role.REVIEWER: "also approve what is not their own, and roll back",
    Role.ADMIN: "also manage members, keys and rules",
}


@form_page
@signed_in
def members(request: HttpRequest, actor: Actor, namespace: str) -> HttpResponse:
    """The members; admins give and take roles."""
    space = namespace_queries.get_namespace(actor, namespace)
    form = MemberForm(request.POST or None, initial={"role": Role.READER.value})
    status = 200
    if request.method == "POST":
        status = 422
        if form.is_valid():
            username, role = form.cleaned_data["username"], form.cleaned_data["role"] or None
            try:
                members_service.set_role(actor=actor, namespace=namespace, username=username, role=role)
            except (Invalid, Conflict, NotFound) as error:
                add_errors(form, error)
                status = status_of(error)
            else:
                messages.success(
                    request, f"{username} is {role} now." if role else f"{username} is no member any more."
                )
                return redirect("members", namespace)
    context = {
        "section": "templates",
        "settings_page": "members",
        "namespace": namespace,
        "granters": permissions.describe_granters(space),
        "rules": rules_of(space),
        "rows": namespace_queries.list_members(actor, namespace),
        "form": form,
        "roles": [(role.value, words) for role, words in MAY.items()],
        "may_manage": permissions.is_allowed(actor, Verb.MANAGE, space),
    }
    return show(request, "settings/members.html", context, status=status)
