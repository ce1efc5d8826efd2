"""The people pages: the list for admins, one user's roles and sign-in, and panels before risky actions."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from django.conf import settings
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.http import urlencode
from django.utils.translation import gettext

from frontend.settings.forms import NamespaceInvitationForm
from frontend.settings.inviting import Inviting, invite_people, send_again
from frontend.settings.people_tables import list_key_rows, shorten_list
from frontend.settings.role_change import RoleToConfirm, change_role
from frontend.web.decorators import form_page, signed_in
from frontend.web.event_sentences import describe_event
from frontend.web.page import render_page
from registry.accounts.actor import Actor
from registry.core.errors import Conflict, Invalid, NotFound
from registry.core.problem_details import find_status
from registry.invitations import queries as invitation_queries
from registry.invitations import services as invitation_services
from registry.namespaces import group_queries
from registry.namespaces import queries as namespace_queries
from registry.namespaces.models import Membership, Role
from registry.notifications import two_step_reminders
from registry.people import administration, permissions, queries, sessions
from registry.people.queries import HeldRole, PersonSummary
from registry.usage.queries import DAYS

__all__ = ["deactivate_person", "manage_people", "reset_sign_in"]

_ROLES = [role.value for role in Role]


@dataclass(frozen=True)
class PersonRow:
    """A user in the list. roles: (role, the places if they have it), highest role first."""

    person: PersonSummary
    roles: list[tuple[str, str]]
    is_open: bool


@dataclass(frozen=True)
class _Outcome:
    """The result of a POST that shows the page again: a problem in a sentence, invitations, or a role to confirm."""

    status: int = 200
    problem: str = ""
    inviting: Inviting = field(default_factory=Inviting)
    to_confirm: RoleToConfirm | None = None


@form_page
@signed_in
def manage_people(request: HttpRequest, actor: Actor) -> HttpResponse:
    """The users; `person` in the URL opens one. A POST sets a role, ends sessions, reminds of two-step sign-in,
    reactivates, invites, or resends or withdraws an invitation. Only the response to inviting or resending shows the
    link.
    """
    administered = _list_administered(actor)
    is_inviting = request.POST.get("do") == "invite"
    form = NamespaceInvitationForm(request.POST if is_inviting else None, namespaces=administered)
    outcome: _Outcome | None = _Outcome()
    if is_inviting:
        outcome = _Outcome(inviting=invite_people(actor, "", form))
    elif request.method == "POST":
        outcome = _perform_post(request, actor)
    if outcome is None:
        query = {"person": request.POST.get("username", ""), "show": _read_filter(request)}
        return redirect(f"{reverse('people')}?{urlencode(query)}")
    context = {
        **_list_people(request, actor, administered),
        "problem": outcome.problem,
        "to_confirm": outcome.to_confirm,
        "form": form,
        "may_invite": bool(form.namespaces),
        "is_form_open": is_inviting and not outcome.inviting.answers,
        "inviting": outcome.inviting,
    }
    answer = render_page(request, "settings/people.html", context, status=max(outcome.status, outcome.inviting.status))
    if outcome.inviting.links:
        answer["Cache-Control"] = "no-store"
    return answer


def _perform_post(request: HttpRequest, actor: Actor) -> _Outcome | None:
    """Perform the action of a button; None if the page is to be loaded again."""
    try:
        if request.POST.get("do") == "again":
            return _Outcome(inviting=send_again(actor, request.POST))
        to_confirm = _perform_action(request, actor)
    except (Conflict, Invalid, NotFound) as error:
        return _Outcome(find_status(error), error.message)
    return _Outcome(to_confirm=to_confirm) if to_confirm is not None else None


def _list_people(request: HttpRequest, actor: Actor, administered: Sequence[str]) -> dict[str, Any]:
    """The context of the tables: people, groups, keys, invitations and what happened to accounts."""
    managed = permissions.list_managed_namespaces(actor)
    namespaces = [namespace.name for namespace in managed]
    with_deactivated = _read_filter(request) == "all"
    words = request.GET.get("q", "").strip()[:100].replace("\0", "")
    people = queries.list_people(actor, words=words, with_deactivated=with_deactivated)
    open_name = request.POST.get("username") or request.GET.get("person", "")
    rows = [_build_row(person, namespaces, person.username == open_name) for person in people]
    opened = next((row.person for row in rows if row.is_open), None)
    is_installation_admin = permissions.is_installation_admin(actor)
    return {
        "section": "settings",
        "rows": shorten_list(rows, is_whole=bool(words) or request.GET.get("rows") == "all"),
        "people_count": len(rows),
        "tab_namespaces": administered,
        "tab_namespace": _choose_namespace(request, administered),
        "key_rows": list_key_rows(actor),
        "invitations": invitation_queries.list_open_of_all(actor, words),
        "opened_roles": _list_roles(opened, namespaces) if opened else [],
        "session_count": _count_sessions(opened) if opened and is_installation_admin else 0,
        "roles": _ROLES,
        "groups": group_queries.read_groups(managed),
        "words": words,
        "shown": "all" if with_deactivated else "",
        "is_installation_admin": is_installation_admin,
        "provider": settings.OIDC_NAME if settings.OIDC_ISSUER else "",
        "acts": [describe_event(event, may_manage=False) for event in queries.list_account_events(actor)]
        if is_installation_admin
        else [],
    }


def _choose_namespace(request: HttpRequest, namespaces: Sequence[str]) -> str:
    """The namespace that the tabs link to: the one in the URL, else the first; empty without any."""
    namespace = request.GET.get("of", "")
    return namespace if namespace in namespaces else next(iter(namespaces), "")


@form_page
@signed_in
def deactivate_person(request: HttpRequest, actor: Actor, username: str) -> HttpResponse:
    """The effects of deactivating the user; a POST does it."""
    effects = queries.describe_effects_of_deactivation(actor, username)
    context = {"section": "settings", "username": username, "effects": effects, "days": DAYS}
    return _confirm(
        request,
        "settings/deactivate_person.html",
        context,
        lambda: administration.deactivate_person(actor=actor, username=username),
        gettext("{username} is deactivated: signed out everywhere, and no key acts for them.").format(
            username=username
        ),
    )


@form_page
@signed_in
def reset_sign_in(request: HttpRequest, actor: Actor, username: str) -> HttpResponse:
    """The effects of resetting the user's two-step sign-in; a POST does it."""
    permissions.require_installation_admin(actor)
    permissions.find_person(username)
    return _confirm(
        request,
        "settings/reset_sign_in.html",
        {"section": "settings", "username": username},
        lambda: administration.reset_second_step(actor=actor, username=username),
        gettext("{username} signs in without two-step sign-in now, and is signed out everywhere.").format(
            username=username
        ),
    )


