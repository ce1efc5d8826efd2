// Edits of a grid: each returns a new grid and shares the rows it doesn't change.
import { gettext } from "../language.ts";
import { convertCell, readCell } from "./cells.ts";
import { makeColumn, makeKey, makeRow } from "./rows.ts";
import { changeTags } from "./tags.ts";
import type { Cell, Column, Grid, GridRow, Kind, Section } from "./types.ts";

/** A cell to set; without a cell the value is removed. */
export interface CellEdit {
  row: number;
  column: string;
  cell: Cell | undefined;
}

export function setCells(grid: Grid, edits: readonly CellEdit[]): Grid {
  const byRow = new Map<number, CellEdit[]>();
  for (const edit of edits) byRow.set(edit.row, [...(byRow.get(edit.row) ?? []), edit]);
  return { ...grid, rows: grid.rows.map((row) => changeRow(row, byRow.get(row.key) ?? [])) };
}

function changeRow(row: GridRow, edits: readonly CellEdit[]): GridRow {
  if (!edits.length) return row;
  const cells = { ...row.cells };
  for (const { column, cell } of edits) {
    if (cell) cells[column] = cell;
    else delete cells[column];
  }
  return { ...row, cells };
}

export function insertRows(grid: Grid, at: number, rows: readonly GridRow[]): Grid {
  return { ...grid, rows: [...grid.rows.slice(0, at), ...rows, ...grid.rows.slice(at)] };
}

export function removeRows(grid: Grid, keys: ReadonlySet<number>): Grid {
  return { ...grid, rows: grid.rows.filter((row) => !keys.has(row.key)) };
}

/** Adds these tags to the rows, or removes them. */
export function tagRows(grid: Grid, keys: ReadonlySet<number>, tags: readonly string[], isAdded: boolean): Grid {
  const cells = grid.rows
    .filter((row) => keys.has(row.key))
    .map((row) => {
      const text = changeTags(row, tags, isAdded).join(", ");
      return { row: row.key, column: "tags", cell: text ? { source: JSON.stringify(text) } : undefined };
    });
  return setCells(grid, cells);
}

/** Duplicates each row, right after it; names are unique, so the copy's gets a number. */
export function duplicateRows(grid: Grid, keys: ReadonlySet<number>): Grid {
  const names = new Set(grid.rows.map((row) => nameSource(row)));
  const rows = grid.rows.flatMap((row) => {
    if (!keys.has(row.key)) return [row];
    const copy: GridRow = { ...row, key: makeKey() };
    const source = nameSource(row);
    if (!source) return [row, copy];
    const fresh = findFreeName(JSON.parse(source) as string, names);
    names.add(fresh);
    return [row, { ...copy, cells: { ...row.cells, id: { source: fresh } } }];
  });
  return { ...grid, rows };
}

/** The name as JSON, with the first number that is unused in the grid. */
export const numberName = (name: string, grid: Grid): string =>
  findFreeName(name, new Set(grid.rows.map((row) => nameSource(row))));

function findFreeName(name: string, sources: ReadonlySet<string>): string {
  let number = 2;
  while (sources.has(JSON.stringify(`${name}-${number}`))) number += 1;
  return JSON.stringify(`${name}-${number}`);
}

function nameSource(row: GridRow): string {
  const cell = row.cells.id;
  return cell && "source" in cell ? cell.source : "";
}

/** An error if a column can't have this name, else empty. */
export function findNameProblem(grid: Grid, section: Section, name: string, own = ""): string {
  if (!name.trim()) return gettext("A column needs a name.");
  const key = `${section}.${name.trim()}`;
  return key !== own && grid.columns.some((column) => column.key === key)
    ? gettext("There is a column {name} already.", { name })
    : "";
}

/** Adds a column after the last of its section. */
export function addColumn(grid: Grid, section: Section, name: string, kind: Kind): Grid {
  return placeColumn(grid, makeColumn(section, name.trim(), { kind }));
}

