// Rows as JSON lines, and in the grid's format.
import { gettext } from "../language.ts";
import { guessKind } from "./cells.ts";
import { isObjectSource, joinObject, splitObject } from "./json_source.ts";
import { joinTags, splitTags } from "./tags.ts";
import type { Cell, Column, DeclaredInput, Grid, GridRow, Section } from "./types.ts";

let nextKey = 1;

/** A key that is unique on this page. */
export const makeKey = (): number => nextKey++;

export const ID_COLUMN: Column = { key: "id", section: "id", name: gettext("Row"), kind: "text" };

/** The tags of a row as one comma-separated text, always the last column. */
export const TAGS_COLUMN: Column = { key: "tags", section: "tags", name: gettext("Tags"), kind: "text" };

export function makeColumn(section: Section, name: string, more: Partial<Column> = {}): Column {
  return { key: `${section}.${name}`, section, name, kind: "text", ...more };
}

export const makeRow = (cells: Record<string, Cell> = {}): GridRow => ({ key: makeKey(), cells, expectsEmpty: false });

/** Parses JSON lines into a grid; an error names the invalid line. `declared` inputs come first, with known kinds. */
export function parseRows(text: string, declared: readonly DeclaredInput[] = []): Grid {
  const rows: GridRow[] = [];
  const names: Record<"inputs" | "expected", Set<string>> = { inputs: new Set(), expected: new Set() };
  for (const one of declared) names.inputs.add(one.name);
  text.split("\n").forEach((line, index) => {
    if (line.trim()) rows.push(parseRow(line, index + 1, names));
  });
  const declaredByName = new Map(declared.map((one) => [one.name, one]));
  const columns = (["inputs", "expected"] as const).flatMap((section) =>
    [...names[section]].map((name) => {
      const input = section === "inputs" ? declaredByName.get(name) : undefined;
      const kind = input?.kind ?? guessColumnKind(rows, `${section}.${name}`);
      const { choices, choicesUrl, schema } = input ?? {};
      const facts = { ...(choices && { choices }), ...(choicesUrl && { choicesUrl }), ...(schema && { schema }) };
      return makeColumn(section, name, { kind, ...facts });
    }),
  );
  return { columns: [ID_COLUMN, ...columns, TAGS_COLUMN], rows };
}

function guessColumnKind(rows: readonly GridRow[], key: string): Column["kind"] {
  const sources: string[] = [];
  for (const row of rows) {
    const cell = row.cells[key];
    if (cell && "source" in cell) sources.push(cell.source);
  }
  return guessKind(sources);
}

function parseRow(line: string, number: number, names: Record<"inputs" | "expected", Set<string>>): GridRow {
  try {
    JSON.parse(line);
  } catch (error) {
    throw new Error(
      gettext("Line {number} is not valid JSON: {reason}", {
        number,
        reason: error instanceof Error ? error.message : "",
      }),
    );
  }
  const entry = line.trim();
  const parts = new Map(isObjectSource(entry) ? splitObject(entry) : []);
  const inputs = parts.get("inputs");
  if (inputs === undefined || !isObjectSource(inputs))
    throw new Error(gettext("Line {number}: a row has an object {name}.", { number, name: '"inputs"' }));
  const unknown = [...parts.keys()].find((name) => !["id", "inputs", "expected", "tags"].includes(name));
  if (unknown !== undefined)
    throw new Error(
      gettext("Line {number}: a row has no {name}, only id, inputs, expected and tags.", {
        number,
        name: `"${unknown}"`,
      }),
    );
  const cells: Record<string, Cell> = {};
  const id = parts.get("id") ?? '""';
  if (id !== '""') cells.id = { source: id.startsWith('"') ? id : JSON.stringify(id) };
  const tags = joinTags(parts.get("tags") ?? "[]");
  if (tags) cells.tags = { source: JSON.stringify(tags) };
  const expected = parts.get("expected") ?? "null";
  const answer: [string, string][] = expected === "null" ? [] : [["answer", expected]]; // a bare value is the answer
  addCells(cells, "inputs", splitObject(inputs), names.inputs);
  addCells(cells, "expected", isObjectSource(expected) ? splitObject(expected) : answer, names.expected);
  return { key: makeKey(), cells, expectsEmpty: /^\{\s*\}$/.test(expected) };
}

function addCells(
  cells: Record<string, Cell>,
  section: Section,
  entries: [string, string][],
  names: Set<string>,
): void {
  for (const [name, source] of entries) {
    names.add(name);
    cells[`${section}.${name}`] = { source };
  }
}

/** Formats the rows as JSON lines. A cell with a problem is written as its text: callers check for problems first. */
export function formatRows(grid: Grid): string {
  const columns = { inputs: [] as Column[], expected: [] as Column[] };
  for (const column of grid.columns)
    if (column.section === "inputs" || column.section === "expected") columns[column.section].push(column);
  return grid.rows.map((row) => `${formatRow(row, columns)}\n`).join("");
}

function formatRow(row: GridRow, columns: { inputs: Column[]; expected: Column[] }): string {
  const expected = listEntries(row, columns.expected);
  const entries: [string, string][] = [["inputs", joinObject(listEntries(row, columns.inputs))]];
  if (row.cells.id) entries.unshift(["id", writeSource(row.cells.id)]);
  if (expected.length || row.expectsEmpty) entries.push(["expected", joinObject(expected)]);
  const tags = row.cells.tags ? splitTags(JSON.parse(writeSource(row.cells.tags)) as string) : [];
  if (tags.length) entries.push(["tags", JSON.stringify(tags)]);
  return joinObject(entries);
}

function listEntries(row: GridRow, columns: readonly Column[]): [string, string][] {
  const entries: [string, string][] = [];
  for (const column of columns) {
    const cell = row.cells[column.key];
    if (cell) entries.push([column.name, writeSource(cell)]);
  }
  return entries;
}

const writeSource = (cell: Cell): string => ("source" in cell ? cell.source : JSON.stringify(cell.text));
