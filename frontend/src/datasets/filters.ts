// Filters of the grid's rows.
import { readCellText } from "./cells.ts";
import { readRowTags } from "./tags.ts";
import type { Fault, Grid, GridRow } from "./types.ts";

export type Show = "all" | "changed" | "faults";

export interface Filter {
  show: Show;
  /** Words that the row's cells contain, in any order; `tag:sale` or `tag:"gift card"` requires a tag. */
  query: string;
  /** The key of the only column to search; empty for all. */
  column: string;
  /** Required values by column key: a tag, or the text of a choice. */
  picks: Readonly<Record<string, string>>;
}

export const NO_FILTER: Filter = { show: "all", query: "", column: "", picks: {} };

export interface Baseline {
  rows: ReadonlyMap<number, GridRow>;
  columns: Grid["columns"];
}

/** The rows of the last saved version. */
export const makeBaseline = (grid: Grid): Baseline => ({
  rows: new Map(grid.rows.map((row) => [row.key, row])),
  columns: grid.columns,
});

/** "new", "edited", or empty if the row is unchanged. */
export function describeChange(row: GridRow, baseline: Baseline): "" | "new" | "edited" {
  const before = baseline.rows.get(row.key);
  if (!before) return "new";
  return before === row || haveSameCells(before, row) ? "" : "edited";
}

function haveSameCells(one: GridRow, other: GridRow): boolean {
  const keys = Object.keys(one.cells);
  if (keys.length !== Object.keys(other.cells).length) return false;
  return keys.every((key) => isSameCell(one, other, key));
}

export function isSameCell(one: GridRow | undefined, other: GridRow, key: string): boolean {
  const [left, right] = [one?.cells[key], other.cells[key]];
  if (left === right) return true;
  return Boolean(left && right && "source" in left && "source" in right && left.source === right.source);
}

const SEARCH_PART = /(?:^|\s)tag:(?:"([^"]*)"|(\S+))|(\S+)/gi;

/** The words and tags of a search, in lower case. */
function readSearch(text: string): { words: string[]; tags: string[] } {
  const [words, tags]: [string[], string[]] = [[], []];
  for (const [, quoted, tag, word] of text.toLowerCase().matchAll(SEARCH_PART)) {
    if (word !== undefined) words.push(word);
    else tags.push((quoted ?? tag ?? "").trim().replace(/\s+/g, " "));
  }
  return { words, tags };
}

const holdsPick = (row: GridRow, key: string, value: string): boolean =>
  key === "tags" ? readRowTags(row).includes(value) : readCellText(row.cells[key], "text") === value;

/** The rows that match the filter, in order. */
export function filterRows(
  grid: Grid,
  filter: Filter,
  baseline: Baseline,
  faults: ReadonlyMap<number, readonly Fault[]>,
): readonly GridRow[] {
  const { words, tags } = readSearch(filter.query);
  const picks = Object.entries(filter.picks);
  if (filter.show === "all" && !words.length && !tags.length && !picks.length) return grid.rows;
  const columns = grid.columns.filter((column) => !filter.column || column.key === filter.column);
  return grid.rows.filter((row) => {
    if (filter.show === "changed" && !describeChange(row, baseline)) return false;
    if (filter.show === "faults" && !faults.has(row.key)) return false;
    if (!picks.every(([key, value]) => holdsPick(row, key, value))) return false;
    if (tags.length) {
      const present = readRowTags(row).map((tag) => tag.toLowerCase());
      if (!tags.every((tag) => present.includes(tag))) return false;
    }
    if (!words.length) return true;
    const text = columns
      .map((column) => readCellText(row.cells[column.key], column.kind))
      .join("\n")
      .toLowerCase();
    return words.every((word) => text.includes(word));
  });
}

/** How many rows were added, edited and removed since the saved version. */
export function countChanges(grid: Grid, baseline: Baseline): { added: number; edited: number; removed: number } {
  let [added, edited, kept] = [0, 0, 0];
  for (const row of grid.rows) {
    const change = describeChange(row, baseline);
    if (change === "new") added += 1;
    else kept += 1;
    if (change === "edited") edited += 1;
  }
  return { added, edited, removed: baseline.rows.size - kept };
}

/** Whether the rows or their order differ from the saved ones. */
export function haveRowsChanged({ rows }: Grid, baseline: Baseline): boolean {
  const saved = [...baseline.rows.values()];
  return rows.length !== saved.length || rows.some((row, index) => row !== saved[index]);
}
