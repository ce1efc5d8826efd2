"""The event of roles in folders."""

from dataclasses import dataclass

from django.utils.translation import gettext

from registry.journal import mirror_paths
from registry.journal.event import Cache, JournalEvent, Page, event
from registry.journal.mirroring import CommitContent, Restorer, Texts

__all__ = ["FolderRoleSet"]


@event("folder_role.set", caches=Cache.APPROVALS, page=Page.MEMBERS, title="Role in a folder changed")
@dataclass(frozen=True, kw_only=True)
class FolderRoleSet(JournalEvent):
    """The role of a person or a group in a folder of the namespace was set; None: removed.

    folder: inside the namespace. One of person (a username) and group (a name) is set; title: that of the group.
    former: the folder's previous name, if the role moved with a renamed folder.
    """

    folder: str
    role: str | None
    person: str | None = None
    group: str | None = None
    title: str | None = None
    former: str | None = None

    def write_sentence(self) -> str:
        facts = {
            "holder": self.person or gettext("the group {title}").format(title=self.title),
            "role": gettext(self.role) if self.role else "",
            "folder": self.folder,
            "former": self.former,
        }
        if self.former is not None:
            sentence = gettext("moved the role {role} of {holder} from the folder {former} to {folder}")
        elif self.role:
            sentence = gettext("gave {holder} the role {role} in the folder {folder}")
        else:
            sentence = gettext("took the role in the folder {folder} from {holder}")
        return sentence.format(**facts)

    def commit(self, texts: Texts) -> CommitContent:
        facts = {"folder": self.folder, "person": self.person, "group": self.group, "role": self.role}
        content = (
            texts.write_yaml({name: value for name, value in facts.items() if value is not None}) if self.role else None
        )
        files: dict[str, bytes | None] = {}
        if self.former is not None:
            files[self._path(texts, self.former)] = None
        files[self._path(texts, self.folder)] = content
        holder = self.person or f"the group {self.group}"
        role = self.role or "nothing more"
        return CommitContent(f"{texts.namespace}: {holder} is {role} in {self.folder}", files)

    def restore(self, rows: Restorer) -> None:
        if self.person is not None:
            holder = rows.ensure_person(self.person)
        else:
            holder = rows.find("Group", namespace=rows.namespace, name=self.group)
        if self.former is not None:
            rows.write_folder_role(self.former, holder, "")
        rows.write_folder_role(self.folder, holder, self.role or "")

    def _path(self, texts: Texts, folder: str) -> str:
        return mirror_paths.locate_folder_role(texts.namespace, folder, person=self.person, group=self.group)
