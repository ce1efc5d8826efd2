// Types of the grid of a dataset.
import type { Schema } from "../editor/types.ts";

export type Kind = "text" | "number" | "boolean" | "json";
export type Section = "id" | "inputs" | "expected" | "tags";

export interface Column {
  /** `id`, `inputs.question`, `expected.answer`, `tags`. */
  key: string;
  section: Section;
  name: string;
  kind: Kind;
  /** The only texts it may contain, if the template lists them. */
  choices?: readonly string[];
  /** The page that can change these choices, if the reader may. */
  choicesUrl?: string;
  /** The schema that the template declares for a list or a group. */
  schema?: Schema;
}

/** A value as its JSON source, or typed text that isn't valid for the column's kind. */
export type Cell = { source: string } | { text: string; problem: string };

export interface GridRow {
  key: number;
  /** By column key; a missing value has no entry. */
  cells: Readonly<Record<string, Cell>>;
  /** Whether the row expects an empty object, which differs from expecting nothing. */
  expectsEmpty: boolean;
}

export interface Grid {
  columns: readonly Column[];
  rows: readonly GridRow[];
}

/** The problem of a cell; `column` is empty if it is the whole row. */
export interface Fault {
  row: number;
  column: string;
  message: string;
}

/** An input of the template, as described by the server. */
export interface DeclaredInput {
  name: string;
  kind: Kind;
  choices?: string[];
  choicesUrl?: string;
  schema?: Schema;
}
