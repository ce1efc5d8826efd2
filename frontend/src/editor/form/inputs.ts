// The table of declared inputs in form mode.
import { createElement, createIcon } from "../../dom.ts";
import { gettext } from "../../language.ts";
import type { Data, Json, Schema } from "../types.ts";
import { describeSchema, describeValue, findKind, KINDS, makeEmptyValue, readDefault, setKind } from "./input_kinds.ts";
import { drawBreak, drawName, type Published, type Rename } from "./input_name.ts";

/** The table's edits of the text; they return false if the layout can only be edited in the source. */
export interface InputEdits {
  add(name: string, schema: Schema): boolean;
  set(name: string, schema: Schema): boolean;
  drop(name: string): boolean;
  rename: Rename;
}

const COLUMNS = {
  kind: gettext("Kind"),
  limits: gettext("Limits"),
  required: gettext("Required"),
  missing: gettext("If missing"),
  sample: gettext("In the sample"),
  untrusted: gettext("Untrusted"),
};
const NAME = /^[\p{L}_][\p{L}\p{M}\p{N}_]*$/u; // as parsed by the server

/** What is typed for a new input; it survives redrawing the table. */
export interface NewInput {
  name: string;
  kind: string;
}

/** A new input without any typed text. */
export function makeEmptyInput(): NewInput {
  return { name: "", kind: "text" };
}

/** The table of inputs: what callers send, the default, and the sample's value. */
export function drawInputs(
  inputs: Record<string, Schema>,
  sample: Data,
  declared: InputEdits,
  newInput: NewInput,
  published: Published,
): HTMLElement {
  const refusal = createElement("p", { class: "field-message", role: "alert" });
  const showMessage = (message: string): void => {
    refusal.textContent = message;
  };
  const finishEdit = (done: boolean): void =>
    showMessage(done ? "" : gettext("This is laid out in a way that only the source can change."));
  const rows = Object.entries(inputs).map(([name, schema]) =>
    drawRow(name, schema, sample[name], declared, { finishEdit, showMessage, published }),
  );
  const head = [gettext("Name"), ...Object.values(COLUMNS), gettext("Remove")];
  const table = createElement(
    "table",
    { class: "table table-middle form-inputs" },
    createElement(
      "thead",
      {},
      createElement("tr", {}, ...head.map((word) => createElement("th", { scope: "col" }, word))),
    ),
    createElement("tbody", {}, ...rows),
  );
  const title = createElement("div", { class: "form-head" }, createElement("h2", {}, gettext("Inputs")));
  title.append(createElement("span", { class: "aside" }, gettext("what a caller sends")));
  return createElement(
    "section",
    { class: "form-declared" },
    title,
    ...(rows.length
      ? [createElement("div", { class: "table-scroll" }, table)]
      : [createElement("p", { class: "note" }, gettext("No inputs declared yet. Callers can send anything."))]),
    drawAdd(new Set(Object.keys(inputs)), declared, newInput, finishEdit),
    refusal,
  );
}

/** How a row reads and writes its input; an edit is read back immediately, before the server has parsed the text. */
interface Row {
  readonly name: string;
  schema: Schema;
  write(next: Schema): void;
}

/** Shared by all rows: where an error is shown, and what the inputs are compared with. */
interface RowFacts {
  finishEdit(done: boolean): void;
  showMessage(message: string): void;
  published: Published;
}

function drawRow(
  name: string,
  schema: Schema,
  value: Json | undefined,
  declared: InputEdits,
  { finishEdit, showMessage, published }: RowFacts,
): HTMLElement {
  const row: Row = {
    name,
    schema,
    write: (next) => {
      row.schema = next;
      finishEdit(declared.set(name, next));
    },
  };
  const kind = findKind(schema);
  const createCell = (label: string, ...children: (Node | string)[]): HTMLElement =>
    createElement("td", { "data-label": label }, ...children);
  const outside = drawCheck(gettext("{name} is untrusted", { name }), schema.untrusted === true, (isChecked) => {
    const { untrusted: _gone, ...rest } = row.schema;
    row.write(isChecked ? { ...rest, untrusted: true } : rest);
  });
  return createElement(
    "tr",
    {},
    createElement("th", { scope: "row" }, ...drawName(name, published, declared.rename, showMessage)),
    createCell(COLUMNS.kind, kind ? drawKind(kind, row) : describeSchema(schema)),
    createCell(COLUMNS.limits, ...(kind ? drawDetail(kind, row) : [])),
    createCell(
      COLUMNS.required,
      kind ? drawRequired(row) : schema.default === undefined ? gettext("yes") : gettext("no"),
    ),
    createCell(
      COLUMNS.missing,
      kind ? drawDefault(row) : gettext("caller gets an error"),
      ...drawBreak(name, schema, published),
    ),
    createCell(COLUMNS.sample, createElement("span", { class: "form-value" }, describeValue(value, schema.default))),
    createCell(COLUMNS.untrusted, outside),
    createCell(
      "",
      drawDrop(name, () => finishEdit(declared.drop(name))),
    ),
  );
}

