"""The page of a namespace's members: their roles, and open invitations."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

from django.conf import settings
from django.contrib import messages
from django.forms import Form
from django.http import HttpRequest, HttpResponse, JsonResponse, QueryDict
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext, gettext_lazy
from django.views.decorators.debug import sensitive_variables

from frontend.changes.mention_views import answer_people
from frontend.settings.folder_role_form import FolderRoleForm, set_folder_role
from frontend.settings.forms import InvitationForm, MemberForm
from frontend.settings.inviting import Inviting, invite_people, send_again
from frontend.settings.losses import ActToConfirm
from frontend.settings.owner_form import OwnerForm, set_owners
from frontend.settings.role_change import RoleToConfirm, change_role
from frontend.settings.rule_forms import list_owner_names
from frontend.web.decorators import form_page, signed_in
from frontend.web.forms import add_errors
from frontend.web.page import render_page
from registry.accounts.actor import Actor
from registry.changes.rule_effects import RuleEffects
from registry.core.errors import Conflict, Invalid, NotFound
from registry.core.problem_details import find_status
from registry.invitations import queries as invitation_queries
from registry.invitations import services as invitation_services
from registry.namespaces import folder_roles, granters, group_queries, permissions
from registry.namespaces import queries as namespace_queries
from registry.namespaces.models import Group, Membership, Namespace, Role
from registry.namespaces.rules import read_rules
from registry.namespaces.verbs import Verb
from registry.templates import search_counts

__all__ = ["list_people", "manage_members"]

T = TypeVar("T")
ROLE_RIGHTS = {
    Role.READER: gettext_lazy("read, fetch, check and render"),
    Role.AUTHOR: gettext_lazy("also save, propose, comment, move unprotected labels and publish what was approved"),
    Role.REVIEWER: gettext_lazy("also approve the work of others, and roll back"),
    Role.ADMIN: gettext_lazy("also manage members, keys and rules"),
}
_PLACES = {"owners": "#owners", "folder_role": "#folder-roles"}  # by button, the section of the page to return to
_ROLES = [(role.value, words) for role, words in ROLE_RIGHTS.items()]


@dataclass(frozen=True)
class _Forms:
    """The page's forms; the one whose button was pressed has what was posted."""

    member: MemberForm
    invitation: InvitationForm
    folder_role: FolderRoleForm
    owner: OwnerForm


@dataclass(frozen=True)
class _Outcome:
    """The result of the pressed button: the status, and what to confirm or to show."""

    status: int = 200
    inviting: Inviting = field(default_factory=Inviting)
    to_confirm: RoleToConfirm | None = None
    act_to_confirm: ActToConfirm | None = None
    owner_effects: RuleEffects | None = None


@sensitive_variables("inviting", "outcome")
@form_page
@signed_in
def manage_members(request: HttpRequest, actor: Actor, namespace: str) -> HttpResponse:
    """The members; admins set and remove roles, and invite people. Only the response to an
    invitation shows the link.
    """
    space = namespace_queries.get_namespace(actor, namespace)
    button = request.POST.get("do", "role") if request.method == "POST" else "look"
    rows, groups = namespace_queries.list_members(actor, namespace), group_queries.list_groups(actor, namespace)
    forms = _read_forms(request, button, rows, groups)
    outcome = _perform_action(request, actor, space, button, forms)
    inviting = outcome.inviting
    if outcome.status == 201 and not inviting.answers:
        return redirect(reverse("members", args=[namespace]) + _PLACES.get(button, ""))
    may_manage = permissions.is_allowed(actor, Verb.MANAGE, space)
    context = {
        "section": "settings",
        "settings_page": "members",
        "namespace": namespace,
        "granters": granters.describe_granters(space),
        "rules": read_rules(space),
        "rows": rows,
        "to_confirm": outcome.to_confirm,
        "act_to_confirm": outcome.act_to_confirm,
        "owner_form": forms.owner,
        "owner_effects": outcome.owner_effects,
        "owner_rows": [(owner.pattern, list_owner_names(owner)) for owner in read_rules(space).owners],
        "folder_form": forms.folder_role,
        "folder_rows": folder_roles.list_folder_roles(actor, namespace),
        "folders": search_counts.list_folder_paths(space) if may_manage else [],
        "form": _make_member_form() if outcome.to_confirm else forms.member,
        "roles": _ROLES,
        "may_manage": may_manage,
        "invitation_form": _make_invitation_form() if inviting.answers else forms.invitation,
        "invitations": invitation_queries.list_open(actor, namespace) if may_manage else [],
        "inviting": inviting,
        "provider": settings.OIDC_NAME if settings.OIDC_ISSUER else "",
    }
    answer = render_page(request, "settings/members.html", context, status=outcome.status)
    if inviting.links:
        answer["Cache-Control"] = "no-store"
    return answer


