// Maps columns of a CSV file to columns of the grid, and creates the rows.
import { gettext, ngettext } from "../language.ts";
import { findProblem, readCell } from "./cells.ts";
import type { DelimitedRow } from "./delimited.ts";
import { EqualTexts } from "./equal_texts.ts";
import { fillCells, type GivenValues, replaceText } from "./given_values.ts";
import { isObjectSource, joinObject, splitObject } from "./json_source.ts";
import { makeColumn, makeRow } from "./rows.ts";
import type { Cell, Column, Grid, GridRow, Section } from "./types.ts";

/** The key that each column of the file fills: `id`, `tags`, `inputs.question`, `inputs.customer.name`; "" skips it. */
export type Mapping = readonly string[];

/** What to do with a row whose name is already in the grid. */
export type SameName = "update" | "skip";

/** One parsed row of the file: its result, or why it can't be added. */
export interface ImportedRow {
  line: number;
  texts: readonly string[];
  row: GridRow;
  outcome: "new" | "update" | "skip" | "alike" | "error";
  problem: string;
  /** The name of the duplicated row, if the outcome is `alike`. */
  alike: string;
  /** Replacements by index in `texts`; empty if there are none. */
  replaced: ReadonlyMap<number, string>;
}

/** How the rows of a file are parsed. */
export interface ImportRules {
  sameName: SameName;
  /** Whether duplicates of an earlier row are skipped. */
  skipsAlike: boolean;
  given: GivenValues;
}

const simplifyName = (name: string): string => name.toLowerCase().replace(/[^\p{L}\p{N}.]/gu, "");

/** The most likely key for a column: the same name, else a new input; `customer.name` is the field `name` of
 * `customer`. */
export function guessTarget(header: string, columns: readonly Column[]): string {
  const name = simplifyName(header);
  if (["id", "row", "rowname"].includes(name)) return "id";
  if (name === "expected") return "expected.answer";
  if (["tags", "tag", "labels"].includes(name) && !columns.some((one) => one.key === `inputs.${header.trim()}`))
    return "tags";
  const same = columns.find((column) => [simplifyName(column.name), simplifyName(column.key)].includes(name));
  if (same) return same.key;
  const [head = "", ...rest] = header.trim().split(".");
  if (head === "expected" && rest.length) return `expected.${rest.join(".")}`;
  return header.trim() ? `inputs.${header.trim()}` : "";
}

/**
 * The most likely key of each column: by its name, else the column of the grid that contains at least half of its
 * values. A column that matches nothing isn't imported, unless `takesNew`: then it becomes an input of its name.
 */
export function guessMapping(
  headers: readonly string[],
  grid: Grid,
  rows: readonly DelimitedRow[] = [],
  takesNew = false,
): string[] {
  const usedNames = new Set<string>();
  const targets = headers.map((header) => {
    const target = guessTarget(header, grid.columns);
    if (usedNames.has(target)) return "";
    usedNames.add(target);
    return target;
  });
  const knownKeys = new Set(["id", "tags", "expected.answer", ...grid.columns.map((column) => column.key)]);
  const objects = grid.columns.filter((column) => column.kind === "json");
  return targets.map((target, index) => {
    const isField = objects.some((column) => target.startsWith(`${column.key}.`));
    if (!target || knownKeys.has(target) || isField) return target;
    const texts = rows.flatMap(({ cells }) => cells[index]?.trim() || []);
    const alike = grid.columns.find((column) => !usedNames.has(column.key) && fitsHalf(texts, column, grid));
    if (!alike) return takesNew || target.startsWith("expected.") ? target : "";
    usedNames.add(alike.key);
    return alike.key;
  });
}

/** Whether the first pasted row contains column names: one of the grid's, or in an empty dataset distinct texts. */
export function hasColumnNames(cells: readonly string[], grid: Grid, takesNew: boolean): boolean {
  const columnNames = new Set(grid.columns.map((column) => simplifyName(column.name)));
  if (cells.some((cell) => columnNames.has(simplifyName(cell)))) return true;
  return takesNew && new Set(cells).size === cells.length && cells.every((cell) => /^\s*\p{L}[^\n]{0,40}$/u.test(cell));
}

function fitsHalf(texts: readonly string[], column: Column, grid: Grid): boolean {
  if (column.section === "tags" || !texts.length) return false;
  const values = new Set(grid.rows.map((row) => readText(row.cells[column.key])));
  return texts.filter((text) => values.has(text)).length * 2 >= texts.length;
}

