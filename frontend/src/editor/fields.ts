// Form fields for the values of inputs, drawn from their schemas.
import { createElement } from "../dom.ts";
import { formatNumber, gettext } from "../language.ts";
import { addLargeView } from "./large_text.ts";
import { drawList } from "./list_field.ts";
import type { Json, Schema, ValueStore } from "./types.ts";

const kindOf = (schema: Schema): string => {
  const type = Array.isArray(schema.type) ? schema.type.find((each) => each !== "null") : schema.type;
  return type ?? (schema.properties ? "object" : "");
};

/** The facts after a label: `untrusted`, a default, `612 of 4,000`. */
function factsOf(schema: Schema, value: Json | undefined, required: boolean): string {
  const facts: string[] = [];
  if (schema.untrusted) facts.push(gettext("untrusted"));
  if (schema.default !== undefined)
    facts.push(gettext("default {value}", { value: JSON.stringify(schema.default).replace(/^"|"$/g, "") }));
  else if (!required) facts.push(gettext("optional"));
  if (schema.maxLength && typeof value === "string") {
    facts.push(
      gettext("{length} of {most}", { length: formatNumber([...value].length), most: formatNumber(schema.maxLength) }),
    );
  }
  return facts.join(", ");
}

/** A typed field for the input at `path`, as its schema says; objects become one field a property. */
export function drawField(store: ValueStore, path: string[], schema: Schema, required: boolean): HTMLElement {
  const name = path.join(".");
  if (kindOf(schema) === "object" && schema.properties && Object.keys(schema.properties).length) {
    const inner = Object.entries(schema.properties).map(([key, each]) =>
      drawField(store, [...path, key], each, (schema.required ?? []).includes(key)),
    );
    return createElement("div", { role: "group", "aria-label": name, class: "inputs-group" }, ...inner);
  }
  const id = `input-${name}`;
  const facts = createElement("span", { class: "facts-after" });
  const showFacts = (): void => {
    facts.textContent = factsOf(schema, store.read(path), required);
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
  if (control instanceof HTMLTextAreaElement && kindOf(schema) === "string") addLargeView(field, control, name);
  if (schema.description) field.title = schema.description;
  return field;
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
  const kind = kindOf(schema);
  if (schema.enum) return drawChoice(store, path, schema.enum, schema.default, id);
  if (kind === "boolean") return drawChoice(store, path, [true, false], schema.default, id);
  if ((kind === "number" || kind === "integer") && (value === undefined || typeof value === "number")) {
    const box = createElement("input", {
      type: "number",
      id,
      step: kind === "integer" ? 1 : "any",
      min: schema.minimum,
      max: schema.maximum,
    });
    box.value = value === undefined ? "" : String(value);
    box.addEventListener("input", () => store.write(path, box.value === "" ? undefined : box.valueAsNumber));
    return box;
  }
  if (kind === "array" && kindOf(schema.items ?? {}) === "string" && (value === undefined || Array.isArray(value))) {
    return drawList(store, path, id, showFacts);
  }
  if (kind === "string" && (value === undefined || typeof value === "string")) {
    const box = createElement("textarea", { id, rows: 1, dir: "auto", spellcheck: "false", class: "grows" });
    box.value = value ?? "";
    if (typeof schema.default === "string") box.placeholder = schema.default;
    box.addEventListener("input", () => {
      // An emptied field of an optional input leaves it out, so that its default counts again.
      store.write(path, box.value === "" && !required ? undefined : box.value);
      showFacts();
    });
    return box;
  }
  return drawJson(store, path, id);
}

function drawChoice(
  store: ValueStore,
  path: string[],
  options: Json[],
  fallback: Json | undefined,
  id: string,
): HTMLElement {
  const now = (): string => JSON.stringify(store.read(path) ?? fallback);
  if (options.length > 4 || options.join("").length > 24) {
    const select = createElement("select", { id });
    for (const option of options) select.add(new Option(String(option), JSON.stringify(option)));
    select.value = now();
    select.addEventListener("change", () => store.write(path, JSON.parse(select.value) as Json));
    return select;
  }
  const box = createElement("div", { class: "segments", role: "group", id });
  for (const option of options) {
    const button = createElement(
      "button",
      { type: "button", "aria-pressed": String(JSON.stringify(option) === now()) },
      String(option),
    );
    button.addEventListener("click", () => {
      for (const each of box.children) each.setAttribute("aria-pressed", String(each === button));
      store.write(path, option);
    });
    box.append(button);
  }
  return box;
}

function drawJson(store: ValueStore, path: string[], id: string): HTMLElement {
  const area = createElement("textarea", { id, rows: 3, spellcheck: "false", class: "mono grows" });
  const value = store.read(path);
  area.value = value === undefined ? "" : JSON.stringify(value, null, 2);
  area.addEventListener("input", () => {
    try {
      const parsed = area.value.trim() ? (JSON.parse(area.value) as Json) : undefined;
      area.removeAttribute("aria-invalid");
      area.title = "";
      store.write(path, parsed);
    } catch (error) {
      area.setAttribute("aria-invalid", "true");
      area.title = gettext("Not JSON yet: {reason}", { reason: (error as Error).message });
    }
  });
  return area;
}
