"""Copying the whole database to another one, even of another engine, with a proof that both are equal."""

from registry.database_copy.comparison import TableDigest, compare_databases
from registry.database_copy.copying import copy_database
from registry.database_copy.errors import CopyRefused, DatabasesDiffer

__all__ = ["CopyRefused", "DatabasesDiffer", "TableDigest", "compare_databases", "copy_database"]
