"""The events of groups: their definition, and their members."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext

from registry.journal import mirror_paths
from registry.journal.event import Cache, JournalEvent, Page, event
from registry.journal.mirroring import CommitContent, Restorer, Texts

__all__ = ["GroupJoined", "GroupLeft", "GroupRemoved", "GroupSet"]

_CALLERS = Cache.KEYS | Cache.APPROVALS  # keys act with the role of their person, and rules refer to groups


@event("group.set", caches=_CALLERS, page=Page.GROUPS, title="Group created or changed")
@dataclass(frozen=True, kw_only=True)
class GroupSet(JournalEvent):
    """A group was created, or its title or role changed. group: its name in rules; role: that of its members.

    folders: those in which a role of the group ended with the one in the namespace, None for none.
    """

    group: str
    title: str
    role: str | None = None
    folders: Sequence[str] | None = None

    def write_sentence(self) -> str:
        if self.role is None:
            return gettext("set the group {title}").format(title=self.title)
        return gettext("set the group {title} with the role {role}").format(title=self.title, role=gettext(self.role))

    def commit(self, texts: Texts) -> CommitContent:
        facts = {"group": self.group, "title": self.title, "role": self.role}
        files: dict[str, bytes | None] = {
            mirror_paths.locate_group(texts.namespace, self.group): texts.write_yaml(facts)
        }
        files |= _remove_folder_roles(texts, self.group, self.folders)
        return CommitContent(f"{texts.namespace}: group {self.group} set", files)

    def restore(self, rows: Restorer) -> None:
        values = {"title": self.title, "role": self.role or ""}
        group = rows.update_or_create(
            "Group", {"namespace": rows.namespace, "name": self.group}, values, {**values, "created_at": rows.at}
        )
        if self.role is None:
            rows.delete("FolderRole", group=group)
        rows.settle_roles([member.person for member in group.members.all()])


@event("group.removed", caches=_CALLERS, page=Page.GROUPS)
@dataclass(frozen=True, kw_only=True)
class GroupRemoved(JournalEvent):
    """A group was removed. people: its members' usernames. folders: those in which it had a role, None for none."""

    group: str
    title: str
    people: Sequence[str]
    folders: Sequence[str] | None = None

    def write_sentence(self) -> str:
        return gettext("removed the group {title}").format(title=self.title)

    def commit(self, texts: Texts) -> CommitContent:
        files: dict[str, bytes | None] = {mirror_paths.locate_group(texts.namespace, self.group): None}
        for person in self.people:
            files[mirror_paths.locate_group_member(texts.namespace, self.group, person)] = None
        files |= _remove_folder_roles(texts, self.group, self.folders)
        return CommitContent(f"{texts.namespace}: group {self.group} removed", files)

    def restore(self, rows: Restorer) -> None:
        rows.delete("Group", namespace=rows.namespace, name=self.group)
        rows.settle_roles([rows.ensure_person(person) for person in self.people])


def _remove_folder_roles(texts: Texts, group: str, folders: Sequence[str] | None) -> dict[str, bytes | None]:
    """The files of the group's roles in these folders, to be removed."""
    return {
        mirror_paths.locate_folder_role(texts.namespace, folder, person=None, group=group): None
        for folder in folders or ()
    }


@dataclass(frozen=True, kw_only=True)
class _MemberEvent(JournalEvent):
    """Somebody joined a group, or left it."""

    group: str
    title: str
    person: str

    def _find_row(self, rows: Restorer) -> dict[str, Any]:
        group = rows.find("Group", namespace=rows.namespace, name=self.group)
        return {"group": group, "person": rows.ensure_person(self.person)}


@event("group.joined", caches=_CALLERS, page=Page.GROUPS, title="Person added to a group")
@dataclass(frozen=True, kw_only=True)
class GroupJoined(_MemberEvent):
    """A person was added to a group."""

    def write_sentence(self) -> str:
        return gettext("added {person} to the group {title}").format(person=self.person, title=self.title)

    def commit(self, texts: Texts) -> CommitContent:
        content = texts.write_yaml({"group": self.group, "person": self.person})
        files = {mirror_paths.locate_group_member(texts.namespace, self.group, self.person): content}
        return CommitContent(f"{texts.namespace}: {self.person} is in the group {self.group}", files)

    def restore(self, rows: Restorer) -> None:
        row = self._find_row(rows)
        rows.create("GroupMember", **row)
        rows.settle_roles([row["person"]])


@event("group.left", caches=_CALLERS, page=Page.GROUPS, title="Person removed from a group")
@dataclass(frozen=True, kw_only=True)
class GroupLeft(_MemberEvent):
    """A person was removed from a group."""

    def write_sentence(self) -> str:
        return gettext("removed {person} from the group {title}").format(person=self.person, title=self.title)

    def commit(self, texts: Texts) -> CommitContent:
        files = {mirror_paths.locate_group_member(texts.namespace, self.group, self.person): None}
        return CommitContent(f"{texts.namespace}: {self.person} is no longer in the group {self.group}", files)

    def restore(self, rows: Restorer) -> None:
        row = self._find_row(rows)
        rows.delete("GroupMember", **row)
        rows.settle_roles([row["person"]])
