"""The full-text index of each database engine: FTS5 on SQLite, a tsvector with a GIN index on PostgreSQL.

Both answer three queries: some matching entries in no order, the newest matches, and the first matches by name when
many are known to match. The cost of each does not depend on the number of templates.
"""

# no texts here: SQL

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from django.db import connection, transaction

from registry.templates.search_terms import Term, TermGroup

__all__ = [
    "INDEX_TABLE",
    "Scope",
    "list_first_by_name",
    "match_some",
    "match_some_or_first",
    "optimize_index",
    "select_by_name",
    "select_newest",
]

INDEX_TABLE = "registry_searchentry_fts"
_ENTRY = "registry_searchentry"
_MAX_FOUND = 5_000  # the most matches of the index that are looked up by id instead of in the texts
Hit = tuple[int, str]
Statement = tuple[str, list[Any]]  # SQL and its parameters


@dataclass(frozen=True)
class Scope:
    """The templates a list covers. `namespaces`: ids, or None for all; `names` are the namespaces' names. `folder`: a
    full path or empty.
    """

    namespaces: tuple[int, ...] | None
    names: tuple[str, ...] = ()
    folder: str = ""
    is_archived: bool = False

    @property
    def is_empty(self) -> bool:
        """Whether it can't contain any template."""
        return self.namespaces == ()


def match_some(groups: Sequence[TermGroup], limit: int) -> list[Hit]:
    """The ids and names of up to `limit` entries that match every group, in no order."""
    return _run_by_index(_select_some(groups, limit))


def match_some_or_first(
    groups: Sequence[TermGroup], threshold: int, ordered: Statement, limit: int
) -> tuple[list[Hit], list[Hit]]:
    """What `match_some` returns for `threshold + 1`, and the first `limit` entries of `ordered` if there are more than
    `threshold`, else none.

    One statement, so that a search takes as many queries however many entries match. ordered: of `select_by_name` or
    `select_newest`.
    """
    is_more = f"(SELECT COUNT(*) FROM matches) > {int(threshold)}"
    if connection.vendor == "sqlite":
        matches_sql, parameters = _select_found(groups, max(threshold, _MAX_FOUND) + 1)
        parts = f"found AS ({matches_sql}), matches AS ({_select_names('found', threshold + 1)})"
        # It would evaluate the statement before a condition on the outside.
        first = f"(SELECT * FROM ({ordered[0]} LIMIT CASE WHEN {is_more} THEN {int(limit)} ELSE 0 END))"
    else:
        matches_sql, parameters = _select_some(groups, max(threshold, _MAX_FOUND) + 1)
        named = f"SELECT id, name FROM found LIMIT {int(threshold) + 1}"
        parts = f"found AS MATERIALIZED ({matches_sql}), matches AS ({named})"
        first = f"(SELECT * FROM ({ordered[0]} LIMIT {int(limit)}) AS ordered WHERE {is_more})"
    sql = f"WITH {parts} SELECT id, name, 0 FROM matches UNION ALL SELECT id, name, 1 FROM {first} AS first"
    rows = _run_by_index((sql, [*parameters, *ordered[1]]))
    matches = [(number, name) for number, name, part in rows if part == 0]
    return matches, [(number, name) for number, name, part in rows if part == 1]


def select_newest(groups: Sequence[TermGroup], before: int | None) -> Statement:
    """The statement for entries that match, newest first, older than the entry `before`. Its first rows are fast if
    many match.
    """
    older = "" if before is None else "AND {column} < %s"
    parameters: list[Any] = [] if before is None else [before]
    if connection.vendor == "sqlite":
        sql = (
            f"SELECT rowid AS id, '' AS name FROM {INDEX_TABLE} WHERE {INDEX_TABLE} MATCH %s "
            f"{older.format(column='rowid')} ORDER BY rowid DESC"
        )
        return sql, [_write_fts5_expression(groups), *parameters]
    sql = f"SELECT id, name FROM {_ENTRY} WHERE vector @@ %s::tsquery {older.format(column='id')} ORDER BY id DESC"
    return sql, [_write_tsquery(groups), *parameters]


def select_by_name(groups: Sequence[TermGroup], scope: Scope, after: str) -> Statement:
    """The statement for entries that match, by name, after the name `after`, as a part of `match_some_or_first`. Its
    first rows are fast if many match, as few entries are read.

    Up to `_MAX_FOUND` matches are looked up by id while the names are read along their index. With more, one in few
    entries matches, and reading its words takes less time than reading all matches.
    """
    place, parameters = _place(scope, after)
    if connection.vendor == "sqlite":
        conditions = [_write_contains(group) for group in groups]
        contains = " AND ".join(condition for condition, _ in conditions) or "1"
        parameters += [value for _, values in conditions for value in values]
    else:
        contains = "vector @@ %s::tsquery"
        parameters.append(_write_tsquery(groups))
    is_known = f"(SELECT COUNT(*) FROM found) <= {_MAX_FOUND}"
    wheres = [place, f"CASE WHEN {is_known} THEN id IN (SELECT id FROM found) ELSE {contains} END"]
    return f"SELECT id, name FROM {_ENTRY} WHERE {' AND '.join(wheres)} ORDER BY name", parameters


