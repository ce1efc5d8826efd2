"""The interface through which a template adds rows to a dataset, and the result."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

__all__ = ["AddedRows", "Row", "RowSender"]

Row = Mapping[str, Any]


@dataclass(frozen=True)
class AddedRows:
    """The version of a dataset that contains the rows.

    `created`: whether a new version was made; it wasn't if all rows existed already. `warnings`: sentences about
    possible personal data or credentials.
    """

    dataset: str
    version: int
    digest: str
    created: bool
    warnings: tuple[str, ...] = ()


class RowSender(Protocol):
    """Adds rows to a dataset of the registry; blocks until the registry has answered."""

    def __call__(self, dataset: str, rows: Sequence[Row], *, template: str | None = None) -> AddedRows: ...
