"""Typed events: the base class of every kind of event, the registry of kinds, and reactions.

A kind is one frozen dataclass in the `events.py` of its domain, registered under its name with `@event`. Its fields are
the body of the event: a field without a default is always in the JSON, null included; a field whose default is None is
left out while it is None. Times are whole microseconds since 1970 UTC; long texts are in the body by digest only.
"""

import hashlib
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from datetime import UTC, datetime, timedelta
from enum import Flag, StrEnum, auto
from typing import Any, ClassVar, Self, TypeVar

import rfc8785

from registry.journal.mirroring import CommitContent, Restorer, Texts

__all__ = [
    "Cache",
    "Columns",
    "JournalEvent",
    "Occasion",
    "Page",
    "StoredRow",
    "TimelineLine",
    "compute_digest",
    "describe_kind",
    "event",
    "find_invalidated_caches",
    "format_canonical_json",
    "from_microseconds",
    "json_name",
    "list_event_classes",
    "list_kinds",
    "list_namespace_kinds",
    "list_worker_kinds",
    "parse_event",
    "read_columns",
    "run_reactions",
    "set_reactions",
    "to_microseconds",
]

_JSON_NAME = "json_name"
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_classes: dict[str, type["JournalEvent"]] = {}
_reactions: list[Callable[["Occasion"], None]] = []
T = TypeVar("T")


class Cache(Flag):
    """The caches of a process that serves fetches, which an event may invalidate."""

    NOTHING = 0
    TEMPLATE_LABELS = auto()  # where the labels of the event's template point
    LABELS = auto()  # where the labels of all templates point
    KEYS = auto()
    APPROVALS = auto()
    VERSIONS = auto()  # and with them all of fetches
    TEXTS = auto()  # every cache of the process that contains parts of documents
    ALL_OF_FETCHES = TEMPLATE_LABELS | LABELS | KEYS | APPROVALS | VERSIONS


class Page(StrEnum):
    """The page that shows an event's subject, if that is neither its change request nor its template."""

    MEMBERS = "members"
    GROUPS = "groups"
    RULES = "rules"
    FREEZES = "freezes"
    KEYS = "keys"
    WEBHOOKS = "webhooks"
    CONNECTIONS = "connections"
    DIFF = "diff"


@dataclass(frozen=True)
class TimelineLine:
    """An event in the conversation of its change request.

    words: follow the person's name. icon: of Lucide. look: ok, warn, bad or empty. is_remark: whether it has a text of
    the person, which is stored elsewhere.
    """

    icon: str
    words: str
    look: str = ""
    text: str = ""
    is_remark: bool = False


@dataclass(frozen=True)
class Columns:
    """The parts of an event's body that its row repeats, for queries."""

    template: str = ""
    version: int | None = None
    change: int | None = None


@dataclass(frozen=True)
class StoredRow:
    """The database row with the text that an event refers to by digest only.

    model: its name. lookups: query conditions for the row, each with the field of the body to compare with. columns:
    those to read, under the names that `commit` uses.
    """

    model: str
    lookups: Mapping[str, str]
    columns: Mapping[str, str]


@dataclass(frozen=True)
class Occasion:
    """An appended event with its context. author: the actor, None for the worker; subject: the service's rows that it
    is about.
    """

    event: object
    author: object = None
    subject: object = None

    def event_as(self, cls: type[T]) -> T:
        """The event, checked to be of this class. Raises TypeError otherwise."""
        return _require(cls, self.event)

    def author_as(self, cls: type[T]) -> T:
        """The author, checked to be of this class. Raises TypeError otherwise."""
        return _require(cls, self.author)

    def subject_as(self, cls: type[T]) -> T:
        """The subject, checked to be of this class. Raises TypeError otherwise."""
        return _require(cls, self.subject)


@dataclass(frozen=True, kw_only=True)
class JournalEvent(ABC):
    """One lasting decision; its author and time are added when it is appended."""

    kind: ClassVar[str]
    kind_title: ClassVar[str] = ""  # the kind in words, if they differ from its name
    is_by_person: ClassVar[bool] = True  # whether a person wrote its texts, which so may contain a credential
    is_of_installation: ClassVar[bool] = False  # whether it belongs to no namespace
    column_fields: ClassVar[Mapping[str, str]] = {}
    caches: ClassVar[Cache] = Cache.ALL_OF_FETCHES
    page: ClassVar[Page | None] = None
    stored_row: ClassVar[StoredRow | None] = None

    def build_body(self) -> dict[str, Any]:
        """The fields as plain JSON values, under their names in the journal."""
        values = ((item, getattr(self, item.name)) for item in fields(self))
        return {
            item.metadata.get(_JSON_NAME, item.name): value
            for item, value in values
            if not (value is None and item.default is None)
        }

    @classmethod
    def from_body(cls, body: Mapping[str, Any]) -> Self:
        """Build the event from a stored body, ignoring unknown fields. Raises TypeError if one is missing."""
        names = {item.metadata.get(_JSON_NAME, item.name): item.name for item in fields(cls)}
        return cls(**{names[name]: value for name, value in body.items() if name in names})

    @abstractmethod
    def write_sentence(self) -> str:
        """What was done, in words that follow the person's name."""

    def build_timeline_line(self) -> TimelineLine | None:
        """The event in the conversation of its change request; None if it has no separate line there."""
        return None

    @abstractmethod
    def commit(self, texts: Texts) -> CommitContent:
        """The message and changes of the event's commit in the Git mirror."""

    @abstractmethod
    def restore(self, rows: Restorer) -> None:
        """Write the rows that the service wrote when the event was appended."""


