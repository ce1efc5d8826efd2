// Adding, changing and removing columns of a grid, each as one undoable step.
import { showStatus } from "../app/status.ts";
import { gettext } from "../language.ts";
import { openColumn, openNewColumn } from "./column_form.ts";
import * as edits from "./edits.ts";
import type { Column, Grid } from "./types.ts";

interface Editable {
  readonly grid: Grid;
  apply(grid: Grid, description: string): void;
  undo(): void;
}

export function addColumn(view: Editable): void {
  openNewColumn(({ section, name, kind }) => {
    const problem = edits.findNameProblem(view.grid, section, name);
    if (!problem) view.apply(edits.addColumn(view.grid, section, name, kind), gettext("add column"));
    return problem;
  });
}

/** Opens the form of a column. */
export function editColumn(view: Editable, column: Column): void {
  openColumn(column, (change) => {
    if (change.do === "duplicate") {
      view.apply(edits.duplicateColumn(view.grid, column.key), gettext("duplicate column"));
    } else if (change.do === "remove") {
      view.apply(edits.removeColumn(view.grid, column.key), gettext("remove column"));
      showStatus(gettext("Column {name} removed.", { name: column.name }), () => view.undo());
    } else {
      const problem = edits.findNameProblem(view.grid, column.section, change.name, column.key);
      if (problem) return problem;
      const grid = edits.changeKind(view.grid, column.key, change.kind);
      view.apply(edits.renameColumn(grid, column.key, change.name), gettext("change column"));
    }
    return "";
  });
}
