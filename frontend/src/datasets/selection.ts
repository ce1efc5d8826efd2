// The cells between two corners of the grid: their keys, their text, and clearing them.
import { readCellText } from "./cells.ts";
import { formatClipboard } from "./delimited.ts";
import type { CellEdit } from "./edits.ts";
import type { CellPlace } from "./table_view.ts";
import type { Column, GridRow } from "./types.ts";

export type IsSelected = (place: CellPlace) => boolean;

/** The offset of each key, in rows and columns. */
export const STEPS: Record<string, readonly [number, number]> = {
  ArrowUp: [-1, 0],
  ArrowDown: [1, 0],
  ArrowLeft: [0, -1],
  ArrowRight: [0, 1],
  PageUp: [-12, 0],
  PageDown: [12, 0],
  Home: [0, -10_000],
  End: [0, 10_000],
};

/** The place of an element's cell; null for a button. */
export function findPlace(element: Element): CellPlace | null {
  const cell = element.closest<HTMLElement>("[data-column], button");
  const row = cell?.closest<HTMLElement>("[data-row]")?.dataset.row;
  return cell?.dataset.column && row ? { row: Number(row), column: cell.dataset.column } : null;
}

/** The cell so many rows and columns away, clamped to the edges. */
export function findNeighbour(
  rows: readonly GridRow[],
  columns: readonly Column[],
  place: CellPlace | null,
  [down, right]: readonly [number, number],
): CellPlace | null {
  const at = rows.findIndex((row) => row.key === place?.row);
  const across = columns.findIndex((column) => column.key === place?.column);
  const clampIndex = (value: number, count: number): number => Math.max(0, Math.min(count - 1, value));
  const row = rows[clampIndex(at + down, rows.length)];
  const column = columns[clampIndex(across + right, columns.length)];
  return row && column ? { row: row.key, column: column.key } : null;
}

/** A predicate for cells between the two corners. */
export function selectCells(
  rows: readonly GridRow[],
  columns: readonly Column[],
  active: CellPlace | null,
  anchor: CellPlace | null,
): IsSelected {
  if (!active || !anchor) return () => false;
  const rowSpan = span(
    rows.map((row) => row.key),
    active.row,
    anchor.row,
  );
  const columnSpan = span(
    columns.map((column) => column.key),
    active.column,
    anchor.column,
  );
  return (place) => rowSpan.has(place.row) && columnSpan.has(place.column);
}

/** The keys between the two, inclusive. */
function span<K>(keys: readonly K[], one: K, other: K): Set<K> {
  if (one === other) return new Set([one]);
  const [from, to] = [keys.indexOf(one), keys.indexOf(other)].sort((left, right) => left - right) as [number, number];
  return new Set(keys.slice(Math.max(0, from), to + 1));
}

/** The selected cells as clipboard text. */
export function copyCells(rows: readonly GridRow[], columns: readonly Column[], isSelected: IsSelected): string {
  const table = rows.map((row) =>
    columns
      .filter((column) => isSelected({ row: row.key, column: column.key }))
      .map((column) => readCellText(row.cells[column.key], column.kind)),
  );
  return formatClipboard(table.filter((cells) => cells.length));
}

/** The edits that clear the selected values. */
export function clearCells(rows: readonly GridRow[], columns: readonly Column[], isSelected: IsSelected): CellEdit[] {
  return rows.flatMap((row) =>
    columns
      .filter((column) => row.cells[column.key] && isSelected({ row: row.key, column: column.key }))
      .map((column) => ({ row: row.key, column: column.key, cell: undefined })),
  );
}
