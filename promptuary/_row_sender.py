"""The interface by which a template adds rows to a dataset, and the result."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

__all__ = ["AddedRows", "Row", "RowSender"]

Row = Mapping[str, Any]


@dataclass(frozen=True)
class AddedRows:
    """The version of a dataset that holds the rows.

    `created`: whether a version was made; it was not if all rows were there already. `warnings`: sentences about
    what looks like personal data or a credential.
    """

    dataset: str
    version: int
    digest: str
    created: bool
    warnings: tuple[str, ...] = ()


class RowSender(Protocol):
    """Adds rows to a dataset of the registry; blocks until it answered."""

    def __call__(self, dataset: str, rows: Sequence[Row], *, template: str | None = None) -> AddedRows: ...
