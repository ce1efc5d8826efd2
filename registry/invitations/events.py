"""The events of invitations. They contain no addresses or secrets."""

from dataclasses import dataclass

from django.utils.translation import gettext

from registry.journal import mirror_paths
from registry.journal.event import Cache, JournalEvent, Page, event
from registry.journal.mirroring import CommitContent, Restorer, Texts

__all__ = ["InvitationEnded", "InvitationMade"]


@event("invitation.made", caches=Cache.NOTHING, page=Page.MEMBERS, title="Invitation created")
@dataclass(frozen=True, kw_only=True)
class InvitationMade(JournalEvent):
    """Somebody was invited into a namespace. expires_at: microseconds since 1970 UTC."""

    id: str
    role: str
    expires_at: int

    def write_sentence(self) -> str:
        return gettext("invited somebody as {role}").format(role=self.role)

    def commit(self, texts: Texts) -> CommitContent:
        files = {mirror_paths.locate_invitation(texts.namespace, self.id): texts.record()}
        return CommitContent(f"{texts.namespace}: somebody invited as {self.role}", files)  # no text: for Git

    def restore(self, rows: Restorer) -> None:
        """The link's secret can't be restored, so an admin sends a new link."""
        rows.create(
            "Invitation",
            id=self.id,
            namespace=rows.namespace,
            role=self.role,
            secret_sha256="",  # matches no secret
            invited_by=rows.author,
            created_at=rows.at,
            expires_at=rows.to_moment(self.expires_at),
        )


@event("invitation.ended", caches=Cache.NOTHING, page=Page.MEMBERS)
@dataclass(frozen=True, kw_only=True)
class InvitationEnded(JournalEvent):
    """An invitation was revoked before anybody accepted it."""

    id: str

    def write_sentence(self) -> str:
        return gettext("withdrew an invitation")

    def commit(self, texts: Texts) -> CommitContent:
        files = {mirror_paths.locate_invitation(texts.namespace, self.id): None}
        return CommitContent(f"{texts.namespace}: invitation {self.id} taken back", files)  # no text: for Git

    def restore(self, rows: Restorer) -> None:
        rows.update("Invitation", {"id": self.id}, ended_at=rows.at)
