// Cell values: how each kind is displayed and typed, and validation.
import { gettext } from "../language.ts";
import { findJsonError } from "../playground/json_error.ts";
import { writeCompactSource } from "./json_source.ts";
import type { Cell, Column, Kind } from "./types.ts";

export const KINDS: readonly Kind[] = ["text", "number", "boolean", "json"];
export const KIND_WORDS: Record<Kind, string> = {
  text: gettext("text"),
  number: gettext("number"),
  boolean: gettext("yes or no"),
  json: "JSON",
};

const NUMBER = /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/;
const YES = ["true", "yes", "1"];
const NO = ["false", "no", "0"];

const isTextSource = (source: string): boolean => source.startsWith('"');

/** The text of a cell in the grid and in its editor; empty if it has no value. */
export function readCellText(cell: Cell | undefined, kind: Kind): string {
  if (!cell) return "";
  if ("text" in cell) return cell.text;
  return kind !== "json" && isTextSource(cell.source) ? (JSON.parse(cell.source) as string) : cell.source;
}

/** Parses typed text as a cell. An empty text means no value. */
export function readCell(text: string, kind: Kind): Cell | undefined {
  if (kind === "text") return text === "" ? undefined : { source: JSON.stringify(text) };
  const trimmed = text.trim();
  if (!trimmed) return undefined;
  if (kind === "number")
    return NUMBER.test(trimmed)
      ? { source: trimmed }
      : { text, problem: gettext("Not a number. Write it as 12 or 1.5.") };
  if (kind === "boolean") {
    const word = trimmed.toLowerCase();
    if (YES.includes(word)) return { source: "true" };
    if (NO.includes(word)) return { source: "false" };
    return { text, problem: gettext("Neither true nor false.") };
  }
  try {
    JSON.parse(trimmed);
    return { source: writeCompactSource(trimmed) };
  } catch (error) {
    const place = findJsonError(trimmed);
    if (place === null) return { text, problem: gettext("Not JSON: {reason}", { reason: describeReadError(error) }) };
    const near = [...trimmed.slice(place)].slice(0, 12).join("");
    const problem = near
      ? gettext("Not JSON: “{near}” is not allowed at character {place}.", { near, place: place + 1 })
      : gettext("Not JSON: the end is missing.");
    return { text, problem };
  }
}

/** Why a text can't be read. */
export function describeReadError(error: unknown): string {
  return error instanceof Error ? error.message : gettext("it can't be read");
}

/** Converts the cell to a column of another kind; a value that doesn't fit is kept as text. */
export function convertCell(cell: Cell, from: Kind, to: Kind): Cell | undefined {
  if (to === "json") return "source" in cell ? cell : readCell(cell.text, to);
  if (to === "text" && "source" in cell && isTextSource(cell.source)) return cell;
  return readCell(readCellText(cell, from), to);
}

/** The common kind of a column's values, JSON if they differ. Null is ignored. */
export function guessKind(sources: Iterable<string>): Kind {
  let kind: Kind | null = null;
  for (const source of sources) {
    if (source === "null") continue;
    const one: Kind = isTextSource(source)
      ? "text"
      : source === "true" || source === "false"
        ? "boolean"
        : /^[-\d]/.test(source)
          ? "number"
          : "json";
    if (kind !== null && kind !== one) return "json";
    kind = one;
  }
  return kind ?? "text";
}

/** The problem of a cell in its column, or empty. */
export function findProblem(cell: Cell | undefined, column: Column): string {
  if (!cell) return "";
  if ("problem" in cell) return cell.problem;
  if (!column.choices || !isTextSource(cell.source)) return "";
  return column.choices.includes(JSON.parse(cell.source) as string)
    ? ""
    : gettext("Must be {choices}.", { choices: joinChoices(column.choices) });
}

function joinChoices(choices: readonly string[]): string {
  return choices.length < 2
    ? choices.join("")
    : gettext("{others} or {last}", { others: choices.slice(0, -1).join(", "), last: choices.at(-1) ?? "" });
}
