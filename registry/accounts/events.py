"""The events of accounts: what an admin of the installation did with one. They belong to no namespace."""

from dataclasses import dataclass
from typing import ClassVar

from django.utils.translation import gettext

from registry.journal import mirror_paths
from registry.journal.event import Cache, JournalEvent, event
from registry.journal.mirroring import CommitContent, Restorer, Texts

__all__ = ["PersonDeactivated", "PersonReactivated", "SecondStepReset"]

_CALLERS = Cache.KEYS | Cache.APPROVALS  # keys that act for the person, and approvals that count or don't


@dataclass(frozen=True, kw_only=True)
class _AccountEvent(JournalEvent):
    """Something was done with the account of a person."""

    is_of_installation: ClassVar[bool] = True
    done: ClassVar[str]

    person: str

    def commit(self, texts: Texts) -> CommitContent:
        files = {mirror_paths.other(texts.namespace, self.kind, texts.number): texts.record()}
        return CommitContent(f"{self.person}: {self.done}", files)


@event("person.deactivated", caches=_CALLERS)
@dataclass(frozen=True, kw_only=True)
class PersonDeactivated(_AccountEvent):
    """The person can't sign in any more, and no key acts for them."""

    done: ClassVar[str] = "account deactivated"

    def sentence(self) -> str:
        return gettext("deactivated {person}").format(person=self.person)

    def restore(self, rows: Restorer) -> None:
        rows.person(self.person)
        rows.update("User", {"username": self.person}, is_active=False)


@event("person.reactivated", caches=_CALLERS)
@dataclass(frozen=True, kw_only=True)
class PersonReactivated(_AccountEvent):
    """The person can sign in again, and keys that act for them open again what they did."""

    done: ClassVar[str] = "account reactivated"

    def sentence(self) -> str:
        return gettext("reactivated {person}").format(person=self.person)

    def restore(self, rows: Restorer) -> None:
        rows.person(self.person)
        rows.update("User", {"username": self.person}, is_active=True)


@event("person.second_step_reset", caches=_CALLERS, title="Two-step sign-in reset")
@dataclass(frozen=True, kw_only=True)
class SecondStepReset(_AccountEvent):
    """Two-step sign-in of the person was switched off by somebody else: the password alone lets in."""

    done: ClassVar[str] = "two-step sign-in reset"

    def sentence(self) -> str:
        return gettext("reset the two-step sign-in of {person}").format(person=self.person)

    def restore(self, rows: Restorer) -> None:
        """A restore brings no second step back, so there is none to remove."""
        rows.person(self.person)
