// Values that a user enters for all rows of a CSV file: replacements for texts that aren't a choice of their column,
// and constants for columns that the file lacks.
import { gettext } from "../language.ts";
import { findProblem, readCell } from "./cells.ts";
import type { Cell, Column } from "./types.ts";

/** By column key. */
export interface GivenValues {
  /** The replacement of a text that isn't a choice: one of the choices, or empty for no value. */
  replacements: Map<string, Map<string, string>>;
  /** The text for each row in a column that the file lacks. */
  constants: Map<string, string>;
  /** The keys of columns whose list or group is typed as JSON. */
  typedAsJson: Set<string>;
}

export const makeGivenValues = (): GivenValues => ({
  replacements: new Map(),
  constants: new Map(),
  typedAsJson: new Set(),
});

/** The replacement of a text; undefined if there isn't one. */
export function replaceText(given: GivenValues, column: Column, text: string): string | undefined {
  return given.replacements.get(column.key)?.get(text);
}

/** Sets the replacement of these texts; undefined: they stay errors. */
export function setReplacement(
  given: GivenValues,
  column: Column,
  texts: readonly string[],
  choice: string | undefined,
): void {
  const chosen = given.replacements.get(column.key) ?? new Map<string, string>();
  for (const text of texts)
    if (choice === undefined) chosen.delete(text);
    else chosen.set(text, choice);
  given.replacements.set(column.key, chosen);
}

/** The cells that all rows get, and the first error. */
export function fillCells(
  columns: readonly Column[],
  given: GivenValues,
): { cells: Record<string, Cell>; problem: string } {
  const cells: Record<string, Cell> = {};
  let problem = "";
  for (const column of columns) {
    const cell = readCell(given.constants.get(column.key) ?? "", column.kind);
    const misfit = findProblem(cell, column);
    if (misfit) problem ||= gettext("{column}: {problem}", { column: column.name, problem: misfit });
    else if (cell) cells[column.key] = cell;
  }
  return { cells, problem };
}
