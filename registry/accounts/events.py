"""The events of accounts: actions of installation admins. They belong to no namespace."""

from dataclasses import dataclass
from typing import ClassVar

from django.utils.translation import gettext

from registry.journal import mirror_paths
from registry.journal.event import Cache, JournalEvent, event
from registry.journal.mirroring import CommitContent, Restorer, Texts

__all__ = ["PersonDeactivated", "PersonReactivated", "SecondStepReset"]

_CALLERS = Cache.KEYS | Cache.APPROVALS  # affects the person's keys, and whether their approvals count


@dataclass(frozen=True, kw_only=True)
class _AccountEvent(JournalEvent):
    """An admin acted on a person's account."""

    is_of_installation: ClassVar[bool] = True
    done: ClassVar[str]

    person: str

    def commit(self, texts: Texts) -> CommitContent:
        files = {mirror_paths.locate_other_event(texts.namespace, self.kind, texts.number): texts.record()}
        return CommitContent(f"{self.person}: {self.done}", files)


@event("person.deactivated", caches=_CALLERS)
@dataclass(frozen=True, kw_only=True)
class PersonDeactivated(_AccountEvent):
    """The person was deactivated: they can't sign in, and no key acts for them."""

    done: ClassVar[str] = "account deactivated"

    def write_sentence(self) -> str:
        return gettext("deactivated {person}").format(person=self.person)

    def restore(self, rows: Restorer) -> None:
        rows.ensure_person(self.person)
        rows.update("User", {"username": self.person}, is_active=False)


@event("person.reactivated", caches=_CALLERS)
@dataclass(frozen=True, kw_only=True)
class PersonReactivated(_AccountEvent):
    """The person was reactivated: they can sign in, and their keys work again."""

    done: ClassVar[str] = "account reactivated"

    def write_sentence(self) -> str:
        return gettext("reactivated {person}").format(person=self.person)

    def restore(self, rows: Restorer) -> None:
        rows.ensure_person(self.person)
        rows.update("User", {"username": self.person}, is_active=True)


@event("person.second_step_reset", caches=_CALLERS, title="Two-step sign-in reset")
@dataclass(frozen=True, kw_only=True)
class SecondStepReset(_AccountEvent):
    """Somebody else switched off the person's two-step sign-in: the password alone is enough."""

    done: ClassVar[str] = "two-step sign-in reset"

    def write_sentence(self) -> str:
        return gettext("reset the two-step sign-in of {person}").format(person=self.person)

    def restore(self, rows: Restorer) -> None:
        """A restore brings back no second step, so there isn't one to remove."""
        rows.ensure_person(self.person)