def list_first_by_name(scope: Scope, after: str, limit: int) -> list[Hit]:
    """Up to `limit` entries of the scope by name, after the name `after`. One subquery per namespace, so that entries
    between two namespaces are not read.
    """
    if scope.is_empty:
        return []
    parts, parameters = [], []
    scopes = [scope]
    if scope.namespaces is not None:
        places = zip(scope.namespaces, scope.names, strict=True)
        scopes = [replace(scope, namespaces=(number,), names=(name,)) for number, name in places]
    for narrow in scopes:
        place, values = _place(narrow, after)
        sql = f"SELECT id, name FROM {_ENTRY} WHERE {place} ORDER BY name LIMIT {int(limit)}"
        parts.append(f"SELECT * FROM ({sql}) AS part")
        parameters += values
    return _run(f"{' UNION ALL '.join(parts)} ORDER BY 2 LIMIT {int(limit)}", parameters)


def optimize_index() -> None:
    """Compact SQLite's index, which keeps deleted entries until then; PostgreSQL's is vacuumed with its table."""
    if connection.vendor == "sqlite":
        _execute(f"INSERT INTO {INDEX_TABLE}({INDEX_TABLE}) VALUES ('optimize')")


def _select_some(groups: Sequence[TermGroup], limit: int) -> Statement:
    if connection.vendor == "sqlite":
        found, parameters = _select_found(groups, limit)
        return _select_names(f"({found})", limit), parameters
    return f"SELECT id, name FROM {_ENTRY} WHERE vector @@ %s::tsquery LIMIT {int(limit)}", [_write_tsquery(groups)]


def _select_found(groups: Sequence[TermGroup], limit: int) -> Statement:
    """SQLite's statement for the ids of up to `limit` entries that match, in no order."""
    sql = f"SELECT rowid AS id FROM {INDEX_TABLE} WHERE {INDEX_TABLE} MATCH %s LIMIT {int(limit)}"
    return sql, [_write_fts5_expression(groups)]


def _select_names(found: str, limit: int) -> str:
    """SQLite's statement for the ids and names of up to `limit` entries of a table or subquery with ids."""
    return (
        f"SELECT e.id, e.name FROM (SELECT id FROM {found} LIMIT {int(limit)}) f CROSS JOIN {_ENTRY} e ON e.id = f.id"
    )


def _place(scope: Scope, after: str) -> tuple[str, list[Any]]:
    wheres, parameters = ["is_archived = %s", "name > %s"], [scope.is_archived, after]
    if scope.namespaces is not None:
        wheres.append(f"namespace_id IN ({', '.join(['%s'] * len(scope.namespaces))})")
        parameters += scope.namespaces
    # Of one namespace too: without the bounds, its last page would read the entries of all namespaces after it.
    folder = scope.folder or (scope.names[0] if len(scope.names) == 1 else "")
    if folder:
        wheres.append("name >= %s AND name < %s")
        parameters += [f"{folder}/", f"{folder}0"]  # 0 follows / in code points
    return " AND ".join(wheres), parameters


def _write_fts5_expression(groups: Sequence[TermGroup]) -> str:
    return " AND ".join(f"({' OR '.join(_write_fts5_term(term) for term in group)})" for group in groups)


def _write_fts5_term(term: Term) -> str:
    return f'"{term.text}"{" *" if term.is_prefix else ""}'  # letters, digits and underscores: nothing to escape


def _write_tsquery(groups: Sequence[TermGroup]) -> str:
    parts = (" | ".join(f"'{term.text}'{':*' if term.is_prefix else ''}" for term in group) for group in groups)
    return " & ".join(f"({part})" for part in parts)


def _write_contains(group: TermGroup) -> tuple[str, list[str]]:
    """SQLite's condition that a row contains some term of the group, without using the index."""
    tests, values = [], []
    for term in group:
        tests.append(f"instr(' ' || {'facets' if term.is_facet else 'words'} || ' ', %s) > 0")
        values.append(f" {term.text}" if term.is_prefix else f" {term.text} ")
    return f"({' OR '.join(tests)})", values


def _run(sql: str, parameters: Sequence[Any]) -> list[Any]:
    with connection.cursor() as cursor:
        cursor.execute(sql, parameters)
        return list(cursor.fetchall())


def _run_by_index(statement: Statement) -> list[Any]:
    """Run a statement with the full-text index: PostgreSQL would scan the table, which is faster if many match, but far
    slower if few do.
    """
    if connection.vendor == "sqlite":
        return _run(*statement)
    with transaction.atomic():
        _execute("SET LOCAL enable_seqscan = off")
        rows = _run(*statement)
        _execute("SET LOCAL enable_seqscan = on")
    return rows


def _execute(sql: str) -> None:
    with connection.cursor() as cursor:
        cursor.execute(sql)
