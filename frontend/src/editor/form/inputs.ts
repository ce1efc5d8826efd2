// The table of declared inputs in form mode.
import { createElement } from "../../dom.ts";
import type { Json, Schema } from "../types.ts";

/** What the table does to the text; false where the front matter is laid out so that only the source can. */
export interface InputEdits {
  add(name: string, schema: Schema): boolean;
  set(name: string, schema: Schema): boolean;
  drop(name: string): boolean;
}

const KINDS: Record<string, { words: string; schema: Schema }> = {
  text: { words: "Text", schema: { type: "string" } },
  number: { words: "Number", schema: { type: "number" } },
  integer: { words: "Whole number", schema: { type: "integer" } },
  boolean: { words: "Yes or no", schema: { type: "boolean" } },
  list: { words: "List of text", schema: { type: "array", items: { type: "string" } } },
  choice: { words: "One of", schema: { type: "string", enum: [] } },
};
const NAME = /^[A-Za-z_]\w*$/;

/** The kind that a schema is of, or null for one that the table only names. */
export function kindOf(schema: Schema): string | null {
  if (schema.enum) return schema.enum.every((each) => typeof each === "string") ? "choice" : null;
  if (schema.type === "string") return "text";
  if (schema.type === "array") return schema.items?.type === "string" ? "list" : null;
  return typeof schema.type === "string" && schema.type in KINDS ? schema.type : null;
}

/** A schema of another kind: what both know of is kept, what only the old one knew is left out. */
export function withKind(schema: Schema, kind: string): Schema {
  const { description, untrusted } = schema;
  return {
    ...KINDS[kind]?.schema,
    ...(description !== undefined && { description }),
    ...(untrusted !== undefined && { untrusted }),
  };
}

/** A default as typed, in the type of the input; undefined for an empty field, null where it is none of that type. */
export function readDefault(schema: Schema, typed: string): Json | undefined {
  if (typed === "") return undefined;
  if (schema.enum) return schema.enum.includes(typed) ? typed : null;
  if (schema.type === "string") return typed;
  const number = Number(typed);
  if (schema.type === "number") return Number.isFinite(number) ? number : null;
  if (schema.type === "integer") return Number.isInteger(number) ? number : null;
  if (schema.type === "boolean") return typed === "yes" ? true : typed === "no" ? false : null;
  return null;
}

/** What is typed for an input that is not added yet; it outlives the drawing of the table. */
export interface NewInput {
  name: string;
  kind: string;
}

/** Nothing typed yet. */
export function emptyInput(): NewInput {
  return { name: "", kind: "text" };
}

/** The table of inputs: what a caller sends, and what holds where it is missing. */
export function drawInputs(inputs: Record<string, Schema>, declared: InputEdits, newInput: NewInput): HTMLElement {
  const refusal = createElement("p", { class: "field-message", role: "alert" });
  const tell = (done: boolean): void => {
    refusal.textContent = done ? "" : "This is laid out in a way that only the source can change.";
  };
  const rows = Object.entries(inputs).map(([name, schema]) => drawRow(name, schema, declared, tell));
  const head = ["Name", "Kind", "Limits", "If missing", "Untrusted", "Remove"];
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
  const title = createElement("div", { class: "form-head" }, createElement("h2", {}, "Inputs"));
  title.append(createElement("span", { class: "aside" }, "what a caller sends"));
  return createElement(
    "section",
    { class: "form-declared" },
    title,
    ...(rows.length
      ? [createElement("div", { class: "table-scroll" }, table)]
      : [createElement("p", { class: "note" }, "No inputs declared yet. Callers can send anything.")]),
    drawAdd(new Set(Object.keys(inputs)), declared, newInput, tell),
    refusal,
  );
}

/** How a row reads and writes its input; what is written is read back at once, before the server has read the text. */
interface Row {
  readonly name: string;
  schema: Schema;
  write(next: Schema): void;
}

