// The kinds of inputs that the form offers: their schemas, their defaults, and their values in a few words.
import { gettext, ngettext } from "../../language.ts";
import type { Json, Schema } from "../types.ts";

/** The kinds to choose from, each with its name and schema. */
export const KINDS: Record<string, { label: string; schema: Schema }> = {
  text: { label: gettext("Text"), schema: { type: "string" } },
  number: { label: gettext("Number"), schema: { type: "number" } },
  integer: { label: gettext("Whole number"), schema: { type: "integer" } },
  boolean: { label: gettext("Yes or no"), schema: { type: "boolean" } },
  list: { label: gettext("List of text"), schema: { type: "array", items: { type: "string" } } },
  choice: { label: gettext("Choice"), schema: { type: "string", enum: [] } },
};

/** The kind of a schema, or null for one that the table only describes. */
export function findKind(schema: Schema): string | null {
  if (schema.enum) return schema.enum.every((choice) => typeof choice === "string") ? "choice" : null;
  if (schema.type === "string") return "text";
  if (schema.type === "array") return schema.items?.type === "string" ? "list" : null;
  return typeof schema.type === "string" && schema.type in KINDS ? schema.type : null;
}

/** Converts a schema to another kind; keeps only its description and `untrusted`. */
export function setKind(schema: Schema, kind: string): Schema {
  const { description, untrusted } = schema;
  return {
    ...KINDS[kind]?.schema,
    ...(description !== undefined && { description }),
    ...(untrusted !== undefined && { untrusted }),
  };
}

/** Parses a typed default as the input's type; undefined for an empty field, null if it is invalid. */
export function readDefault(schema: Schema, typed: string): Json | undefined {
  if (typed === "") return undefined;
  if (schema.enum) return schema.enum.includes(typed) ? typed : null;
  if (schema.type === "string") return typed;
  const number = Number(typed);
  if (schema.type === "number") return Number.isFinite(number) ? number : null;
  if (schema.type === "integer") return Number.isInteger(number) ? number : null;
  if (schema.type === "boolean")
    return [gettext("yes"), "yes"].includes(typed) ? true : [gettext("no"), "no"].includes(typed) ? false : null;
  return null;
}

/** The empty value of a kind. */
export function makeEmptyValue(schema: Schema): Json {
  if (schema.enum) return schema.enum[0] ?? "";
  if (schema.type === "array") return [];
  if (schema.type === "boolean") return false;
  return schema.type === "number" || schema.type === "integer" ? 0 : "";
}

const SHOWN = 32; // most characters of a value in the table

/** A value of the sample in a few words. */
export function describeValue(value: Json | undefined, missing?: Json): string {
  if (value === undefined)
    return missing === undefined
      ? gettext("no value")
      : gettext("{value} (if missing)", { value: describeValue(missing) });
  if (Array.isArray(value)) return ngettext("{count} item", "{count} items", value.length);
  if (value !== null && typeof value === "object")
    return Object.values(value)
      .map((value) => describeValue(value))
      .join(", ");
  if (typeof value === "boolean") return value ? gettext("yes") : gettext("no");
  const text = String(value);
  return text === ""
    ? gettext("empty")
    : text.length > SHOWN
      ? ngettext("{count} character", "{count} characters", text.length)
      : text;
}

/** Describes a schema that has no kind in the table. */
export function describeSchema(schema: Schema): string {
  if (schema.properties) return gettext("Group: {names}", { names: Object.keys(schema.properties).join(", ") });
  if (schema.type === "array") return gettext("List");
  return typeof schema.type === "string" ? schema.type : gettext("Anything");
}
