// The rows and columns of a grid to show: filtered and removed rows, and visible columns.
import { type Baseline, type Filter, filterRows } from "./filters.ts";
import { listRemoved, placeRemoved } from "./removed_rows.ts";
import type { CellPlace } from "./table_view.ts";
import type { Column, Fault, Grid, GridRow } from "./types.ts";

export interface ShownCells {
  /** The rows that can be selected and edited. */
  rows: readonly GridRow[];
  /** These rows, with the removed ones among them, struck out. */
  drawn: readonly GridRow[];
  removed: ReadonlySet<number>;
  columns: readonly Column[];
}

export const NO_CELLS: ShownCells = { rows: [], drawn: [], removed: new Set(), columns: [] };

/** The visible rows and columns. Unchanged columns are the same array as in `before`. */
export function findShownCells(
  grid: Grid,
  columns: readonly Column[],
  by: { filter: Filter; baseline: Baseline; faults: ReadonlyMap<number, readonly Fault[]> },
  before: ShownCells,
): ShownCells {
  const rows = filterRows(grid, by.filter, by.baseline, by.faults);
  const removed = listRemoved(grid, by.filter, by.baseline);
  const isSame =
    columns.length === before.columns.length && columns.every((one, index) => one === before.columns[index]);
  return {
    rows,
    drawn: placeRemoved(rows, removed, by.baseline),
    removed: new Set(removed.map((row) => row.key)),
    columns: isSame ? before.columns : columns,
  };
}

/** The current cell if it is visible, else one in the first row. */
export function keepPlace({ rows, columns }: ShownCells, place: CellPlace | null): CellPlace | null {
  const isShown = rows.some((row) => row.key === place?.row) && columns.some((column) => column.key === place?.column);
  if (isShown) return place;
  const [row, column] = [rows[0], columns[1] ?? columns[0]];
  return row && column ? { row: row.key, column: column.key } : null;
}
