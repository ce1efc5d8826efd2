// Opens the editor for a cell: a field over the cell, or a dialog of fields for a list or a group.
import type { Schema } from "../editor/types.ts";
import { type CellEditor, type EditorOptions, openCellEditor } from "./cell_editor.ts";
import { openFieldsDialog } from "./fields_dialog.ts";
import { isEditedInFields } from "./typed_values.ts";

/** Opens a cell's editor; `keep` gets it, and also the JSON editor that may replace it. */
export function openCell(options: EditorOptions, keep: (editor: CellEditor) => void): void {
  const { column, cell, label } = options;
  if (!isEditedInFields(cell, column)) {
    keep(openCellEditor(options));
    return;
  }
  let value = cell;
  const dialog = openFieldsDialog({
    column: { ...column, schema: column.schema as Schema },
    cell,
    label,
    commit: (next) => {
      value = next;
      options.commit(next, "stay");
      options.findTarget()?.focus({ preventScroll: true }); // the dialog focuses a cell that was redrawn since
    },
    cancel: options.cancel,
    openSource: () => {
      const target = options.findTarget();
      if (target) keep(openCellEditor({ ...options, target, cell: value, typed: undefined }));
    },
  });
  keep(dialog);
}
