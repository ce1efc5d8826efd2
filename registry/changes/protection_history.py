"""Which labels were protected at an event, worked out from the journal. One function for the restore and for migrations."""

from collections.abc import Iterable, Mapping
from typing import Any

from registry.namespaces.events import NamespaceCreated, NamespaceRuled

__all__ = ["RULING", "Protection"]

RULING = (NamespaceCreated.kind, NamespaceRuled.kind)  # the kinds of event that say what is protected


class Protection:
    """The protected labels of each namespace as of the last event that was handed in.

    `hear` takes every event in the order of the journal; kinds other than `RULING` change nothing. `is_protected` then
    answers for the moment after that event. A write decides under the journal's lock, so what the events before a move
    say is what the service saw when it made the move.
    """

    def __init__(self, events: Iterable[tuple[str, str, Mapping[str, Any]]] = ()) -> None:
        """events: (kind, namespace, body) of what came before, oldest first."""
        self._labels: dict[str, frozenset[str]] = {}
        for kind, namespace, body in events:
            self.hear(kind, namespace, body)

    def hear(self, kind: str, namespace: str, body: Mapping[str, Any]) -> None:
        """Take in one event: its kind, the name of its namespace, and its body."""
        if kind in RULING:
            self._labels[namespace] = frozenset(body["rules"]["protected_labels"])

    def is_protected(self, namespace: str, label: str) -> bool:
        """Whether the label was protected in the namespace after the last event that was heard."""
        return label in self._labels.get(namespace, frozenset())