function drawRow(name: string, schema: Schema, declared: InputEdits, tell: (done: boolean) => void): HTMLElement {
  const row: Row = {
    name,
    schema,
    write: (next) => {
      row.schema = next;
      tell(declared.set(name, next));
    },
  };
  const kind = kindOf(schema);
  const cell = (...children: (Node | string)[]): HTMLElement => createElement("td", {}, ...children);
  const drop = createElement("button", { type: "button", class: "button button-small button-quiet" }, "Remove");
  drop.setAttribute("aria-label", `Remove the input ${name}`);
  drop.addEventListener("click", () => tell(declared.drop(name)));
  const outside = createElement("input", { type: "checkbox", "aria-label": `${name} comes from outside` });
  outside.checked = schema.untrusted === true;
  outside.addEventListener("change", () => {
    const { untrusted: _gone, ...rest } = row.schema;
    row.write(outside.checked ? { ...rest, untrusted: true } : rest);
  });
  return createElement(
    "tr",
    {},
    cell(createElement("b", {}, name)),
    cell(kind ? drawKind(kind, row) : describeSchema(schema)),
    cell(...(kind ? drawDetail(kind, row) : [])),
    cell(kind ? drawDefault(row) : "an error"),
    cell(outside),
    cell(drop),
  );
}

function drawKind(kind: string, row: Row): HTMLElement {
  const select = createElement("select", { "aria-label": `Kind of ${row.name}` });
  for (const [value, { words }] of Object.entries(KINDS)) {
    select.add(new Option(words, value, value === kind, value === kind));
  }
  select.addEventListener("change", () => {
    if (select.value !== "choice") row.write(withKind(row.schema, select.value));
    else row.write({ ...withKind(row.schema, "choice"), enum: ["first", "second"] });
  });
  return select;
}

/** What a kind leaves open: how long a text may be, which words there are to choose from. */
function drawDetail(kind: string, row: Row): HTMLElement[] {
  if (kind === "choice") {
    const value = (row.schema.enum ?? []).join(", ");
    const box = createElement("input", { "aria-label": `Choices of ${row.name}`, value });
    box.addEventListener("change", () => {
      const words = box.value.split(",").map((word) => word.trim());
      const next = [...new Set(words.filter(Boolean))];
      const { default: kept, ...rest } = row.schema;
      row.write({ ...rest, enum: next, ...(typeof kept === "string" && next.includes(kept) && { default: kept }) });
    });
    return [box];
  }
  if (kind !== "text") return [];
  const box = createElement("input", {
    type: "number",
    min: 1,
    "aria-label": `Most characters of ${row.name}`,
    placeholder: "any length",
    value: row.schema.maxLength,
  });
  box.addEventListener("change", () => {
    const { maxLength: _gone, ...rest } = row.schema;
    row.write(box.value && box.valueAsNumber >= 1 ? { ...rest, maxLength: Math.floor(box.valueAsNumber) } : rest);
  });
  return [box];
}

function drawDefault(row: Row): HTMLElement | string {
  if (row.schema.type === "array") return "an error";
  const now = row.schema.default;
  const box = createElement("input", {
    "aria-label": `Value of ${row.name} if missing`,
    placeholder: "an error",
    value: now === undefined ? "" : typeof now === "boolean" ? (now ? "yes" : "no") : String(now),
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
  tell: (done: boolean) => void,
): HTMLElement {
  const name = createElement("input", { "aria-label": "Name of the new input", placeholder: "order_id", size: 14 });
  name.value = newInput.name;
  const kind = createElement("select", { "aria-label": "Kind of the new input" });
  for (const [value, { words }] of Object.entries(KINDS)) if (value !== "choice") kind.add(new Option(words, value));
  kind.value = newInput.kind;
  name.addEventListener("input", () => Object.assign(newInput, { name: name.value }));
  kind.addEventListener("change", () => Object.assign(newInput, { kind: kind.value }));
  const add = createElement("button", { type: "button", class: "button button-small" }, "Add an input");
  const note = createElement("span", { class: "note", role: "status" });
  const act = (): void => {
    const typed = name.value.trim();
    if (!NAME.test(typed)) note.textContent = "A name is letters, digits and _, a letter first.";
    else if (taken.has(typed)) note.textContent = `There is an input ${typed}.`;
    else {
      Object.assign(newInput, emptyInput()); // before the table is drawn again
      tell(declared.add(typed, KINDS[kind.value]?.schema ?? { type: "string" }));
    }
  };
  add.addEventListener("click", act);
  name.addEventListener("keydown", (event) => {
    if (event.key !== "Enter") return;
    event.preventDefault();
    act();
  });
  return createElement("div", { class: "form-add" }, name, kind, add, note);
}

function describeSchema(schema: Schema): string {
  if (schema.properties) return `Group: ${Object.keys(schema.properties).join(", ")}`;
  if (schema.type === "array") return "List";
  return typeof schema.type === "string" ? schema.type : "Anything";
}