def _read_forms(request: HttpRequest, button: str, members: Sequence[Membership], groups: Sequence[Group]) -> _Forms:
    return _Forms(
        member=_make_member_form(request.POST if button == "role" else None),
        invitation=_make_invitation_form(request.POST if button == "invite" else None),
        folder_role=FolderRoleForm(request.POST if button == "folder_role" else None, members=members, groups=groups),
        owner=OwnerForm(request.POST if button == "owners" else None),
    )


def _make_member_form(data: QueryDict | None = None) -> MemberForm:
    return MemberForm(data, initial={"role": Role.READER.value})


def _make_invitation_form(data: QueryDict | None = None) -> InvitationForm:
    return InvitationForm(data, initial={"role": Role.READER.value})


@sensitive_variables("inviting")
def _perform_action(request: HttpRequest, actor: Actor, space: Namespace, button: str, forms: _Forms) -> _Outcome:
    """Perform the action of the pressed button; 201 is a success, after which the page is loaded again."""
    if button == "role":
        to_confirm, status = _set_role(request, actor, space.name, forms.member)
        return _Outcome(status, to_confirm=to_confirm)
    if button == "owners":
        owner_effects, status = _set_owners(request, actor, space, forms.owner)
        return _Outcome(status, owner_effects=owner_effects)
    if button == "folder_role":
        act_to_confirm, status = _set_folder_role(request, actor, space.name, forms.folder_role)
        return _Outcome(status, act_to_confirm=act_to_confirm)
    if button == "end":
        invitation_services.end_invitation(actor=actor, invitation_id=request.POST.get("invitation", ""))
        messages.success(request, gettext("The invitation is withdrawn. Its link no longer works."))
        return _Outcome(201)
    if button in ("again", "invite"):
        inviting = (
            send_again(actor, request.POST) if button == "again" else invite_people(actor, space.name, forms.invitation)
        )
        return _Outcome(inviting.status, inviting)
    return _Outcome()


@signed_in
def list_people(_request: HttpRequest, actor: Actor, namespace: str) -> JsonResponse:
    """The members who can sign in, then the groups, as JSON for admins: candidates for owners."""
    return answer_people(permissions.find_namespace(actor, Verb.MANAGE, namespace))


def _set_role(request: HttpRequest, actor: Actor, namespace: str, form: MemberForm) -> tuple[RoleToConfirm | None, int]:
    """Set the role and return None and 201; else what to confirm and 200, or None and the status
    of the form's errors.
    """

    def set_role(data: dict[str, Any]) -> RoleToConfirm | None:
        username, role = data["username"], data["role"] or None

        def describe(member: Membership | None) -> str:
            if member is None:
                return gettext("{username} is no longer a member.").format(username=username)
            if member.role != role:
                sentence = gettext("{username} is still {role}: a group gives this role.")
            else:
                sentence = gettext("{username} is now {role}.")
            return sentence.format(username=username, role=gettext(member.role))

        return change_role(request, actor, namespace, username, role, describe)

    to_confirm, status = _try_action(form, set_role)
    return to_confirm, 200 if to_confirm else status


def _set_owners(
    request: HttpRequest, actor: Actor, space: Namespace, form: OwnerForm
) -> tuple[RuleEffects | None, int]:
    """Set the owners and return None and 201; else what to confirm and 200, or None and the status of the form's
    errors.
    """
    confirmed = request.POST.get("confirmed", "")
    result, status = _try_action(form, lambda data: set_owners(actor, space, data, confirmed))
    if isinstance(result, RuleEffects):
        return result, 200
    if result:
        messages.success(request, result)
    return None, status


def _set_folder_role(
    request: HttpRequest, actor: Actor, namespace: str, form: FolderRoleForm
) -> tuple[ActToConfirm | None, int]:
    """Set the role and return None and 201; else what to confirm and 200, or None and the status
    of the form's errors.
    """
    result, status = _try_action(form, lambda data: set_folder_role(actor, namespace, data, request.POST))
    if isinstance(result, ActToConfirm):
        return result, 200
    if result:
        messages.success(request, result)
    return None, status


def _try_action(form: Form, act: Callable[[dict[str, Any]], T]) -> tuple[T | None, int]:
    """Call `act` with the form's values; returns its result, or None with its errors in the form, and the status."""
    if not form.is_valid():
        return None, 422
    try:
        return act(form.cleaned_data), 201
    except (Invalid, Conflict, NotFound) as error:
        add_errors(form, error)
        return None, find_status(error)
