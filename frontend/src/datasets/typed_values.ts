// Values of columns whose input is declared as a list or a group: whether fields can edit them, and their text.
import type { Json, Schema } from "../editor/types.ts";
import { gettext, ngettext } from "../language.ts";
import { writeCompactSource } from "./json_source.ts";
import type { Cell, Column } from "./types.ts";

const readType = (schema: Schema): string => (typeof schema.type === "string" ? schema.type : "");

/** The type of a column whose input is declared as a list or a group of named values; else empty. */
export function nameStructure(schema: Schema | undefined): string {
  if (!schema) return "";
  if (readType(schema) === "array" && schema.items) {
    if (readType(schema.items) === "string") return gettext("list of text");
    return readType(schema.items) === "object" ? gettext("list of groups") : gettext("list");
  }
  return readType(schema) === "object" && Object.keys(schema.properties ?? {}).length ? gettext("group") : "";
}

/** The cell's value, if fields can edit it without changing the notation of numbers: `undefined` if it has no value,
 * `null` if only JSON can represent it. */
export function readForFields(cell: Cell | undefined): Json | undefined {
  if (!cell) return undefined;
  if ("problem" in cell) return null;
  const value = JSON.parse(cell.source) as Json;
  return JSON.stringify(value) === writeCompactSource(cell.source) ? value : null;
}

/** Whether the cell is edited in fields: its column has a schema, and the value has that type. */
export function isEditedInFields(cell: Cell | undefined, column: Column): boolean {
  if (!column.schema || !nameStructure(column.schema)) return false;
  const value = readForFields(cell);
  if (value === undefined) return true;
  const isList = Array.isArray(value);
  return value !== null && typeof value === "object" && isList === (readType(column.schema) === "array");
}

/** The text of a list or a group in a cell: the first item or the fields, and the number of items. */
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

/** A text unchanged and a group as `name: Mia, city: Leeds`; null for anything else, which is shown as JSON. */
function describeItem(item: Json): string | null {
  if (typeof item === "string") return item;
  if (item === null || typeof item !== "object" || Array.isArray(item)) return null;
  const fields = Object.entries(item).map(([name, value]) => {
    const text = typeof value === "string" ? value : JSON.stringify(value);
    return `${name}: ${text}`;
  });
  return fields.join(", ");
}
