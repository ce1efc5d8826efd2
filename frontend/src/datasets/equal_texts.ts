// Detects rows of a file that duplicate another row, ignoring case, spaces and punctuation.
import type { Cell, Column, GridRow } from "./types.ts";

/**
 * The names of rows by their inputs: looks a row up and adds it. Compares the input columns that the file fills: texts
 * without case, spaces and punctuation, other values exactly.
 */
export class EqualTexts {
  readonly #columns: readonly Column[];
  readonly #names = new Map<string, string>();

  constructor(columns: readonly Column[], rows: readonly GridRow[], nameOf: (row: GridRow) => string) {
    this.#columns = columns.filter((column) => column.section === "inputs");
    rows.forEach((row, index) => {
      this.find(row, nameOf(row) || String(index + 1));
    });
  }

  /** The name of an earlier row with the same inputs; otherwise adds the row with its own name. */
  find(row: GridRow, name: string): string | undefined {
    const key = this.#describe(row);
    const earlier = key ? this.#names.get(key) : undefined;
    if (key && earlier === undefined) this.#names.set(key, name);
    return earlier;
  }

  /** The inputs as one string; empty if none of them is a text with a letter or digit. */
  #describe(row: GridRow): string {
    let hasText = false;
    const values = this.#columns.map((column) => {
      const value = readValue(row.cells[column.key]);
      if (typeof value !== "string") return JSON.stringify(value ?? null);
      const words =
        value
          .normalize("NFKC")
          .toLowerCase()
          .match(/[\p{L}\p{N}]+/gu) ?? [];
      hasText ||= words.length > 0;
      return words.length ? words.join(" ") : value;
    });
    return hasText ? values.join("\n") : "";
  }
}

function readValue(cell: Cell | undefined): unknown {
  if (!cell) return null;
  return "source" in cell ? JSON.parse(cell.source) : cell.text;
}