/** The text of a cell; strings without their quotes. */
function readText(cell: Cell | undefined): string | null {
  if (!cell) return null;
  if (!("source" in cell)) return cell.text;
  const value: unknown = JSON.parse(cell.source);
  return typeof value === "string" ? value.trim() : cell.source;
}

/** A target of the mapping: the column, and the name inside its object, if it is a field of one. */
interface Target {
  column: Column;
  field: string;
}

function findTarget(key: string, columns: readonly Column[]): Target | null {
  if (!key) return null;
  const column = columns.find((one) => one.key === key);
  if (column) return { column, field: "" };
  const outer = columns.find((one) => one.kind === "json" && key.startsWith(`${one.key}.`));
  if (outer) return { column: outer, field: key.slice(outer.key.length + 1) };
  const dot = key.indexOf(".");
  const section = key.slice(0, dot) as Section;
  const [head = "", ...rest] = key.slice(dot + 1).split(".");
  if (!rest.length || section === "expected") return { column: makeColumn(section, key.slice(dot + 1)), field: "" };
  return { column: makeColumn(section, head, { kind: "json" }), field: rest.join(".") };
}

/** The columns that the mapping adds to the grid. */
export function newColumns(mapping: Mapping, grid: Grid): Column[] {
  const targets = mapping.flatMap((key) => findTarget(key, grid.columns) ?? []);
  const columnKeys = new Set(grid.columns.map((column) => column.key));
  const fresh = targets.filter(({ column }) => !columnKeys.has(column.key)).map(({ column }) => column);
  return [...new Map(fresh.map((column) => [column.key, column])).values()];
}

/** Parses the rows of the file by the mapping; the grid isn't changed. */
export function readImport(
  rows: readonly DelimitedRow[],
  mapping: Mapping,
  grid: Grid,
  rules: ImportRules,
): ImportedRow[] {
  const targets = mapping.map((key) => findTarget(key, grid.columns));
  const rowNames = new Set(grid.rows.map(readRowName).filter(Boolean));
  const lines = new Map<string, number>();
  const filled = targets.flatMap((target) => (target && !target.field ? target.column : []));
  const constant = fillCells(listUnfilled(mapping, grid), rules.given);
  const compared = [...filled, ...grid.columns.filter((column) => column.key in constant.cells)];
  const texts = rules.skipsAlike ? new EqualTexts(compared, grid.rows, readRowName) : null;
  return rows.map(({ cells: values, line }): ImportedRow => {
    const { cells, problem: unread, replaced } = readCells(values, targets, rules.given);
    const name = readRowName(makeRow(cells));
    // An updated row keeps the values that the file doesn't contain.
    const row = makeRow(rowNames.has(name) ? cells : { ...constant.cells, ...cells });
    const earlier = name ? lines.get(name) : undefined;
    if (name) lines.set(name, earlier ?? line);
    const wrongWidth =
      values.length === mapping.length
        ? ""
        : ngettext(
            "{count} cell, the first line has {columns}.",
            "{count} cells, the first line has {columns}.",
            values.length,
            {
              columns: mapping.length,
            },
          );
    const repeated = earlier === undefined ? "" : gettext("Line {line} already has this name.", { line: earlier });
    const empty = Object.keys(cells).length ? "" : gettext("No value of this line is imported.");
    const problem = wrongWidth || unread || repeated || empty || constant.problem;
    const imported = { line, texts: values, row, problem, alike: "", replaced };
    if (problem) return { ...imported, outcome: "error" };
    if (name && rowNames.has(name)) return { ...imported, outcome: rules.sameName };
    const alike = texts?.find(row, name || gettext("line {line}", { line })) ?? "";
    return { ...imported, alike, outcome: alike ? "alike" : "new" };
  });
}

/** The input columns of the grid that no column of the file fills. */
export function listUnfilled(mapping: Mapping, grid: Grid): Column[] {
  const filled = new Set(mapping.map((key) => findTarget(key, grid.columns)?.column.key));
  return grid.columns.filter((column) => column.section === "inputs" && !filled.has(column.key));
}

