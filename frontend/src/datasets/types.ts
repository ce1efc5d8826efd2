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
  /** The only texts it may hold, where the template lists them. */
  choices?: readonly string[];
  /** The page on which these choices can be changed, where the reader may change them. */
  choicesUrl?: string;
  /** The schema that the template declares for a list or a group. */
  schema?: Schema;
}

/** A value as the JSON it was read from, or a typed text that is no value of the column's kind. */
export type Cell = { source: string } | { text: string; problem: string };

export interface GridRow {
  key: number;
  /** By column key; a value that is left out has no entry. */
  cells: Readonly<Record<string, Cell>>;
  /** Whether the row said that it expects an empty object, which differs from expecting nothing. */
  expectsEmpty: boolean;
}

export interface Grid {
  columns: readonly Column[];
  rows: readonly GridRow[];
}

/** What is wrong with a cell; `column` is empty where it is the whole row. */
export interface Fault {
  row: number;
  column: string;
  message: string;
}

/** An input of the template, as the server describes it. */
export interface DeclaredInput {
  name: string;
  kind: Kind;
  choices?: string[];
  choicesUrl?: string;
  schema?: Schema;
}
