"""What can make a person a contributor to a change, beside writing: heads put into it, keys, and grants of roles."""

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
    """One time that a version became the head of a request: `kind` is proposed, headed or reopened."""

    change: int
    template: str
    number: int
    kind: str
    person: str
    key: str | None


@dataclass(frozen=True)
class RoleGrant:
    """One time that an account got a role, or a higher one, or was put into a group.

    role: None if its two-step sign-in was reset, or where it was put into a group. group: the title of that group.
    folder: the one that the role is in, empty for the namespace. template: the name of the one that was renamed, if
    its new name is in a folder in which the account had the role already; then the role concerns that one only.
    """

    giver: str
    receiver: str
    role: str | None
    at: datetime
    group: str = ""
    folder: str = ""
    template: str = ""

    def concerns(self, template: str) -> bool:
        """Whether it lets the account approve changes of the template of this name."""
        if self.template:
            return self.template == template
        return is_in_folder(template.partition("/")[2], self.folder)
