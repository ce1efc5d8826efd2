// Values that a person gives for all rows of a CSV file: in place of texts that are no choice of their column, and for
// columns that the file lacks.
import { gettext } from "../language.ts";
import { findProblem, readCell } from "./cells.ts";
import type { Cell, Column } from "./types.ts";

/** By key of a column. */
export interface GivenValues {
  /** What a text that is no choice becomes: one of the choices, or nothing, which leaves the value out. */
  replacements: Map<string, Map<string, string>>;
  /** The text that each row gets in a column that the file lacks. */
  constants: Map<string, string>;
  /** The keys of columns whose list or group is typed as JSON. */
  typedAsJson: Set<string>;
}

export const noValues = (): GivenValues => ({ replacements: new Map(), constants: new Map(), typedAsJson: new Set() });

/** What is imported in place of a text; undefined if nobody said. */
export function replaceText(given: GivenValues, column: Column, text: string): string | undefined {
  return given.replacements.get(column.key)?.get(text);
}

/** Sets what these texts become; undefined: they stay errors. */
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

/** The cells that all rows get, and what is wrong with the first wrong one. */
export function fillCells(
  columns: readonly Column[],
  given: GivenValues,
): { cells: Record<string, Cell>; problem: string } {
  const cells: Record<string, Cell> = {};
  let problem = "";
  for (const column of columns) {
    const cell = readCell(given.constants.get(column.key) ?? "", column.kind);
    const wrong = findProblem(cell, column);
    if (wrong) problem ||= gettext("{column}: {problem}", { column: column.name, problem: wrong });
    else if (cell) cells[column.key] = cell;
  }
  return { cells, problem };
}