function placeColumn(grid: Grid, column: Column): Grid {
  const last = grid.columns.findLastIndex((one) => one.section === column.section);
  const inputs = grid.columns.findLastIndex((one) => one.section === "id" || one.section === "inputs");
  const at = (last < 0 ? inputs : last) + 1;
  return { ...grid, columns: [...grid.columns.slice(0, at), column, ...grid.columns.slice(at)] };
}

export function removeColumn(grid: Grid, key: string): Grid {
  const rows = grid.rows.map((row) =>
    changeRow(row, row.cells[key] ? [{ row: row.key, column: key, cell: undefined }] : []),
  );
  return { columns: grid.columns.filter((column) => column.key !== key), rows };
}

export function renameColumn(grid: Grid, key: string, name: string): Grid {
  const oldColumn = grid.columns.find((column) => column.key === key);
  if (!oldColumn || oldColumn.name === name.trim()) return grid;
  const column = makeColumn(oldColumn.section, name.trim(), { kind: oldColumn.kind });
  const rows = grid.rows.map((row) => moveCell(row, key, column.key));
  return { columns: grid.columns.map((one) => (one.key === key ? column : one)), rows };
}

function moveCell(row: GridRow, from: string, to: string): GridRow {
  const cell = row.cells[from];
  if (!cell) return row;
  const { [from]: _, ...others } = row.cells;
  return { ...row, cells: { ...others, [to]: cell } };
}

/** Duplicates the column with its values; the copy's name gets a number. */
export function duplicateColumn(grid: Grid, key: string): Grid {
  const oldColumn = grid.columns.find((column) => column.key === key);
  if (!oldColumn || oldColumn.section === "id" || oldColumn.section === "tags") return grid;
  let number = 2;
  while (findNameProblem(grid, oldColumn.section, `${oldColumn.name}_${number}`)) number += 1;
  const column = makeColumn(oldColumn.section, `${oldColumn.name}_${number}`, { kind: oldColumn.kind });
  const rows = grid.rows.map((row) => {
    const cell = row.cells[key];
    return cell ? { ...row, cells: { ...row.cells, [column.key]: cell } } : row;
  });
  return placeColumn({ ...grid, rows }, column);
}

/** Converts the column's values to another kind; those that can't be converted stay as text with an error. */
export function changeKind(grid: Grid, key: string, kind: Kind): Grid {
  const oldColumn = grid.columns.find((column) => column.key === key);
  if (!oldColumn || oldColumn.kind === kind) return grid;
  const rows = grid.rows.map((row) => {
    const cell = row.cells[key];
    return cell ? changeRow(row, [{ row: row.key, column: key, cell: convertCell(cell, oldColumn.kind, kind) }]) : row;
  });
  return { columns: grid.columns.map((column) => (column.key === key ? { ...column, kind } : column)), rows };
}

/** Overwrites cells with a table of texts from a place on; missing rows are added at the end. `visible` are the keys of
 * the visible rows in order, and `columns` the visible columns: hidden cells aren't overwritten. */
export function pasteTable(
  grid: Grid,
  visible: readonly number[],
  at: { row: number; column: string },
  table: readonly (readonly string[])[],
  columns: readonly Column[] = grid.columns,
): Grid {
  const firstRow = visible.indexOf(at.row);
  const firstColumn = columns.findIndex((column) => column.key === at.column);
  if (firstColumn < 0) return grid;
  const lacking = Math.max(0, Math.max(0, firstRow) + table.length - visible.length);
  const added = Array.from({ length: lacking }, () => makeRow());
  const keys = [...visible, ...added.map((row) => row.key)].slice(firstRow < 0 ? visible.length : firstRow);
  const edits = table.flatMap((texts, line) =>
    texts.flatMap((text, offset) => {
      const column = columns[firstColumn + offset];
      const row = keys[line];
      return column && row !== undefined ? [{ row, column: column.key, cell: readCell(text, column.kind) }] : [];
    }),
  );
  return setCells(insertRows(grid, grid.rows.length, added), edits);
}
