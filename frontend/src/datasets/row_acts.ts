// Actions on the ticked rows of a grid, each as one undoable step.
import { showStatus } from "../app/status.ts";
import { gettext, ngettext } from "../language.ts";
import { openCopy } from "./copy_form.ts";
import * as edits from "./edits.ts";
import { openTagDialog } from "./tag_form.ts";
import { findTagsProblem } from "./tags.ts";
import type { Fault, Grid } from "./types.ts";

interface RowView {
  readonly grid: Grid;
  /** By row key. */
  readonly faults: ReadonlyMap<number, readonly Fault[]>;
  /** The keys of the ticked rows, or of the current cell's row if none is ticked. */
  listChosenRows(): ReadonlySet<number>;
  untickAll(): void;
  apply(grid: Grid, description: string): void;
  undo(): void;
}

/** Duplicates each row, right after it. */
export function duplicateRows(view: RowView): void {
  const keys = view.listChosenRows();
  if (keys.size) view.apply(edits.duplicateRows(view.grid, keys), gettext("duplicate rows"));
}

export function removeRows(view: RowView): void {
  const keys = view.listChosenRows();
  if (!keys.size) return;
  view.untickAll();
  view.apply(edits.removeRows(view.grid, keys), gettext("remove rows"));
  showStatus(ngettext("{count} row removed.", "{count} rows removed.", keys.size), () => view.undo());
}

/** Asks for tags and adds them to the rows, or removes them. */
export function tagRows(view: RowView): void {
  const keys = view.listChosenRows();
  const rows = view.grid.rows.filter((row) => keys.has(row.key));
  openTagDialog(rows, view.grid, (tags, isAdded) => {
    const problem = findTagsProblem(view.grid, keys, tags, isAdded);
    if (problem) return problem;
    view.apply(edits.tagRows(view.grid, keys, tags, isAdded), gettext("tag rows"));
    const text = isAdded
      ? ngettext("{count} row tagged.", "{count} rows tagged.", keys.size)
      : ngettext("Tags removed from {count} row.", "Tags removed from {count} rows.", keys.size);
    showStatus(text, () => view.undo());
    return "";
  });
}

/** Copies the rows into another dataset, including those hidden by a filter; rows with errors must be fixed first. */
export function copyRows(view: RowView, section: HTMLElement): void {
  const keys = view.listChosenRows();
  const rows = view.grid.rows.filter((row) => keys.has(row.key));
  const faulty = rows.filter((row) => view.faults.has(row.key)).length;
  if (faulty)
    showStatus(
      ngettext(
        "Nothing is copied. {count} ticked row has an error.",
        "Nothing is copied. {count} ticked rows have errors.",
        faulty,
      ),
    );
  else if (rows.length) openCopy(section, { ...view.grid, rows });
}