function drawDrop(name: string, drop: () => void): HTMLElement {
  const label = gettext("Remove the input {name}", { name });
  const button = createElement("button", { type: "button", class: "icon-button", "aria-label": label, title: label });
  button.append(createIcon("trash-2"));
  button.addEventListener("click", drop);
  return button;
}

function drawCheck(label: string, isChecked: boolean, write: (isChecked: boolean) => void): HTMLElement {
  const box = createElement("input", { type: "checkbox", "aria-label": label });
  box.checked = isChecked;
  box.addEventListener("change", () => write(box.checked));
  return box;
}

/** An input is required as long as it has no default; one that becomes optional defaults to an empty value. */
function drawRequired(row: Row): HTMLElement {
  return drawCheck(
    gettext("{name} is required", { name: row.name }),
    row.schema.default === undefined,
    (isRequired) => {
      const { default: _gone, ...rest } = row.schema;
      row.write(isRequired ? rest : { ...rest, default: makeEmptyValue(rest) });
    },
  );
}

function drawKind(kind: string, row: Row): HTMLElement {
  const select = createElement("select", { "aria-label": gettext("Kind of {name}", { name: row.name }) });
  for (const [value, { label }] of Object.entries(KINDS)) {
    select.add(new Option(label, value, value === kind, value === kind));
  }
  select.addEventListener("change", () => {
    if (select.value !== "choice") row.write(setKind(row.schema, select.value));
    else row.write({ ...setKind(row.schema, "choice"), enum: ["first", "second"] });
  });
  return select;
}

/** The details of a kind: the longest length of a text, the words to choose from. */
function drawDetail(kind: string, row: Row): HTMLElement[] {
  if (kind === "choice") {
    const value = (row.schema.enum ?? []).join(", ");
    const box = createElement("input", { "aria-label": gettext("Choices of {name}", { name: row.name }), value });
    box.addEventListener("change", () => {
      const choices = box.value.split(",").map((word) => word.trim());
      const next = [...new Set(choices.filter(Boolean))];
      const { default: kept, ...rest } = row.schema;
      row.write({ ...rest, enum: next, ...(typeof kept === "string" && next.includes(kept) && { default: kept }) });
    });
    return [box];
  }
  if (kind !== "text") return [];
  const box = createElement("input", {
    type: "number",
    min: 1,
    "aria-label": gettext("Most characters of {name}", { name: row.name }),
    placeholder: gettext("any length"),
    value: row.schema.maxLength,
  });
  box.addEventListener("change", () => {
    const { maxLength: _gone, ...rest } = row.schema;
    row.write(box.value && box.valueAsNumber >= 1 ? { ...rest, maxLength: Math.floor(box.valueAsNumber) } : rest);
  });
  return [box];
}

function drawDefault(row: Row): HTMLElement | string {
  if (row.schema.type === "array")
    return row.schema.default === undefined ? gettext("caller gets an error") : gettext("empty");
  const now = row.schema.default;
  const box = createElement("input", {
    "aria-label": gettext("Value of {name} if missing", { name: row.name }),
    placeholder: gettext("caller gets an error"),
    value: now === undefined ? "" : typeof now === "boolean" ? (now ? gettext("yes") : gettext("no")) : String(now),
  });
  box.addEventListener("change", () => {
    const { default: _gone, ...rest } = row.schema;
    const value = readDefault(row.schema, box.value);
    const fits = value !== null;
    box.setAttribute("aria-invalid", String(!fits));
    if (fits) row.write(value === undefined ? rest : { ...rest, default: value });
  });
  return box;
}

function drawAdd(
  taken: Set<string>,
  declared: InputEdits,
  newInput: NewInput,
  finishEdit: (done: boolean) => void,
): HTMLElement {
  const name = createElement("input", {
    "aria-label": gettext("Name of the new input"),
    placeholder: "order_id",
    size: 14,
  });
  name.value = newInput.name;
  const kind = createElement("select", { "aria-label": gettext("Kind of the new input") });
  for (const [value, { label }] of Object.entries(KINDS)) if (value !== "choice") kind.add(new Option(label, value));
  kind.value = newInput.kind;
  name.addEventListener("input", () => Object.assign(newInput, { name: name.value }));
  kind.addEventListener("change", () => Object.assign(newInput, { kind: kind.value }));
  const add = createElement("button", { type: "button", class: "button button-small" }, gettext("Add an input"));
  const note = createElement("span", { class: "note", role: "status" });
  const addTypedInput = (): void => {
    const typed = name.value.trim();
    if (!NAME.test(typed)) note.textContent = gettext("Use letters, digits and _, starting with a letter.");
    else if (taken.has(typed)) note.textContent = gettext("There is an input {name}.", { name: typed });
    else {
      Object.assign(newInput, makeEmptyInput()); // before the table is redrawn
      finishEdit(declared.add(typed, KINDS[kind.value]?.schema ?? { type: "string" }));
    }
  };
  add.addEventListener("click", addTypedInput);
  name.addEventListener("keydown", (event) => {
    if (event.key !== "Enter") return;
    event.preventDefault();
    addTypedInput();
  });
  return createElement("div", { class: "form-add" }, name, kind, add, note);
}
