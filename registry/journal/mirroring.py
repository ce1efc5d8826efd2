"""The interface between events and the Git mirror: the texts of an event's files, and the rows it restores.

Events depend only on these interfaces; `registry.mirror` implements both.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Protocol

__all__ = ["CommitContent", "MirrorError", "Move", "Restorer", "Texts", "VersionTexts"]


class MirrorError(Exception):
    """The base class of errors between the journal and Git, with a sentence that an operator can act on."""


@dataclass(frozen=True)
class Move:
    """An event's commit on a label's branch: the ref, the files that change there (None deletes), and those moved
    unchanged to another path.
    """

    ref: str
    files: Mapping[str, bytes | None]
    renames: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class CommitContent:
    """The message and changes of an event's commit.

    subject, note: the first line and the rest of its message. files: each path with its new bytes, or None to delete
    it. digest: of the event's subject. renames: old path to new, of existing files that stay unchanged. moves: the
    commits on the branches of labels.
    """

    subject: str
    files: Mapping[str, bytes | None]
    note: str = ""
    digest: str = ""
    renames: Mapping[str, str] = field(default_factory=dict)
    moves: tuple[Move, ...] = ()


class VersionTexts(Protocol):
    """The parts of a template's version that the mirror writes."""

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
    """One stored event, and the texts that it refers to by digest only."""

    @property
    def number(self) -> int: ...
    @property
    def namespace(self) -> str: ...

    def record(self, **more: Any) -> bytes:
        """The event as a readable file: who, when, its whole body and the additions."""

    def write_yaml(self, value: Any, *, sort_keys: bool = True) -> bytes:
        """A file with this plain value. sort_keys: as for `write_yaml`."""

    def find_version(self, number: int | None = None) -> VersionTexts:
        """The version that the event saved or moved a label to, or another one of its template."""

    def find_stored_row(self) -> Mapping[str, Any]:
        """The columns of the row that the event's class names as its `stored_row`."""


class Restorer(Protocol):
    """Writes the rows of one stored event. Models are referred to by name, rows by their columns."""

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

    def read_file(self, path: str) -> bytes:
        """A file of the event's commit. Raises MirrorError if it doesn't exist."""

    def read_yaml(self, path: str) -> Any:
        """The plain values of one of our own files."""

    def read_canonical_json(self, path: str, field: str | None = None) -> str:
        """The canonical JSON of such a file, or of one field of it."""

    def read_samples_json(self, path: str, digest: str) -> str:
        """The JSON of a file of samples with this digest: their names sorted, or in the order of the file."""

    def require_digest(self, text: str, digest: str | None) -> None:
        """Raise MirrorError if a text doesn't have the event's digest."""

    def to_moment(self, microseconds: int) -> datetime:
        """A moment from microseconds since 1970 UTC."""

    def create(self, model: str, **values: Any) -> Any:
        """A new row."""

    def update(self, model: str, rows: Mapping[str, Any], **values: Any) -> None:
        """Write columns of the rows with these values."""

    def update_or_create(
        self, model: str, row: Mapping[str, Any], values: Mapping[str, Any], first: Mapping[str, Any] | None = None
    ) -> Any:
        """Update the row with these values, or create it. first: the columns of a new one, by default `values`."""

    def delete(self, model: str, **row: Any) -> None:
        """Remove the rows with these values."""

    def find(self, model: str, **row: Any) -> Any:
        """The row with these values."""

    def settle_roles(self, people: Sequence[Any]) -> None:
        """Recompute each account's role in the namespace from their own role and their groups."""

    def write_own_role(self, person: Any, role: str) -> None:
        """Set the account's own role in the namespace; an empty one removes it."""

    def write_folder_role(self, folder: str, holder: Any, role: str) -> None:
        """Set the role of an account or a group in a folder of the namespace; an empty one removes it."""

    def ensure_person(self, username: str) -> Any:
        """The account, created without a password on first mention."""

    def add_namespace(self, name: str, rules: Mapping[str, Any]) -> Any:
        """Create a namespace."""

    def find_template(self, name: str) -> Any:
        """A template created by an earlier event."""

    def archive(self, name: str, at: datetime | None) -> None:
        """Archive a template at this time, or unarchive it with None."""

    def rename_template(self, former: str, name: str) -> None:
        """Rename a template and make the former name redirect to it."""

    def find_version(self, template: str, number: int) -> Any:
        """A version saved by an earlier event."""

    def is_redacted(self, template: str, number: int) -> bool:
        """Whether a later event redacts this version, so that the mirror lacks its text."""

    def add_version(
        self, *, copied_from: str | None, document: str | None, facts: Mapping[str, Any], **row: Any
    ) -> None:
        """Create a version, with its template if it is the first. document: None if it was redacted; facts: its
        metadata file.
        """

    def redact(self, template: str, number: int, reason: str) -> None:
        """Replace a version's text with the tombstone."""

    def is_protected(self, label: str) -> bool:
        """Whether the label was protected in the namespace at this event."""

    def require_allowed_move(self) -> None:
        """Raise MirrorError if the event moves a protected label against the rules of that time."""