E = TypeVar("E", bound=JournalEvent)


def event(
    kind: str,
    *,
    template: str = "template",
    version: str = "version",
    change: str = "change",
    caches: Cache = Cache.ALL_OF_FETCHES,
    page: Page | None = None,
    title: str = "",
) -> Callable[[type[E]], type[E]]:
    """Register the class below as a kind of event.

    template, version, change: the fields of the body that are in the row's columns; a name that isn't a field leaves
    its column empty. caches: those that such an event invalidates. page: the one that shows it. title: the kind in
    words; empty to derive them from the name.
    """

    def register(cls: type[E]) -> type[E]:
        if _classes.setdefault(kind, cls) is not cls:
            raise ValueError(f"There are two classes of the kind {kind}.")
        cls.kind = kind
        cls.column_fields = {"template": template, "version": version, "change": change}
        cls.caches, cls.page, cls.kind_title = caches, page, title
        return cls

    return register


def json_name(name: str, **more: Any) -> Any:
    """A field whose name in the journal isn't a valid Python name, such as `from`."""
    return field(metadata={_JSON_NAME: name}, **more)


def list_kinds() -> tuple[str, ...]:
    """Every kind of event, in the order of the domains."""
    return tuple(_classes)


def list_namespace_kinds() -> tuple[str, ...]:
    """Every kind of event that belongs to a namespace, in the order of the domains."""
    return tuple(kind for kind, cls in _classes.items() if not cls.is_of_installation)


def list_worker_kinds() -> tuple[str, ...]:
    """Every kind of event that the worker writes on its own, such as the result of a check."""
    return tuple(kind for kind, cls in _classes.items() if not cls.is_by_person)


def describe_kind(kind: str) -> str:
    """The kind in words, as `Version saved`; derived from its name if the kind is unknown."""
    return getattr(_classes.get(kind), "kind_title", "") or kind.replace(".", " ").replace("_", " ").capitalize()


def list_event_classes() -> tuple[type[JournalEvent], ...]:
    """The class of each kind, in the order of the domains."""
    return tuple(_classes.values())


def find_invalidated_caches(kind: str) -> Cache:
    """The caches that an event invalidates; all caches for fetches if the kind is unknown."""
    return getattr(_classes.get(kind), "caches", Cache.ALL_OF_FETCHES)


def parse_event(kind: str, body: Mapping[str, Any]) -> JournalEvent | None:
    """The typed event of a stored kind and body; None for a kind unknown to this release."""
    cls = _classes.get(kind)
    return cls.from_body(body) if cls else None


def read_columns(kind: str, body: Mapping[str, Any]) -> Columns:
    """The columns of an event's row; for an unknown kind the fields template, version and change."""
    cls = _classes.get(kind)
    names = cls.column_fields if cls else {name: name for name in ("template", "version", "change")}
    return Columns(body.get(names["template"], ""), body.get(names["version"]), body.get(names["change"]))


def to_microseconds(moment: datetime) -> int:
    """Exact microseconds since 1970 UTC."""
    return (moment - _EPOCH) // timedelta(microseconds=1)


def from_microseconds(microseconds: int) -> datetime:
    """The exact time, in UTC."""
    return _EPOCH + timedelta(microseconds=microseconds)


def run_reactions(occasion: Occasion) -> None:
    """Run the reactions of the domains above, in the caller's transaction; lower layers don't import them."""
    for reaction in _reactions:
        reaction(occasion)


def set_reactions(reaction: Callable[[Occasion], None]) -> None:
    """Set the function to call with each occasion, replacing the previous one."""
    _reactions[:] = [reaction]


def _require(cls: type[T], value: Any) -> T:
    if not isinstance(value, cls):
        raise TypeError(f"A reaction needs {cls.__name__}, not {type(value).__name__}.")
    return value


def format_canonical_json(value: Any) -> str:
    """The canonical JSON of a value (RFC 8785). Raises rfc8785.CanonicalizationError for values JSON can't represent
    exactly.
    """
    return rfc8785.dumps(value).decode("utf-8")


def compute_digest(text: str) -> str:
    """`sha256:…` over the UTF-8 bytes of a text."""
    return "sha256:" + hashlib.sha256(text.encode("utf-8")).hexdigest()
