// Actions on the selected cells of a grid, each as one undoable step.
import { showStatus } from "../app/status.ts";
import { gettext, ngettext } from "../language.ts";
import { type DelimitedRow, parseClipboard } from "./delimited.ts";
import * as edits from "./edits.ts";
import { clearCells, copyCells, type IsSelected } from "./selection.ts";
import type { CellPlace } from "./table_view.ts";
import type { Column, Grid, GridRow } from "./types.ts";

export interface CellView {
  readonly grid: Grid;
  /** The visible columns. */
  readonly columns: readonly Column[];
  apply(grid: Grid, description: string): void;
  undo(): void;
  /** Asks which column each of the pasted cells belongs to. */
  mapPasted(rows: DelimitedRow[]): void;
}

/** Clears the selected values of the visible rows. */
export function clearSelection(view: CellView, shownRows: readonly GridRow[], isSelected: IsSelected): void {
  const cleared = clearCells(shownRows, view.columns, isSelected);
  if (cleared.length) view.apply(edits.setCells(view.grid, cleared), gettext("clear cells"));
}

export type Transfer = "copy" | "cut" | "paste";

/** Copies, cuts or pastes the selected cells of the visible rows. */
export function transferCells(
  view: CellView,
  kind: Transfer,
  clipboard: DataTransfer,
  shown: readonly GridRow[],
  place: CellPlace | null,
  isSelected: IsSelected,
): void {
  if (kind === "paste") {
    pasteText(view, shown, place, clipboard.getData("text/plain"));
    return;
  }
  clipboard.setData("text/plain", copyCells(shown, view.columns, isSelected));
  if (kind === "cut") clearSelection(view, shown, isSelected);
}

/** Overwrites visible rows with spreadsheet cells from a place on. Cells beyond the last column would be lost, so they
 * are mapped first. */
function pasteText(view: CellView, shownRows: readonly GridRow[], place: CellPlace | null, text: string): void {
  const rows = parseClipboard(text);
  if (!rows.length || !place) return;
  const table = rows.map(({ cells }) => cells);
  const width = Math.max(...table.map((cells) => cells.findLastIndex((one) => one.trim() !== "") + 1));
  if (view.columns.findIndex((column) => column.key === place.column) + width > view.columns.length) {
    view.mapPasted(rows);
    return;
  }
  const visible = shownRows.map((row) => row.key);
  view.apply(edits.pasteTable(view.grid, visible, place, table, view.columns), gettext("paste"));
  showStatus(ngettext("{count} row pasted.", "{count} rows pasted.", table.length), () => view.undo());
}
