// The fields of all inputs, and the notice about values that aren't inputs.
import { createElement } from "../dom.ts";
import { gettext } from "../language.ts";
import { drawField } from "./fields.ts";
import type { Data, Schema, ValueStore } from "./types.ts";

/** Renders a field for each input, and restores the focus. */
export function drawFields(
  container: HTMLElement,
  store: ValueStore,
  schemas: Record<string, Schema>,
  unused: HTMLElement | null,
): void {
  const focused = container.contains(document.activeElement) ? document.activeElement?.id : "";
  const fields = Object.entries(schemas).map(([name, schema]) =>
    drawField(store, [name], schema, schema.default === undefined),
  );
  if (unused) fields.push(unused);
  if (!fields.length) fields.push(createElement("p", { class: "note" }, gettext("This text uses no inputs.")));
  container.replaceChildren(...fields);
  if (focused) restoreFocus(focused);
}

/** Focuses the control with this id; if it no longer exists, such as a removed list item, the closest one around it. */
function restoreFocus(id: string): void {
  for (let name = id; name; name = name.slice(0, Math.max(0, name.lastIndexOf(".")))) {
    const control = document.getElementById(name);
    const target = control?.matches("details") ? control.querySelector<HTMLElement>("summary") : control;
    target?.focus();
    if (target && document.activeElement === target) return;
  }
}

/** Focuses the first control for a value, skipping buttons beside the names of inputs. */
export function focusFirstField(container: ParentNode): void {
  container.querySelector<HTMLElement>("input, textarea, select, .segments button, .list-foot button")?.focus();
}

/** Lists values that aren't inputs of the text, with a button that removes them. */
export function drawUnused(names: string[], declared: boolean, drop: () => void): HTMLElement {
  const values = { names: names.join(", ") };
  const label = declared
    ? gettext("Not declared, so not used: {names}.", values)
    : gettext("Not used by the text: {names}.", values);
  const button = createElement(
    "button",
    { type: "button", class: "button button-quiet button-small" },
    gettext("Remove"),
  );
  button.addEventListener("click", drop);
  return createElement("p", { class: "inputs-extra" }, `${label} `, button);
}

/** Focuses the field for a path such as `customer.name` or `items[0].title`. */
export function focusField(path: string): void {
  const name = path.replaceAll(/\[(\d+)\]/g, ".$1");
  const field = document.getElementById(`input-${name}`) ?? document.getElementById(`input-${name.split(".")[0]}`);
  field?.scrollIntoView({ block: "center" });
  if (field instanceof HTMLDetailsElement) field.open = true;
  if (field?.matches("input, textarea, select")) field.focus();
  else if (field) focusFirstField(field);
}

/** The defaults of the inputs that have one. */
export function listDefaults(schemas: Record<string, Schema>): Data {
  const entries = Object.entries(schemas);
  return Object.fromEntries(
    entries.flatMap(([name, schema]) => (schema.default === undefined ? [] : [[name, schema.default]])),
  );
}
