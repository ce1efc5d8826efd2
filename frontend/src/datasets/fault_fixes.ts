// One-click fixes of a fault: the values offered in the row's fault line.
import { gettext } from "../language.ts";
import { readCell, readCellText } from "./cells.ts";
import * as edits from "./edits.ts";
import type { Cell, Column, Fault, Grid, GridRow } from "./types.ts";

export interface Fix {
  text: string;
  /** The fixed cell; undefined removes the value. */
  makeCell: (grid: Grid) => Cell | undefined;
}

interface FixView {
  readonly grid: Grid;
  readonly faults: ReadonlyMap<number, readonly Fault[]>;
  apply(grid: Grid, description: string): void;
}

const NEAREST = 2; // choices that are offered
const NUMBER = /-?\d+(?:[.,]\d+)?/;

/** The fixes of a fault, most likely first; empty if its column has no value to change. */
export function listFixes(row: GridRow, column: Column | undefined): Fix[] {
  const cell = column ? row.cells[column.key] : undefined;
  if (!column || !cell) return [];
  if (column.section === "id") {
    const makeCell = (grid: Grid): Cell => ({ source: edits.numberName(readCellText(cell, "text"), grid) });
    return [{ text: gettext("Add a number to the name"), makeCell }];
  }
  if (column.section === "tags") return [];
  return [...listValues(cell, column), { text: gettext("Leave out"), makeCell: () => undefined }];
}

function listValues(cell: Cell, column: Column): Fix[] {
  const text = readCellText(cell, column.kind);
  if (column.choices)
    return findNearestChoices(text, column.choices).map((choice) =>
      makeFix(choice, { source: JSON.stringify(choice) }),
    );
  if (!("problem" in cell)) return [];
  if (column.kind === "json")
    return [{ text: gettext("Use it as text"), makeCell: () => ({ source: JSON.stringify(text) }) }];
  const number = column.kind === "number" ? NUMBER.exec(text)?.[0].replace(",", ".") : undefined;
  const read = number ? readCell(number, "number") : undefined;
  return number && read && "source" in read ? [makeFix(number, read)] : [];
}

const makeFix = (value: string, cell: Cell): Fix => ({
  text: gettext("Use {value}", { value }),
  makeCell: () => cell,
});

function findNearestChoices(text: string, choices: readonly string[]): string[] {
  const word = text.trim().toLowerCase();
  const distances = new Map(choices.map((choice) => [choice, measureDistance(word, choice.toLowerCase())]));
  return [...choices].sort((one, other) => (distances.get(one) ?? 0) - (distances.get(other) ?? 0)).slice(0, NEAREST);
}

/** The edit distance (Levenshtein) of two words. */
function measureDistance(one: string, other: string): number {
  let line = Array.from({ length: other.length + 1 }, (_, index) => index);
  [...one.slice(0, 80)].forEach((letter, index) => {
    const next = [index + 1];
    for (let at = 1; at <= other.length; at += 1) {
      const replaced = (line[at - 1] ?? 0) + (letter === other[at - 1] ? 0 : 1);
      next.push(Math.min(replaced, (line[at] ?? 0) + 1, (next[at - 1] ?? 0) + 1));
    }
    line = next;
  });
  return line.at(-1) ?? 0;
}

/** Applies the button's fix of a row's first fault, as one undoable step. */
export function fixFault(view: FixView, button: HTMLElement): void {
  const key = Number(button.closest<HTMLElement>("[data-row]")?.dataset.row);
  const row = view.grid.rows.find((one) => one.key === key);
  const column = view.grid.columns.find((one) => one.key === view.faults.get(key)?.[0]?.column);
  const fix = row ? listFixes(row, column)[Number(button.dataset.fix)] : undefined;
  if (!row || !column || !fix) return;
  const edit = { row: key, column: column.key, cell: fix.makeCell(view.grid) };
  view.apply(edits.setCells(view.grid, [edit]), gettext("fix"));
}
