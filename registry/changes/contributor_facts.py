"""What makes a person a contributor to a change besides writing: heads they set, keys, and role grants."""

from dataclasses import dataclass
from datetime import datetime

from registry.core.names import is_in_folder

__all__ = ["Head", "KeyFacts", "RoleGrant"]


@dataclass(frozen=True)
class KeyFacts:
    """Who issued or rotated a key, and the key that it replaced."""

    issuer: str
    replaces: str | None


@dataclass(frozen=True)
class Head:
    """One time that a version became the head of a request. kind: proposed, headed or reopened."""

    change: int
    template: str
    number: int
    kind: str
    person: str
    key: str | None


@dataclass(frozen=True)
class RoleGrant:
    """One time that an account got a role or a higher one, was added to a group, or had its two-step sign-in reset.

    role: None after a reset or on joining a group. group: the title of the group. folder: the folder of the role, empty
    for the namespace. template: the name of a renamed template whose new folder is one where the account already had
    the role; the grant then concerns that template only.
    """

    giver: str
    receiver: str
    role: str | None
    at: datetime
    group: str = ""
    folder: str = ""
    template: str = ""

    def concerns(self, template: str) -> bool:
        """Whether it lets the account approve changes of this template."""
        if self.template:
            return self.template == template
        return is_in_folder(template.partition("/")[2], self.folder)
