"""The page of a namespace's groups and their members; admins can create, change and remove them."""

from functools import partial

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect
from django.utils.translation import gettext

from frontend.settings.forms import ROLES_IN_WORDS, GroupForm
from frontend.settings.losses import ActToConfirm, ask_first
from frontend.web.decorators import form_page, signed_in
from frontend.web.forms import add_errors
from frontend.web.page import render_page
from registry.accounts.actor import Actor
from registry.core.errors import Conflict, Invalid, NotFound
from registry.core.problem_details import find_status
from registry.namespaces import granters, group_queries, groups, permissions
from registry.namespaces import queries as namespace_queries
from registry.namespaces.verbs import Verb
from registry.people import group_access

__all__ = ["manage_groups"]

BUTTONS = ("make", "change", "add", "take_out", "remove")


@form_page
@signed_in
def manage_groups(request: HttpRequest, actor: Actor, namespace: str) -> HttpResponse:
    """The groups with their members; a refused action is shown with the error."""
    space = namespace_queries.get_namespace(actor, namespace)
    button, status, problem, to_confirm = request.POST.get("do", ""), 200, "", None
    form = GroupForm(request.POST if button == "make" else None)
    if request.method == "POST":
        permissions.require_verb(actor, Verb.MANAGE, space)
        try:
            done = _perform_action(actor, namespace, button, request.POST, form)
            if isinstance(done, ActToConfirm):
                to_confirm = done
            elif done:
                messages.success(request, done)
                return redirect("groups", namespace)
            else:
                status = 422
        except (Conflict, Invalid, NotFound) as error:
            status = find_status(error)
            if button == "make" and isinstance(error, Conflict | Invalid):
                add_errors(form, error)
            else:
                problem = error.message
    context = {
        "section": "settings",
        "settings_page": "groups",
        "namespace": namespace,
        "may_manage": permissions.is_allowed(actor, Verb.MANAGE, space),
        "granters": granters.describe_granters(space),
        "rows": group_queries.list_groups(actor, namespace),
        "members": namespace_queries.list_members(actor, namespace),
        "roles": ROLES_IN_WORDS,
        "form": form,
        "problem": problem,
        "to_confirm": to_confirm,
    }
    return render_page(request, "settings/groups.html", context, status=status)


def _perform_action(
    actor: Actor, namespace: str, button: str, posted: QueryDict, form: GroupForm
) -> str | ActToConfirm:
    """Perform the button's action; returns the message, the losses to confirm first, or an empty string if the form has
    errors.
    """
    name, username = posted.get("group", ""), posted.get("username", "").strip()
    if button == "make":
        if not form.is_valid():
            return ""
        title = groups.make_group(actor=actor, namespace=namespace, **form.cleaned_data).title
        return gettext("The group {title} is created.").format(title=title)
    if button == "add":
        title = groups.add_to_group(actor=actor, namespace=namespace, name=name, username=username).title
        return gettext("{username} is now in the group {title}.").format(username=username, title=title)
    if button in ("change", "take_out", "remove"):
        title = group_queries.find_group(actor, namespace, name).title
        words = {
            "change": gettext("Save the group {title}"),
            "take_out": gettext("Remove {username} from {title}"),
            "remove": gettext("Remove the group {title}"),
        }
        done = partial(_take_rights, actor, namespace, button, posted)
        return ask_first(done, posted, lambda: words[button].format(username=username, title=title))
    raise Invalid(fields={"do": gettext("one of {names}.").format(names=", ".join(BUTTONS))})


def _take_rights(actor: Actor, namespace: str, button: str, posted: QueryDict) -> str:
    """Change or remove the group, or remove a member; returns the message."""
    name, username = posted.get("group", ""), posted.get("username", "").strip()
    confirmed = posted.get("confirmed", "")
    if button == "change":
        title, role = posted.get("title", ""), posted.get("role", "")
        group = group_access.change_group(
            actor=actor, namespace=namespace, name=name, title=title, role=role, confirmed=confirmed
        )
        return gettext("The group {title} is saved.").format(title=group.title)
    if button == "take_out":
        group = group_access.remove_from_group(
            actor=actor, namespace=namespace, name=name, username=username, confirmed=confirmed
        )
        return gettext("{username} is no longer in the group {title}.").format(username=username, title=group.title)
    group_access.remove_group(actor=actor, namespace=namespace, name=name, confirmed=confirmed)
    return gettext("The group is removed.")
