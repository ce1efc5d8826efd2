"""The pages of a namespace's rules and of a new namespace."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext

from frontend.settings import rule_forms
from frontend.settings.rule_forms import NamespaceForm, RulesForm
from frontend.settings.standards_form import StandardsForm, add_standards_errors, describe_standards
from frontend.web.decorators import form_page, signed_in
from frontend.web.forms import add_errors
from frontend.web.page import render_page
from registry.accounts.actor import Actor
from registry.changes import rule_effects
from registry.changes import rules as namespaces_service
from registry.changes.rule_effects import RuleEffects
from registry.core.errors import Conflict, Invalid
from registry.core.problem_details import find_status
from registry.namespaces import granters, group_queries, permissions, services
from registry.namespaces import queries as namespace_queries
from registry.namespaces.rules import DEFAULT_CHECKS, read_rules
from registry.namespaces.verbs import Verb

__all__ = ["create_namespace", "manage_rules"]

_MAX_NAMED = 10  # changes named in one message


@form_page
@signed_in
def manage_rules(request: HttpRequest, actor: Actor, namespace: str) -> HttpResponse:
    """The rules, read-only for members and as a form for admins; invalid input is shown again with the error.

    If the rules have effects, they are set only after the admin has confirmed these: a POST without `confirmed`, the
    seal of the displayed effects, shows the form again with them.
    """
    space = namespace_queries.get_namespace(actor, namespace)
    now = read_rules(space)
    status = 200
    form = RulesForm(request.POST or None, initial=rule_forms.read_initial_rules(now))
    standards = StandardsForm(request.POST or None, now.standards)
    effects: RuleEffects | None = None
    if request.method == "POST":
        permissions.require_verb(actor, Verb.MANAGE, space)
        status = 422
        if form.is_valid() & standards.is_valid():
            typed = {**form.cleaned_data, "standards": standards.read_fields()}
            try:
                effects = rule_effects.find_rule_effects(actor, namespace, typed)
                if effects.is_empty or request.POST.get("confirmed") == effects.seal:
                    ruled = namespaces_service.set_rules(actor=actor, namespace=namespace, **typed)
                    messages.success(request, _describe_saved(namespace, [change.number for change in ruled.opened]))
                    return redirect("rules", namespace)
                status = 200
            except (Invalid, Conflict) as error:
                other_errors = add_standards_errors(standards, error) if isinstance(error, Invalid) else error
                if other_errors is not None:
                    add_errors(form, other_errors)
                status = find_status(error)
    may_manage = permissions.is_allowed(actor, Verb.MANAGE, space)
    context = {
        "section": "settings",
        "settings_page": "rules",
        "namespace": namespace,
        "may_manage": may_manage,
        "rules": now,
        "checks": rule_forms.CHECKS_IN_WORDS,
        "modes": rule_forms.MODES_IN_WORDS,
        "granters": granters.describe_granters(space),
        "form": form,
        "standards": standards,
        "groups": group_queries.read_groups([space]),
        "standards_in_words": describe_standards(now.standards),
        "without_two_step": namespace_queries.list_members_without_two_step(space) if may_manage else [],
        "effects": effects if status == 200 else None,
    }
    return render_page(request, "settings/rules.html", context, status=status)


@form_page
@signed_in
def create_namespace(request: HttpRequest, actor: Actor) -> HttpResponse:
    """Create a namespace, with its creator as admin. A refusal names those who may create one."""
    services.require_may_create_namespace(actor)
    first = {"protected_labels": "production", "approvals": 1, "required_checks": list(DEFAULT_CHECKS)}
    form = NamespaceForm(request.POST or None, initial=first)
    status = 200
    if request.method == "POST":
        status = 422
        if form.is_valid():
            try:
                space = services.create_namespace(actor=actor, **form.cleaned_data)
            except (Invalid, Conflict) as error:
                add_errors(form, error)
                status = find_status(error)
            else:
                messages.success(request, gettext("{name} is created, and you are its admin.").format(name=space.name))
                return redirect("members", space.name)
    context = {"section": "settings", "form": form, "checks": rule_forms.CHECKS_IN_WORDS}
    return render_page(request, "settings/namespace.html", context, status=status)


def _describe_saved(namespace: str, reopened: list[int]) -> str:
    sentence = gettext("The rules of {namespace} are saved. Open changes were checked against them.").format(
        namespace=namespace
    )
    if not reopened:
        return sentence
    numbers = ", ".join(map(str, reopened[:_MAX_NAMED]))
    if len(reopened) > _MAX_NAMED:
        opened = gettext("Opened to approve what is served: change {numbers} and more.")
    else:
        opened = gettext("Opened to approve what is served: change {numbers}.")
    return f"{sentence} {opened.format(numbers=numbers)}"
