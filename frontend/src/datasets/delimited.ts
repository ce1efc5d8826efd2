// Tables as text: CSV files, and cells copied from a spreadsheet (tab-separated, with quotes around line breaks).
import { gettext } from "../language.ts";

export interface DelimitedRow {
  cells: string[];
  /** The 1-based line on which the row begins. */
  line: number;
}

/** A row that couldn't be parsed: where it begins, its text, and why. */
export interface DelimitedProblem {
  line: number;
  text: string;
  message: string;
}

export interface DelimitedTable {
  rows: DelimitedRow[];
  problems: DelimitedProblem[];
}

/** Parses a table. A quoted cell may contain the delimiter, line breaks and doubled quotes. Empty lines are skipped. */
export function parseDelimited(text: string, delimiter: string): DelimitedTable {
  const table = readTable(text, delimiter, false);
  return { ...table, rows: table.rows.filter(({ cells }) => cells.length > 1 || cells[0] !== "") };
}

/** Parses every line as a row. `isCopied`: spreadsheets quote only cells that need it, so an invalid quote is a literal
 * character. */
function readTable(text: string, delimiter: string, isCopied: boolean): DelimitedTable {
  const table: DelimitedTable = { rows: [], problems: [] };
  let at = text.startsWith("\ufeff") ? 1 : 0;
  let line = 1;
  while (at < text.length) {
    const row: DelimitedRow = { cells: [], line };
    const from = at;
    let problem = "";
    for (;;) {
      const cell = readDelimitedCell(text, at, delimiter);
      const isLiteral = isCopied && cell.problem !== "";
      const end = isLiteral ? findEndOfCell(text, at, delimiter) : cell.end;
      const value = isLiteral ? text.slice(at, end) : cell.value;
      if (!isLiteral) problem ||= cell.problem;
      line += value.split("\n").length - 1;
      row.cells.push(value);
      at = end;
      if (text[at] !== delimiter) break;
      at += 1;
    }
    if (text[at] === "\r") at += 1;
    if (text[at] === "\n") at += 1;
    line += 1;
    if (problem) table.problems.push({ line: row.line, text: text.slice(from, at).trimEnd(), message: problem });
    else table.rows.push(row);
  }
  return table;
}

function readDelimitedCell(
  text: string,
  from: number,
  delimiter: string,
): { value: string; end: number; problem: string } {
  if (text[from] !== '"') {
    const end = findEndOfCell(text, from, delimiter);
    return { value: text.slice(from, end), end, problem: "" };
  }
  let value = "";
  let at = from + 1;
  for (;;) {
    const quote = text.indexOf('"', at);
    if (quote < 0) {
      const end = findEndOfCell(text, from, delimiter);
      return { value: text.slice(from, end), end, problem: gettext("A quote is opened and never closed.") };
    }
    value += text.slice(at, quote);
    at = quote + 1;
    if (text[at] !== '"') break;
    value += '"';
    at += 1;
  }
  const end = findEndOfCell(text, at, delimiter);
  const rest = text.slice(at, end);
  const problem = rest.trim() ? gettext("Text follows a closing quote.") : "";
  return { value: problem ? text.slice(from, end) : value.replace(/\r\n?/g, "\n"), end, problem };
}

function findEndOfCell(text: string, from: number, delimiter: string): number {
  let at = from;
  while (at < text.length && text[at] !== delimiter && text[at] !== "\n" && text[at] !== "\r") at += 1;
  return at;
}

/** Parses cells that were copied from a spreadsheet. */
export function parseClipboard(text: string): DelimitedRow[] {
  return readTable(text, "\t", true).rows;
}

/** Cells in spreadsheet format, with a line break after each row. */
export function formatClipboard(rows: readonly (readonly string[])[]): string {
  const quote = (text: string): string => (/["\t\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
  return rows.map((cells) => `${cells.map(quote).join("\t")}\n`).join("");
}

/** The most likely delimiter: the one that is most frequent in the first line. */
export function guessDelimiter(text: string): string {
  const head = text.split(/\r?\n/, 1)[0] ?? "";
  const counts = [",", ";", "\t"].map((delimiter) => ({ delimiter, count: head.split(delimiter).length }));
  return counts.reduce((best, one) => (one.count > best.count ? one : best)).delimiter;
}
