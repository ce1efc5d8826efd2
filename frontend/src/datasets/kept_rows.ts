// Unsaved changes of the rows: stored in this browser, and restored when the page is opened again.
import { makeRow } from "./rows.ts";
import type { Column, Grid, GridRow } from "./types.ts";

const PREFIX = "kept:rows:"; // the page removes entries with the prefix "kept:" that are older than a month
const MONTH = 30 * 86_400_000;

/** A saved row by its position, or one that was edited (`from`) or added. */
type KeptRow = number | { from?: number; cells: GridRow["cells"]; expectsEmpty: boolean };

export interface KeptRows {
  at: number;
  /** The digest of the version that was changed. */
  base: string;
  columns: readonly Column[];
  rows: readonly KeptRow[];
}

/** Stores saved rows as their position only, so that a change of a few rows is small. */
export function packRows(grid: Grid, saved: Grid, base: string, at = Date.now()): KeptRows {
  const places = new Map(saved.rows.map((row, index) => [row.key, index]));
  const rows = grid.rows.map((row): KeptRow => {
    const from = places.get(row.key);
    if (from !== undefined && saved.rows[from] === row) return from;
    return { ...(from === undefined ? {} : { from }), cells: row.cells, expectsEmpty: row.expectsEmpty };
  });
  return { at, base, columns: grid.columns, rows };
}

/**
 * Reverses `packRows`. On another version of the dataset, edited or added rows replace the row of the same name, or are
 * added; removals and moves are ignored.
 */
export function unpackRows(keptRows: KeptRows, saved: Grid, base: string): Grid {
  const changed = keptRows.rows.filter((row) => typeof row !== "number");
  if (keptRows.base !== base) return mergeRows(keptRows.columns, changed, saved);
  const rows = keptRows.rows.flatMap((row): GridRow[] => {
    if (typeof row === "number") return saved.rows[row] ? [saved.rows[row]] : [];
    return [restoreRow(row, row.from === undefined ? undefined : saved.rows[row.from])];
  });
  return { columns: keptRows.columns, rows };
}

/**
 * The names of rows of a newer version that `unpackRows` replaces by changed rows, so that the version's own rows are
 * no longer in the grid. Empty for the version that was changed.
 */
export function listReplacedNames(keptRows: KeptRows, saved: Grid, base: string): string[] {
  if (keptRows.base === base) return [];
  const replaced = keptRows.rows.flatMap((row): string[] => {
    if (typeof row === "number") return [];
    const name = readNameCell(row);
    const stored = name ? saved.rows.find((one) => readNameCell(one) === name) : undefined;
    return stored && JSON.stringify(stored.cells) !== JSON.stringify(row.cells) ? [readName(name)] : [];
  });
  return [...new Set(replaced)];
}

type ChangedRow = Exclude<KeptRow, number>;

/** A row's name as JSON, empty for none. */
const readNameCell = ({ cells }: Pick<GridRow, "cells">): string =>
  cells.id && "source" in cells.id ? cells.id.source : "";

function readName(source: string): string {
  try {
    return String(JSON.parse(source));
  } catch {
    return source;
  }
}

function mergeRows(columns: readonly Column[], changed: readonly ChangedRow[], saved: Grid): Grid {
  const rows = [...saved.rows];
  for (const row of changed) {
    const name = readNameCell(row);
    const index = name ? rows.findIndex((one) => readNameCell(one) === name) : -1;
    if (index < 0) rows.push(restoreRow(row, undefined));
    else rows[index] = restoreRow(row, rows[index]);
  }
  const knownKeys = new Set(saved.columns.map((column) => column.key));
  const added = columns.filter((column) => !knownKeys.has(column.key));
  return { columns: [...saved.columns.slice(0, -1), ...added, ...saved.columns.slice(-1)], rows };
}

const restoreRow = (row: ChangedRow, before: GridRow | undefined): GridRow => ({
  key: before?.key ?? makeRow().key,
  cells: row.cells,
  expectsEmpty: row.expectsEmpty,
});

/** The stored changes of this dataset; null if there are none, or they are too old. */
export function readKeptRows(name: string): KeptRows | null {
  try {
    const keptRows = JSON.parse(localStorage.getItem(PREFIX + name) ?? "null") as KeptRows | null;
    return keptRows && Date.now() - keptRows.at < MONTH ? keptRows : null;
  } catch {
    return null;
  }
}

/** Stores the rows; false if the browser has no space or stores nothing. */
export function keepRows(name: string, keptRows: KeptRows): boolean {
  try {
    localStorage.setItem(PREFIX + name, JSON.stringify(keptRows));
    return true;
  } catch {
    dropKeptRows(name);
    return false;
  }
}

export function dropKeptRows(name: string): void {
  localStorage.removeItem(PREFIX + name);
}
