// The faults of the rows: invalid cells, duplicate names, and what the server refused.
import { capitalize, gettext } from "../language.ts";
import { findProblem } from "./cells.ts";
import type { Column, Fault, Grid, GridRow } from "./types.ts";

/** A server fault, bound to the submitted row: it is hidden once the row is edited. */
export interface ServerFault {
  row: GridRow;
  column: string;
  message: string;
}

/** All faults of the grid, by row key. */
export function listFaults(grid: Grid, refused: readonly ServerFault[]): Map<number, Fault[]> {
  const faults = new Map<number, Fault[]>();
  const add = (row: GridRow, column: string, message: string): void => {
    faults.set(row.key, [...(faults.get(row.key) ?? []), { row: row.key, column, message }]);
  };
  const rowNumbers = new Map<string, number>();
  grid.rows.forEach((row, index) => {
    for (const column of grid.columns) {
      const problem = findCellProblem(row, column);
      if (problem) add(row, column.key, problem);
    }
    const name = row.cells.id && "source" in row.cells.id ? row.cells.id.source : "";
    const earlier = name ? rowNumbers.get(name) : undefined;
    if (earlier !== undefined) add(row, "id", gettext("Row {number} has this name already.", { number: earlier }));
    else if (name) rowNumbers.set(name, index + 1);
  });
  const rows = new Set(grid.rows);
  for (const fault of refused) if (rows.has(fault.row)) add(fault.row, fault.column, fault.message);
  return faults;
}

function findCellProblem(row: GridRow, column: Column): string {
  const cell = row.cells[column.key];
  return cell && (column.choices || "problem" in cell) ? findProblem(cell, column) : "";
}

const FIELD_PATH = /^row (\d+)(?: \(.*\))?\.(id|inputs|expected|tags)(?:\.([^.[]+))?/;

/** Assigns the server's messages ("row 3 (late).inputs.order_id") to the submitted rows; the others are returned. */
export function placeFaults(fields: Record<string, string>, sent: Grid): { placed: ServerFault[]; others: string[] } {
  const placed: ServerFault[] = [];
  const others: string[] = [];
  for (const [field, sentence] of Object.entries(fields)) {
    const match = FIELD_PATH.exec(field);
    const row = match ? sent.rows[Number(match[1]) - 1] : undefined;
    const message = capitalize(sentence);
    if (!match || !row) {
      others.push(field === "text" || field === "file" ? message : `${field}: ${sentence}`);
      continue;
    }
    const [, , section = "", name = ""] = match;
    const column = sent.columns.find(
      (one) => one.section === section && (one.name === name || section === "id" || section === "tags"),
    );
    // The line of a fault begins with the name of its column.
    const start = column ? `\`${column.name}\` ` : "";
    const text = start && sentence.startsWith(start) ? sentence.slice(start.length) : message;
    placed.push({ row, column: column?.key ?? "", message: column || !name ? text : `${name}: ${message}` });
  }
  return { placed, others };
}