def _confirm(
    request: HttpRequest, template: str, context: dict[str, Any], act: Callable[[], object], sentence: str
) -> HttpResponse:
    if request.method == "POST":
        try:
            act()
        except Conflict as error:
            return render_page(request, template, {**context, "problem": error.message}, status=find_status(error))
        messages.success(request, sentence)
        return redirect(f"{reverse('people')}?{urlencode({'person': context['username'], 'show': 'all'})}")
    return render_page(request, template, context)


def _perform_action(request: HttpRequest, actor: Actor) -> RoleToConfirm | None:
    """Perform the button's action and add a message; returns a role that has to be confirmed."""
    posted = request.POST
    if posted.get("do") != "role":
        messages.success(request, _perform_sign_in_action(actor, posted))
        return None
    username, namespace, role = posted.get("username", ""), posted.get("namespace", ""), posted.get("role") or None

    def describe(member: Membership | None) -> str:
        names = {"username": username, "namespace": namespace}
        if member is None:
            return gettext("{username} has no access to {namespace} now.").format(**names)
        if member.role != role:
            sentence = gettext("{username} is still {role} in {namespace}: a group gives this role.")
        else:
            sentence = gettext("{username} is {role} in {namespace} now.")
        return sentence.format(**names, role=gettext(member.role))

    return change_role(request, actor, namespace, username, role, describe)


def _perform_sign_in_action(actor: Actor, posted: Any) -> str:
    """Perform a button's action on an account or an invitation, and add a message."""
    username, button = posted.get("username", ""), posted.get("do", "")
    if button == "end_sessions":
        count = administration.end_sessions_of_person(actor=actor, username=username)
        if not count:
            return gettext("{username} wasn't signed in.").format(username=username)
        return gettext("{username} is signed out everywhere.").format(username=username)
    if button == "remind":
        two_step_reminders.remind_of_two_step(actor=actor, username=username)
        return gettext("{username} is asked to turn on two-step sign-in.").format(username=username)
    if button == "reactivate":
        administration.reactivate_person(actor=actor, username=username)
        return gettext("{username} can sign in again.").format(username=username)
    if button == "end":
        invitation_services.end_invitation(actor=actor, invitation_id=posted.get("invitation", ""))
        return gettext("The invitation is withdrawn. Its link no longer works.")
    buttons = "role, end_sessions, remind, reactivate, again, end"
    raise Invalid(fields={"do": gettext("one of {names}.").format(names=buttons)})


def _list_administered(actor: Actor) -> list[str]:
    """Namespaces that the user is an admin of, whose settings they can open and which they can invite to."""
    return [space.name for space, roles in namespace_queries.list_namespaces(actor) if roles.namespace == Role.ADMIN]


def _read_filter(request: HttpRequest) -> str:
    return "all" if (request.POST.get("show") or request.GET.get("show")) == "all" else ""


def _build_row(person: PersonSummary, namespaces: list[str], is_open: bool) -> PersonRow:
    places = {
        role: [held_role.namespace for held_role in person.roles if held_role.role == role] for role in reversed(_ROLES)
    }
    roles = [(role, _join(names, len(namespaces))) for role, names in places.items() if names]
    for held_role in person.roles:
        roles += [(role, f"{held_role.namespace}/{folder}") for folder, role in held_role.folder_roles.items()]
    return PersonRow(person, roles, is_open)


def _list_roles(person: PersonSummary, namespaces: Iterable[str]) -> list[HeldRole]:
    """The role in each namespace that the reader manages, empty if the user has none."""
    roles = {member_role.namespace: member_role for member_role in person.roles}
    return [roles.get(name, HeldRole(name, "", "")) for name in namespaces]


def _join(names: list[str], count: int) -> str:
    if len(names) == count and count > 2:
        return gettext("all {count} namespaces").format(count=count)
    if len(names) == 1:
        return names[0]
    return gettext("{names} and {last}").format(names=", ".join(names[:-1]), last=names[-1])


def _count_sessions(person: PersonSummary) -> int:
    return sessions.count_sessions(permissions.find_person(person.username))
