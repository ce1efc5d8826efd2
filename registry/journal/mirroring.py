"""The interface between events and the Git mirror: the texts for the files of an event, and the rows it restores.

Events are pure over these interfaces; `registry.mirror` implements both.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Protocol

__all__ = ["CommitContent", "MirrorError", "Move", "Restorer", "Texts", "VersionTexts"]


class MirrorError(Exception):
    """The root of what can go wrong between the journal and Git: a sentence an operator can act on."""


@dataclass(frozen=True)
class Move:
    """What a label's branch gains by an event: the ref, the files that change there (None deletes), and those that go
    to another path as they are.
    """

    ref: str
    files: Mapping[str, bytes | None]
    renames: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class CommitContent:
    """What an event's commit says and changes.

    subject, note: the first line and the rest of its message. files: each path with its new bytes, or None if the
    file goes. digest: of what the event is about. renames: old path to new, of files that are there and stay as they
    are. moves: the commits on the branches of labels.
    """

    subject: str
    files: Mapping[str, bytes | None]
    note: str = ""
    digest: str = ""
    renames: Mapping[str, str] = field(default_factory=dict)
    moves: tuple[Move, ...] = ()


class VersionTexts(Protocol):
    """A version of a template, as far as the mirror writes it."""

    @property
    def number(self) -> int: ...
    @property
    def digest(self) -> str: ...
    @property
    def message(self) -> str: ...
    @property
    def settings(self) -> str: ...
    @property
    def problems(self) -> str: ...
    @property
    def is_redacted(self) -> bool: ...
    @property
    def document(self) -> str: ...
    def unpacked(self) -> dict[str, Any]: ...


class Texts(Protocol):
    """One stored event, and the texts that it names by digest only."""

    @property
    def number(self) -> int: ...
    @property
    def namespace(self) -> str: ...

    def record(self, **more: Any) -> bytes:
        """The event as a readable file: who, when, all of its body and what is added."""

    def yaml(self, value: Any, *, sort_keys: bool = True) -> bytes:
        """A file with this plain value. sort_keys: as for `write_yaml`."""

    def version(self, number: int | None = None) -> VersionTexts:
        """The version that the event saved or moved a label to, or another one of its template."""

    def stored_row(self) -> Mapping[str, Any]:
        """The columns of the row that the event's class names as its `stored_row`."""


class Restorer(Protocol):
    """Writes the rows of one stored event. Models are given by their name, rows by their columns."""

    @property
    def number(self) -> int: ...
    @property
    def at(self) -> datetime: ...
    @property
    def namespace_name(self) -> str: ...
    @property
    def namespace(self) -> Any: ...
    @property
    def author(self) -> Any: ...
    @property
    def key_id(self) -> str | None: ...

    def file(self, path: str) -> bytes:
        """A file of the event's commit. Raises MirrorError if there is none."""

    def yaml(self, path: str) -> Any:
        """The plain values of one of our own files."""

    def canonical_json(self, path: str, field: str | None = None) -> str:
        """The canonical JSON of such a file, or of one field of it."""

    def samples_json(self, path: str, digest: str) -> str:
        """The JSON of a file of samples with this digest: their names sorted, or in the order of the file."""

    def require_digest(self, text: str, digest: str | None) -> None:
        """Raises MirrorError if a text is not the one that the event names."""

    def moment(self, microseconds: int) -> datetime:
        """A moment from microseconds since 1970 UTC."""

    def create(self, model: str, **values: Any) -> Any:
        """A new row."""

    def update(self, model: str, rows: Mapping[str, Any], **values: Any) -> None:
        """Write columns of the rows with these values."""

    def update_or_create(
        self, model: str, row: Mapping[str, Any], values: Mapping[str, Any], first: Mapping[str, Any] | None = None
    ) -> Any:
        """Write the row with these values, made if there is none; first: the columns of a new one, by default
        `values`.
        """

    def delete(self, model: str, **row: Any) -> None:
        """Remove the rows with these values."""

    def find(self, model: str, **row: Any) -> Any:
        """The row with these values."""

    def settle_roles(self, people: Sequence[Any]) -> None:
        """Write the role of each of these accounts in the namespace again, from their own role and their groups."""

    def write_own_role(self, person: Any, role: str) -> None:
        """Give the account a role of its own in the namespace; an empty one takes it away."""

    def write_folder_role(self, folder: str, holder: Any, role: str) -> None:
        """Give an account or a group a role in a folder of the namespace; an empty one takes it away."""

    def person(self, username: str) -> Any:
        """The account, made without a password if it was not named before."""

    def add_namespace(self, name: str, rules: Mapping[str, Any]) -> Any:
        """A new namespace."""

    def template(self, name: str) -> Any:
        """A template that an event before has made."""

    def archive(self, name: str, at: datetime | None) -> None:
        """Archive a template at this moment, or with None bring it back."""

    def rename_template(self, former: str, name: str) -> None:
        """Give a template another name, and have the former one lead to it."""

    def version(self, template: str, number: int) -> Any:
        """A version that an event before has saved."""

    def is_redacted(self, template: str, number: int) -> bool:
        """Whether a later event takes this version's text away, so that the mirror holds none."""

    def add_version(
        self, *, copied_from: str | None, document: str | None, facts: Mapping[str, Any], **row: Any
    ) -> None:
        """A version, with its template if it is the first. document: None if it was redacted; facts: its other
        file.
        """

    def redact(self, template: str, number: int, reason: str) -> None:
        """Leave the tombstone in the place of a version's text."""

    def is_protected(self, label: str) -> bool:
        """Whether the label was protected in the namespace at this event."""

    def require_allowed_move(self) -> None:
        """Raises MirrorError if the event moves a protected label otherwise than the rules of its day allow."""
