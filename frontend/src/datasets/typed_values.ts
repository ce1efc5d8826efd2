// Values of columns whose input is declared as a list or a group: which can be edited in fields, and how they read.
import type { Json, Schema } from "../editor/types.ts";
import { gettext, ngettext } from "../language.ts";
import { compactSource } from "./json_source.ts";
import type { Cell, Column } from "./types.ts";

const typeOf = (schema: Schema): string => (typeof schema.type === "string" ? schema.type : "");

/** What a column holds, where its input is declared as a list or as a group of named values; else nothing. */
export function nameStructure(schema: Schema | undefined): string {
  if (!schema) return "";
  if (typeOf(schema) === "array" && schema.items) {
    if (typeOf(schema.items) === "string") return gettext("list of text");
    return typeOf(schema.items) === "object" ? gettext("list of groups") : gettext("list");
  }
  return typeOf(schema) === "object" && Object.keys(schema.properties ?? {}).length ? gettext("group") : "";
}

/** The cell's value, where fields can hold it without changing how its numbers are written: `undefined` where it is
 * left out, `null` where only JSON can hold it. */
export function readForFields(cell: Cell | undefined): Json | undefined {
  if (!cell) return undefined;
  if ("problem" in cell) return null;
  const value = JSON.parse(cell.source) as Json;
  return JSON.stringify(value) === compactSource(cell.source) ? value : null;
}

/** Whether the cell is edited in fields: its column has a schema, and the value is of the type that it names. */
export function isEditedInFields(cell: Cell | undefined, column: Column): boolean {
  if (!column.schema || !nameStructure(column.schema)) return false;
  const value = readForFields(cell);
  if (value === undefined) return true;
  const isList = Array.isArray(value);
  return value !== null && typeof value === "object" && isList === (typeOf(column.schema) === "array");
}

/** What a cell says of a list or a group: the first item or the fields as text, and how many items there are. */
export function describeStructure(cell: Cell | undefined, column: Column): { first: string; count: string } | null {
  const value = nameStructure(column.schema) ? readForFields(cell) : null;
  if (value === undefined || value === null) return null;
  const items = Array.isArray(value) ? value : [value];
  const texts = items.map(describeItem);
  if (texts.includes(null)) return null;
  if (!Array.isArray(value)) return { first: texts[0] || gettext("none"), count: "" };
  const count = value.length ? ngettext("{count} item", "{count} items", value.length) : "";
  return { first: texts[0] ?? gettext("none"), count };
}

/** A text as it is and a group as `name: Mia, city: Leeds`; null for anything else, which is shown as JSON. */
function describeItem(item: Json): string | null {
  if (typeof item === "string") return item;
  if (item === null || typeof item !== "object" || Array.isArray(item)) return null;
  const fields = Object.entries(item).map(([name, value]) => {
    const text = typeof value === "string" ? value : JSON.stringify(value);
    return `${name}: ${text}`;
  });
  return fields.join(", ");
}
