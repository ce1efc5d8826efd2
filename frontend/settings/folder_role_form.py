"""The form of a role in a folder: the folder, the user or group, and their role in it."""

from collections.abc import Iterable, Sequence
from typing import Any

from django import forms
from django.http import QueryDict
from django.utils.translation import gettext, gettext_lazy

from frontend.settings.losses import ActToConfirm, ask_first
from frontend.web.forms import set_choices
from registry.accounts.actor import Actor
from registry.namespaces.models import Group, Membership, Role
from registry.people import group_access
from registry.templates import folder_names

__all__ = ["FolderRoleForm", "set_folder_role"]

_PERSON, _GROUP = "person:", "group:"


class FolderRoleForm(forms.Form):
    """A folder, a user or a group with a role of their own in the namespace, and their role in the folder."""

    folder = forms.CharField(max_length=460)
    holder = forms.ChoiceField()
    folder_role = forms.ChoiceField(
        choices=[
            (Role.AUTHOR.value, gettext_lazy("author")),
            (Role.REVIEWER.value, gettext_lazy("reviewer")),
            ("", gettext_lazy("no role")),
        ],
        initial=Role.AUTHOR.value,
        required=False,
    )

    def __init__(self, *args: Any, members: Iterable[Membership], groups: Sequence[Group], **options: Any) -> None:
        """members, groups: of the namespace; only those with a role of their own can be chosen."""
        super().__init__(*args, **options)
        people = [row.person.username for row in members if row.own_role and row.person.is_active]
        people_shown = [(f"{_PERSON}{name}", name) for name in people]
        groups_shown = [(f"{_GROUP}{group.name}", group.title) for group in groups if group.role]
        choices: list[tuple[str, Any]] = [("", gettext("choose"))]
        choices += [(gettext("People"), people_shown)] if people_shown else []
        choices += [(gettext("Groups"), groups_shown)] if groups_shown else []
        set_choices(self, "holder", choices)


def set_folder_role(actor: Actor, namespace: str, data: dict[str, str], posted: QueryDict) -> str | ActToConfirm:
    """Set or remove the role in the form; returns the message, or the losses to confirm first."""
    folder, holder, role = data["folder"], data["holder"], data["folder_role"] or None
    person = holder.removeprefix(_PERSON) if holder.startswith(_PERSON) else None
    group = holder.removeprefix(_GROUP) if holder.startswith(_GROUP) else None
    facts = {"holder": person or group, "folder": folder.strip().strip("/")}

    def set_role() -> str:
        group_access.set_folder_role(
            actor=actor,
            namespace=namespace,
            folder=folder,
            role=role,
            person=person,
            group=group,
            confirmed=posted.get("confirmed", ""),
        )
        if role is None:
            return gettext("{holder} has no role in the folder {folder} any more.").format(**facts)
        done = gettext("{holder} is {role} in the folder {folder} now.").format(role=gettext(role), **facts)
        return f"{done} {folder_names.describe_empty_folder(namespace, facts['folder'] or '')}".strip()

    def name_act() -> str:
        if role is None:
            return gettext("Remove the role of {holder} in {folder}").format(**facts)
        return gettext("Make {holder} {role} in {folder}").format(role=gettext(role), **facts)

    return ask_first(set_role, posted, name_act)
