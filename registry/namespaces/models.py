"""Namespaces and their members."""

from enum import StrEnum
from typing import Self

from django.db import models

from registry.accounts.models import User

__all__ = [
    "COMPATIBILITY",
    "FOLDER_ROLES",
    "FolderRole",
    "Group",
    "GroupMember",
    "Membership",
    "Namespace",
    "Role",
]

COMPATIBILITY = ("none", "backward")


class Role(StrEnum):
    """A person's role in a namespace; each role includes the ones before it."""

    READER = "reader", 0
    AUTHOR = "author", 1
    REVIEWER = "reviewer", 2
    ADMIN = "admin", 3

    rank: int

    def __new__(cls, name: str, rank: int = 0) -> Self:
        """Create the string with its rank."""
        role = str.__new__(cls, name)
        role._value_ = name
        role.rank = rank
        return role


FOLDER_ROLES = (Role.AUTHOR, Role.REVIEWER)  # reading and managing depend on the namespace only


class Namespace(models.Model):
    """The unit of ownership and permissions, with the rules for its label moves."""

    name = models.CharField(max_length=64, unique=True)
    protected_labels = models.JSONField(default=list, help_text="names of labels moved by approved requests only")
    approvals = models.PositiveSmallIntegerField(default=1, help_text="approvals a request needs")
    self_approval = models.BooleanField(default=False, help_text="whether one's own request may be approved")
    suggesters_may_approve = models.BooleanField(
        default=False, help_text="whether a person may approve a change that contains their suggestion"
    )
    threads_resolved = models.BooleanField(
        default=False, help_text="whether every thread of a request must be resolved before it is published"
    )
    two_step_required = models.BooleanField(
        default=False, help_text="whether people without two-step sign-in can only read"
    )
    required_checks = models.JSONField(default=list, help_text="names of checks that must pass")
    compatibility = models.CharField(max_length=16, default="none", choices=[(mode, mode) for mode in COMPATIBILITY])
    approval_rules = models.JSONField(
        default=list,
        help_text='[{"label": "production", "folder": "refunds", "approvals": 2, "groups": ["legal"]}]',
    )
    owners = models.JSONField(default=list, help_text='[{"pattern": "refunds/*", "people": ["reviewer"]}]')
    break_glass = models.BooleanField(default=False, help_text="whether an emergency publish is possible")
    keys_approved_only = models.BooleanField(
        default=True, help_text="whether keys that only read get approved versions only, where a label is protected"
    )
    discard_playground_texts = models.BooleanField(
        default=False, help_text="whether prompts and replies of the playground are forgotten when a reply is over"
    )
    standards = models.JSONField(
        default=dict, help_text='what documents must meet when they are saved: {"samples": {"severity": "warning"}}'
    )
    created_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.CheckConstraint(condition=models.Q(approvals__lte=20), name="namespace_approvals_sane"),
            models.CheckConstraint(
                condition=models.Q(compatibility__in=COMPATIBILITY), name="namespace_compatibility_known"
            ),
        ]

    def __str__(self) -> str:
        return self.name


class Membership(models.Model):
    """A person's effective roles in a namespace and its folders: the highest of their own and of their groups.

    `registry.namespaces.roles` maintains `role`, `folder_roles` and `highest_folder_role`, so that looking up a role
    reads a single row.
    """

    namespace = models.ForeignKey(Namespace, on_delete=models.PROTECT, related_name="memberships")
    person = models.ForeignKey(User, on_delete=models.PROTECT, related_name="memberships")
    role = models.CharField(max_length=16, choices=[(role.value, role.value) for role in Role])
    own_role = models.CharField(
        max_length=16, default="", db_default="", blank=True, help_text="given to the person; empty: by groups only"
    )
    folder_roles = models.JSONField(
        default=dict,
        db_default=models.Value({}, models.JSONField()),
        blank=True,
        help_text='where it is more than the role in the namespace: {"refunds": "reviewer"}',
    )
    highest_folder_role = models.CharField(
        max_length=16,
        choices=[(role.value, role.value) for role in Role],
        default="",
        db_default="",
        blank=True,
        help_text="the highest of folder_roles; empty where there are none",
    )

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["namespace", "person"], name="membership_once"),
            models.CheckConstraint(
                condition=models.Q(role__in=[role.value for role in Role]), name="membership_role_known"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.person_id} is {self.role} of {self.namespace_id}"


class Group(models.Model):
    """People of a namespace under a common name; each gets the group's role, if it has one."""

    namespace = models.ForeignKey(Namespace, on_delete=models.PROTECT, related_name="groups")
    name = models.CharField(max_length=64, help_text="a slug that never changes; rules name the group by it")
    title = models.CharField(max_length=80, help_text="what people read: Legal")
    role = models.CharField(max_length=16, default="", blank=True, help_text="what each of its people is; empty: none")
    created_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["namespace", "name"], name="group_once"),
            models.CheckConstraint(
                condition=models.Q(role__in=["", *(role.value for role in Role)]), name="group_role_known"
            ),
        ]

    def __str__(self) -> str:
        return self.title


class GroupMember(models.Model):
    """A person's membership in a group."""

    group = models.ForeignKey(Group, on_delete=models.CASCADE, related_name="members")
    person = models.ForeignKey(User, on_delete=models.PROTECT, related_name="group_memberships")

    class Meta:
        constraints = [models.UniqueConstraint(fields=["group", "person"], name="group_member_once")]

    def __str__(self) -> str:
        return f"{self.person_id} in {self.group_id}"


class FolderRole(models.Model):
    """A role of a person or a group in a folder of the namespace, in addition to their role in the namespace."""

    namespace = models.ForeignKey(Namespace, on_delete=models.PROTECT, related_name="folder_roles")
    folder = models.CharField(max_length=460, help_text="inside the namespace, as in refunds/europe")
    person = models.ForeignKey(User, on_delete=models.PROTECT, null=True, blank=True, related_name="folder_roles")
    group = models.ForeignKey(Group, on_delete=models.CASCADE, null=True, blank=True, related_name="folder_roles")
    role = models.CharField(max_length=16, choices=[(role.value, role.value) for role in FOLDER_ROLES])

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["namespace", "folder", "person"],
                condition=models.Q(person__isnull=False),
                name="folder_role_of_person_once",
            ),
            models.UniqueConstraint(
                fields=["namespace", "folder", "group"],
                condition=models.Q(group__isnull=False),
                name="folder_role_of_group_once",
            ),
            models.CheckConstraint(
                condition=models.Q(person__isnull=False, group__isnull=True)
                | models.Q(person__isnull=True, group__isnull=False),
                name="folder_role_of_one",
            ),
            models.CheckConstraint(
                condition=models.Q(role__in=[role.value for role in FOLDER_ROLES]), name="folder_role_known"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.role} in {self.folder}"

    @property
    def holder_name(self) -> str:
        """The username of the person, or the title of the group."""
        return self.person.username if self.person else str(self.group)
