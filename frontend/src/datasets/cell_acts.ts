// What is done with the selected cells of a grid, each as one step that can be undone.
import { showStatus } from "../app/status.ts";
import { gettext, ngettext } from "../language.ts";
import { parseClipboard } from "./delimited.ts";
import * as edits from "./edits.ts";
import { clearCells, type IsSelected } from "./selection.ts";
import type { CellPlace } from "./table_view.ts";
import type { Grid, GridRow } from "./types.ts";

interface CellView {
  readonly grid: Grid;
  apply(grid: Grid, words: string): void;
  undo(): void;
}

/** Leaves the selected values of the shown rows out. */
export function clearSelection(view: CellView, shown: readonly GridRow[], isSelected: IsSelected): void {
  const cleared = clearCells(shown, view.grid.columns, isSelected);
  if (cleared.length) view.apply(edits.setCells(view.grid, cleared), gettext("clear cells"));
}

/** Writes the cells of a spreadsheet over those of the shown rows from a place on. */
export function pasteText(view: CellView, shown: readonly GridRow[], place: CellPlace | null, text: string): void {
  const table = parseClipboard(text);
  if (!table.length || !place) return;
  const visible = shown.map((row) => row.key);
  view.apply(edits.pasteTable(view.grid, visible, place, table), gettext("paste"));
  showStatus(ngettext("{count} row pasted.", "{count} rows pasted.", table.length), () => view.undo());
}
