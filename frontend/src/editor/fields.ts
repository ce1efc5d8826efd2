// Form fields for the values of inputs, generated from their schemas.
import { createElement } from "../dom.ts";
import { formatNumber, gettext } from "../language.ts";
import { addLargeView } from "./large_text.ts";
import { drawList } from "./list_field.ts";
import type { Json, Schema, ValueStore } from "./types.ts";

const readKind = (schema: Schema): string => {
  const type = Array.isArray(schema.type) ? schema.type.find((typeName) => typeName !== "null") : schema.type;
  return type ?? (schema.properties ? "object" : "");
};

/** The facts after a label: `untrusted`, a default, `612 of 4,000`. */
function describeFacts(store: ValueStore, path: string[], schema: Schema, required: boolean): string {
  const value = store.read(path);
  const facts: string[] = [];
  if (schema.untrusted) facts.push(gettext("untrusted"));
  if (schema.default !== undefined) facts.push(gettext("default {value}", { value: describeDefault(schema.default) }));
  else if (!required) facts.push(gettext("optional"));
  if (schema.maxLength && typeof value === "string") {
    facts.push(
      gettext("{length} of {most}", { length: formatNumber([...value].length), most: formatNumber(schema.maxLength) }),
    );
  }
  const before = store.readSaved?.(path);
  if (before !== undefined && JSON.stringify(before) !== JSON.stringify(value)) facts.push(describeValueBefore(before));
  return facts.join(", ");
}

const describeDefault = (value: Json): string =>
  typeof value === "boolean" ? describeOption(value) : JSON.stringify(value).replace(/^"|"$/g, "");

/** The saved value; omitted if it is too long. */
function describeValueBefore(value: Json): string {
  const label = describeOption(value);
  if (typeof value === "object" || label.length > 24 || !label) return gettext("edited");
  return gettext("was {value}", { value: label });
}

/** A typed field for the input at `path`, according to its schema; objects become one field per property. */
export function drawField(store: ValueStore, path: string[], schema: Schema, required: boolean): HTMLElement {
  const name = path.at(-1) ?? "";
  if (isGroup(schema)) {
    const label = createElement("span", { class: "label" }, name);
    const facts = createElement("span", { class: "facts-after" }, gettext("group"));
    const group = drawGroup(store, path, schema, name);
    group.id = makeId(path);
    group.prepend(createElement("div", { class: "field-head" }, label, facts));
    return group;
  }
  const id = makeId(path);
  const facts = createElement("span", { class: "facts-after" });
  const showFacts = (): void => {
    facts.textContent = describeFacts(store, path, schema, required);
  };
  const control = drawControl(store, path, schema, required, id, showFacts);
  showFacts();
  const labelled = control instanceof HTMLDivElement;
  const label = labelled
    ? createElement("span", { class: "label", id: `${id}-label` }, name)
    : createElement("label", { class: "label", for: id }, name);
  if (labelled) control.setAttribute("aria-labelledby", `${id}-label`);
  const field = createElement(
    "div",
    { class: "field" },
    createElement("div", { class: "field-head" }, label, facts),
    control,
  );
  if (control instanceof HTMLTextAreaElement && readKind(schema) === "string") addLargeView(field, control, name);
  if (schema.description) field.title = schema.description;
  return field;
}

const makeId = (path: string[]): string => `input-${path.join(".")}`;

const isGroup = (schema: Schema): schema is Schema & { properties: Record<string, Schema> } =>
  readKind(schema) === "object" && Object.keys(schema.properties ?? {}).length > 0;

function drawGroup(
  store: ValueStore,
  path: string[],
  schema: Schema & { properties: Record<string, Schema> },
  name: string,
): HTMLElement {
  const inner = Object.entries(schema.properties).map(([key, property]) =>
    drawField(store, [...path, key], property, (schema.required ?? []).includes(key)),
  );
  return createElement("div", { role: "group", "aria-label": name, class: "inputs-group" }, ...inner);
}

/** Whether each item of a list fits its schema's kind; others are edited as JSON. */
function fitsItems(value: Json | undefined, items: Schema): boolean {
  if (value !== undefined && !Array.isArray(value)) return false;
  const kind = readKind(items);
  const fits: Record<string, (item: Json) => boolean> = {
    string: (item) => typeof item === "string",
    number: (item) => typeof item === "number",
    integer: (item) => typeof item === "number",
    boolean: (item) => typeof item === "boolean",
    object: (item) => isGroup(items) && item !== null && typeof item === "object" && !Array.isArray(item),
  };
  const fit = fits[kind];
  return fit !== undefined && (kind !== "object" || isGroup(items)) && (value ?? []).every(fit);
}

