"""Typed events: the base class of every kind of event, and the register of kinds.

A kind is one frozen dataclass in the `events.py` of its domain, registered under its name with `@event`. Its fields are the
body of the event: a field without a default is always in the JSON, null included; a field whose default is None is left out
while it is None.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from typing import Any, ClassVar, Self, TypeVar

__all__ = ["Columns", "JournalEvent", "columns_of", "event", "event_class", "json_name", "kinds", "parse"]

_JSON_NAME = "json_name"
_classes: dict[str, type["JournalEvent"]] = {}


@dataclass(frozen=True)
class Columns:
    """What an event's row repeats of its body, so that it can be searched."""

    template: str = ""
    version: int | None = None
    change: int | None = None


@dataclass(frozen=True, kw_only=True)
class JournalEvent:
    """One lasting decision: who made it and when is added when it is appended."""

    kind: ClassVar[str]
    is_by_person: ClassVar[bool] = True  # whether its texts are a person's, and so may hold a credential
    column_fields: ClassVar[Mapping[str, str]] = {}

    def body(self) -> dict[str, Any]:
        """The fields as plain JSON values, under their names in the journal."""
        values = ((item, getattr(self, item.name)) for item in fields(self))
        return {
            item.metadata.get(_JSON_NAME, item.name): value
            for item, value in values
            if not (value is None and item.default is None)
        }

    @classmethod
    def from_body(cls, body: Mapping[str, Any]) -> Self:
        """The event of a stored body; fields that this class does not know are left out. TypeError where one is missing."""
        names = {item.metadata.get(_JSON_NAME, item.name): item.name for item in fields(cls)}
        return cls(**{names[name]: value for name, value in body.items() if name in names})


E = TypeVar("E", bound=JournalEvent)


def event(
    kind: str, *, template: str = "template", version: str = "version", change: str = "change"
) -> Callable[[type[E]], type[E]]:
    """Register the class below as a kind of event.

    template, version, change: the fields of the body that stand in the row's columns; a name that is no field leaves its
    column empty.
    """

    def register(cls: type[E]) -> type[E]:
        if _classes.setdefault(kind, cls) is not cls:
            raise ValueError(f"There are two classes of the kind {kind}.")
        cls.kind = kind
        cls.column_fields = {"template": template, "version": version, "change": change}
        return cls

    return register


def json_name(name: str, **more: Any) -> Any:
    """A field whose name in the journal is no name for Python, like `from`."""
    return field(metadata={_JSON_NAME: name}, **more)


def kinds() -> tuple[str, ...]:
    """Every kind of event, in the order of the domains."""
    return tuple(_classes)


def event_class(kind: str) -> type[JournalEvent] | None:
    """The class of a kind; None for one that this release does not know."""
    return _classes.get(kind)


def parse(kind: str, body: Mapping[str, Any]) -> JournalEvent | None:
    """The typed event of a stored kind and body; None for a kind that this release does not know."""
    cls = _classes.get(kind)
    return cls.from_body(body) if cls else None


def columns_of(kind: str, body: Mapping[str, Any]) -> Columns:
    """The columns of an event's row; of an unknown kind the fields template, version and change."""
    cls = _classes.get(kind)
    names = cls.column_fields if cls else {name: name for name in ("template", "version", "change")}
    return Columns(body.get(names["template"], ""), body.get(names["version"]), body.get(names["change"]))
