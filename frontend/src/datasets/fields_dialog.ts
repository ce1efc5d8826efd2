// The dialog for editing a list or a group, with the same fields as the template's samples.
import { createElement } from "../dom.ts";
import { drawFields, focusFirstField } from "../editor/input_fields.ts";
import type { Data, Json, Schema, ValueStore } from "../editor/types.ts";
import { readValue, writeValue } from "../editor/value_paths.ts";
import { gettext } from "../language.ts";
import { readForFields } from "./typed_values.ts";
import type { Cell, Column } from "./types.ts";

interface FieldsOptions {
  column: Column & { schema: Schema };
  cell: Cell | undefined;
  label: string;
  commit: (cell: Cell | undefined) => void;
  cancel: () => void;
  /** Edits the value as JSON instead. */
  openSource: () => void;
}

/** An open dialog; `close` saves its content. */
export interface FieldsDialog {
  close: () => void;
}

/** Opens the fields of a cell. Esc and Cancel leave the cell unchanged. */
export function openFieldsDialog({ column, cell, label, ...answers }: FieldsOptions): FieldsDialog {
  const before = readForFields(cell);
  let data: Data = before === undefined ? {} : { [column.name]: before as Json };
  let isTaken = false;
  let isSource = false;
  const store: ValueStore = {
    read: (path) => readValue(data, path),
    write: (path, value) => {
      data = writeValue(data, path, value);
    },
  };
  const fields = createElement("div", { class: "pane-inputs" });
  const container = createElement("div", { "data-fields": true });
  fields.append(container);
  drawFields(container, store, { [column.name]: column.schema }, null);
  const doneButton = createElement("button", { type: "button", class: "button button-primary" }, gettext("Done"));
  const source = createElement("button", { type: "button", class: "button" }, gettext("Edit as JSON"));
  const drop = createElement("button", { type: "button", class: "button" }, gettext("Leave it out"));
  const cancel = createElement("button", { type: "button", class: "button button-quiet" }, gettext("Cancel"));
  const dialog = createElement(
    "dialog",
    { class: "dialog grid-fields", "aria-label": label },
    createElement("h2", {}, label),
    fields,
    createElement("div", { class: "dialog-foot" }, doneButton, source, drop, cancel),
  );
  const finish = (): void => {
    isTaken = true;
    dialog.close();
  };
  doneButton.addEventListener("click", finish);
  drop.addEventListener("click", () => {
    data = {};
    finish();
  });
  source.addEventListener("click", () => {
    isSource = true;
    finish();
  });
  cancel.addEventListener("click", () => dialog.close());
  dialog.addEventListener("close", () => {
    dialog.remove();
    const value = data[column.name];
    const isSame = JSON.stringify(value) === JSON.stringify(before);
    if (!isTaken) answers.cancel();
    else answers.commit(isSame ? cell : value === undefined ? undefined : { source: JSON.stringify(value) });
    if (isSource) answers.openSource();
  });
  document.body.append(dialog);
  dialog.showModal();
  focusFirstField(fields);
  return { close: finish };
}
