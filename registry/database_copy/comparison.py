"""The proof that two databases are equal: counts and digests of every table, and the journal's chain."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from registry.audit.verification import find_chain_faults
from registry.database_copy import usage
from registry.database_copy.canonical_rows import RowDigest, read_rows
from registry.database_copy.errors import DatabasesDiffer
from registry.database_copy.tables import list_tables
from registry.journal.models import Event

__all__ = ["TableDigest", "compare_databases", "compute_table_digest", "require_same"]


@dataclass(frozen=True)
class TableDigest:
    """A table's number of rows and the SHA-256 over their canonical forms, in hex."""

    table: str
    rows: int
    sha256: str


def compare_databases(source: str, target: str, tell: Callable[[str], None]) -> list[TableDigest]:
    """Read every table of both, with exclusive access, and return the digests. Raises DatabasesDiffer if they differ.

    `tell` gets a line for each non-empty table. Raises CopyRefused if one can't be used.
    """
    usage.require_same_migrations(source, target)
    with usage.hold_alone(source, "source"), usage.hold_alone(target, "target"):
        return require_same([compute_table_digest(model, source) for model in list_tables()], source, target, tell)


def compute_table_digest(model: Any, alias: str) -> TableDigest:
    """The digest of a whole table."""
    digest = RowDigest(model)
    for row in read_rows(model, alias):
        digest.add(row)
    return TableDigest(model._meta.db_table, digest.count, digest.hexdigest())


def require_same(
    expected: list[TableDigest], source: str, target: str, tell: Callable[[str], None]
) -> list[TableDigest]:
    """Compare the target with the source's digests and return them, or raise DatabasesDiffer."""
    findings = []
    for model, table in zip(list_tables(), expected, strict=True):
        target_digest = compute_table_digest(model, target)
        if table.rows:
            tell(f"{table.table:<40} {table.rows:>11,} rows  sha256 {table.sha256}")
        if target_digest.rows != table.rows:
            findings.append(
                f"{table.table} has {table.rows:,} rows in the source and {target_digest.rows:,} in the target."
            )
        elif target_digest != table:
            findings.append(f"{table.table} has the same number of rows in both, and they don't hold the same.")
    findings += [f"{place}: {fault}" for place in (source, target) for fault in find_chain_faults(place)]
    if (source_head := _read_head(source)) != (target_head := _read_head(target)):
        findings.append(f"The journal ends with {source_head} in the source and with {target_head} in the target.")
    if findings:
        raise DatabasesDiffer(findings)
    return expected


def _read_head(alias: str) -> str | None:
    """The hash of the journal's last event."""
    return Event.objects.using(alias).order_by("-number").values_list("hash", flat=True).first()
