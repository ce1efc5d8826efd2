// The dialogs of a column: adding one, and its name, kind, duplication and removal.
import { createElement } from "../dom.ts";
import { gettext } from "../language.ts";
import { KIND_WORDS, KINDS } from "./cells.ts";
import type { Column, Kind, Section } from "./types.ts";

export interface NewColumn {
  section: Section;
  name: string;
  kind: Kind;
}

export type ColumnChange = { do: "change"; name: string; kind: Kind } | { do: "duplicate" } | { do: "remove" };

function createChoice<T extends string>(
  id: string,
  label: string,
  labels: Record<T, string>,
  value: T,
): [HTMLElement, () => T] {
  const select = createElement("select", { id: `grid-column-${id}` });
  for (const [one, title] of Object.entries<string>(labels))
    select.append(createElement("option", { value: one }, title));
  select.value = value;
  const field = createElement(
    "div",
    { class: "field field-short" },
    createElement("label", { for: select.id }, label),
    createElement("span", { class: "select" }, select),
  );
  return [field, () => select.value as T];
}

const createKindChoice = (kind: Kind): [HTMLElement, () => Kind] =>
  createChoice(
    "kind",
    gettext("Kind"),
    Object.fromEntries(KINDS.map((one) => [one, KIND_WORDS[one]])) as Record<Kind, string>,
    kind,
  );

interface Dialog {
  dialog: HTMLDialogElement;
  input: HTMLInputElement;
}

/** A dialog with a name, other fields and buttons. `submit` returns the error, or an empty string on success. */
function openDialog(
  title: string,
  name: string,
  fields: HTMLElement[],
  buttons: HTMLElement[],
  submit: (name: string) => string,
): Dialog {
  const input = createElement("input", {
    id: "grid-column-name",
    autocomplete: "off",
    spellcheck: "false",
    maxlength: 200,
  });
  input.value = name;
  const error = createElement("p", { class: "field-error", role: "alert" });
  const close = createElement("button", { type: "button", class: "button button-quiet" }, gettext("Cancel"));
  const form = createElement(
    "form",
    { class: "form", method: "dialog" },
    createElement("div", { class: "field" }, createElement("label", { for: input.id }, gettext("Name")), input, error),
    ...fields,
    createElement("div", { class: "dialog-foot" }, ...buttons, close),
  );
  const dialog = createElement(
    "dialog",
    { class: "dialog", "aria-label": title },
    createElement("h2", {}, title),
    form,
  );
  close.addEventListener("click", () => dialog.close());
  dialog.addEventListener("close", () => dialog.remove());
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const problem = submit(input.value);
    error.textContent = problem;
    if (!problem) dialog.close();
  });
  document.body.append(dialog);
  dialog.showModal();
  input.focus();
  return { dialog, input };
}

/** Asks for a new column. */
export function openNewColumn(add: (column: NewColumn) => string): void {
  const [section, readSection] = createChoice<Section>(
    "holds",
    gettext("What it contains"),
    { inputs: gettext("An input"), expected: gettext("What is expected") } as Record<Section, string>,
    "inputs",
  );
  const [kind, readKind] = createKindChoice("text");
  const button = createElement("button", { class: "button button-primary" }, gettext("Add column"));
  openDialog(gettext("Add column"), "", [section, kind], [button], (name) =>
    add({ section: readSection(), name, kind: readKind() }),
  );
}

/** Shows a column's form; `apply` returns the error, or an empty string on success. */
export function openColumn(column: Column, apply: (change: ColumnChange) => string): void {
  const [kind, readKind] = createKindChoice(column.kind);
  const save = createElement("button", { class: "button button-primary" }, gettext("Change column"));
  const copy = createElement("button", { type: "button", class: "button" }, gettext("Duplicate"));
  const remove = createElement("button", { type: "button", class: "button" }, gettext("Remove"));
  const { dialog } = openDialog(
    gettext("Column {name}", { name: column.name }),
    column.name,
    [kind],
    [save, copy, remove],
    (name) => apply({ do: "change", name, kind: readKind() }),
  );
  for (const [button, action] of [
    [copy, "duplicate"],
    [remove, "remove"],
  ] as const)
    button.addEventListener("click", () => {
      apply({ do: action });
      dialog.close();
    });
}