/** One item of a list: a small form for a group, else the control of its kind. */
function drawItem(store: ValueStore, path: string[], schema: Schema): HTMLElement {
  const [name = "", index = "0"] = path.slice(-2);
  const label = gettext("{name}, item {number}", { name, number: Number(index) + 1 });
  if (isGroup(schema)) return drawGroup(store, path, schema, label);
  const control = drawControl(store, path, schema, true, makeId(path), () => undefined);
  control.setAttribute("aria-label", label);
  return control;
}

function drawControl(
  store: ValueStore,
  path: string[],
  schema: Schema,
  required: boolean,
  id: string,
  showFacts: () => void,
): HTMLElement {
  const value = store.read(path);
  const kind = readKind(schema);
  if (schema.enum) return drawChoice(store, path, schema.enum, schema.default, id, showFacts);
  if (kind === "boolean") return drawChoice(store, path, [true, false], schema.default, id, showFacts);
  if ((kind === "number" || kind === "integer") && (value === undefined || typeof value === "number")) {
    const box = createElement("input", {
      type: "number",
      id,
      step: kind === "integer" ? 1 : "any",
      min: schema.minimum,
      max: schema.maximum,
    });
    box.value = value === undefined ? "" : String(value);
    box.addEventListener("input", () => {
      store.write(path, box.value === "" ? undefined : box.valueAsNumber);
      showFacts();
    });
    return box;
  }
  if (kind === "array" && schema.items && fitsItems(value, schema.items))
    return drawList({ store, path, id, items: schema.items, isRequired: required, showFacts, drawItem });
  if (kind === "string" && (value === undefined || typeof value === "string")) {
    const box = createElement("textarea", { id, rows: 1, dir: "auto", spellcheck: "false", class: "grows" });
    box.value = value ?? "";
    if (typeof schema.default === "string") box.placeholder = schema.default;
    box.addEventListener("input", () => {
      // Clearing the field of an optional input removes its value, so that the default applies again.
      store.write(path, box.value === "" && !required ? undefined : box.value);
      showFacts();
    });
    return box;
  }
  return drawJson(store, path, id);
}

const describeOption = (option: Json): string =>
  typeof option === "boolean" ? (option ? gettext("yes") : gettext("no")) : String(option);

function drawChoice(
  store: ValueStore,
  path: string[],
  options: Json[],
  fallback: Json | undefined,
  id: string,
  showFacts: () => void,
): HTMLElement {
  const readText = (): string => JSON.stringify(store.read(path) ?? fallback);
  if (options.length > 4 || options.join("").length > 24) {
    const select = createElement("select", { id });
    for (const option of options) select.add(new Option(describeOption(option), JSON.stringify(option)));
    select.value = readText();
    select.addEventListener("change", () => {
      store.write(path, JSON.parse(select.value) as Json);
      showFacts();
    });
    return select;
  }
  const box = createElement("div", { class: "segments", role: "group", id });
  for (const option of options) {
    const button = createElement(
      "button",
      {
        type: "button",
        id: `${id}-choice-${options.indexOf(option)}`,
        "aria-pressed": String(JSON.stringify(option) === readText()),
      },
      describeOption(option),
    );
    button.addEventListener("click", () => {
      for (const child of box.children) child.setAttribute("aria-pressed", String(child === button));
      store.write(path, option);
      showFacts();
    });
    box.append(button);
  }
  return box;
}

function drawJson(store: ValueStore, path: string[], id: string): HTMLElement {
  const area = createElement("textarea", { id, rows: 3, spellcheck: "false", class: "mono grows" });
  const message = createElement("p", { class: "field-error", role: "alert", id: `${id}-error` });
  const value = store.read(path);
  area.value = value === undefined ? "" : JSON.stringify(value, null, 2);
  area.addEventListener("input", () => {
    try {
      const parsed = area.value.trim() ? (JSON.parse(area.value) as Json) : undefined;
      area.removeAttribute("aria-invalid");
      area.removeAttribute("aria-describedby");
      message.remove();
      store.write(path, parsed);
    } catch (error) {
      area.setAttribute("aria-invalid", "true");
      area.setAttribute("aria-describedby", message.id);
      area.after(message);
      message.textContent = gettext("Not JSON yet: {reason}", { reason: (error as Error).message });
    }
  });
  return area;
}