/** Texts of the file that aren't a choice of their column, with the number of rows, most frequent first. */
export function listMisfits(
  rows: readonly DelimitedRow[],
  mapping: Mapping,
  grid: Grid,
): { column: Column; texts: [string, number][] }[] {
  return mapping.flatMap((key, index) => {
    const target = findTarget(key, grid.columns);
    if (!target?.column.choices || target.field) return [];
    const { column } = target;
    const counts = new Map<string, number>();
    for (const { cells } of rows) {
      const text = cells[index] ?? "";
      if (findProblem(readCell(text, column.kind), column)) counts.set(text, (counts.get(text) ?? 0) + 1);
    }
    return counts.size ? [{ column, texts: [...counts].sort(([, one], [, other]) => other - one) }] : [];
  });
}

function readCells(texts: readonly string[], targets: readonly (Target | null)[], given: GivenValues) {
  const cells: Record<string, Cell> = {};
  const replaced = new Map<number, string>();
  const fields = new Map<string, [string, string][]>();
  let problem = "";
  texts.forEach((text, index) => {
    const target = targets[index];
    if (!target) return;
    const { column, field } = target;
    const cell = field ? readField(text) : readCell(text, column.kind);
    if (!cell) return;
    const misfit = findProblem(cell, column);
    const choice = misfit && !field ? replaceText(given, column, text) : undefined;
    if (choice !== undefined) {
      replaced.set(index, choice);
      if (choice) cells[column.key] = { source: JSON.stringify(choice) }; // an empty choice leaves the cell out
    } else if (misfit) problem ||= `${column.name}: ${misfit}`;
    else if (field && "source" in cell)
      fields.set(column.key, [...(fields.get(column.key) ?? []), [field, cell.source]]);
    else cells[column.key] = cell;
  });
  for (const [key, entries] of fields) cells[key] = { source: nestEntries(entries) };
  return { cells, problem, replaced };
}

/** The value of a field inside an object: JSON for a list or an object, else a text. */
function readField(text: string): Cell | undefined {
  const cell = /^\s*[[{]/.test(text) ? readCell(text, "json") : undefined;
  return cell && "source" in cell ? cell : readCell(text, "text");
}

/** Converts entries by dotted name to nested objects. */
function nestEntries(entries: readonly [string, string][]): string {
  const groups = new Map<string, [string, string][]>();
  for (const [name, source] of entries) {
    const [head = "", ...rest] = name.split(".");
    groups.set(head, [...(groups.get(head) ?? []), [rest.join("."), source]]);
  }
  return joinObject(
    [...groups].map(([head, inner]) => {
      const plain = inner.find(([name]) => !name);
      return [head, plain ? plain[1] : nestEntries(inner)];
    }),
  );
}

function readRowName(row: GridRow): string {
  const cell = row.cells.id;
  return cell && "source" in cell ? (JSON.parse(cell.source) as string) : "";
}

/** Adds the imported rows to the grid: new ones at the end, cells of known names are overwritten. */
export function applyImport(grid: Grid, mapping: Mapping, imported: readonly ImportedRow[]): Grid {
  const columns = [...grid.columns];
  for (const column of newColumns(mapping, grid)) {
    const before = column.section === "expected" ? ["id", "inputs", "expected"] : ["id", "inputs"];
    columns.splice(columns.findLastIndex((one) => before.includes(one.section)) + 1, 0, column);
  }
  const updates = new Map<string, GridRow>();
  for (const one of imported) if (one.outcome === "update") updates.set(readRowName(one.row), one.row);
  const rows = grid.rows.map((row) => {
    const update = updates.get(readRowName(row));
    return update ? { ...row, cells: mergeCells(row.cells, update.cells) } : row;
  });
  const added = imported.filter((one) => one.outcome === "new").map((one) => one.row);
  return { columns, rows: [...rows, ...added] };
}

/** Merges the file's cells into a row; of an object only the fields that the file contains. */
function mergeCells(cells: GridRow["cells"], update: GridRow["cells"]): Record<string, Cell> {
  const merged: Record<string, Cell> = { ...cells };
  for (const [key, cell] of Object.entries(update)) {
    const before = cells[key];
    const areObjects =
      before && "source" in before && "source" in cell && isObjectSource(before.source) && isObjectSource(cell.source);
    merged[key] = areObjects
      ? { source: joinObject([...new Map([...splitObject(before.source), ...splitObject(cell.source)])]) }
      : cell;
  }
  return merged;
}
