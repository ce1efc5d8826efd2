// The tags of a row: a list in the file, comma-separated text in the grid.
import { gettext } from "../language.ts";
import type { Grid, GridRow } from "./types.ts";

const MAX_TAGS = 20; // per row, as on the server
const MAX_TAG_LENGTH = 40; // characters

/** The distinct tags in a text. */
export function splitTags(text: string): string[] {
  const tags = text.split(",").map((tag) => tag.trim().replace(/\s+/g, " "));
  return [...new Set(tags.filter(Boolean))];
}

/** The text of a JSON list; anything else is returned unchanged, for the server to refuse. */
export function joinTags(source: string): string {
  const tags = JSON.parse(source) as unknown;
  return Array.isArray(tags) ? tags.join(", ") : tags === null ? "" : source;
}

/** The tags of a row of the grid. */
export function readRowTags(row: GridRow): string[] {
  const cell = row.cells.tags;
  return cell ? splitTags("source" in cell ? (JSON.parse(cell.source) as string) : cell.text) : [];
}

/** The tags of these rows, sorted by name. */
export function listTags(rows: readonly GridRow[]): string[] {
  return [...new Set(rows.flatMap(readRowTags))].sort((one, other) => one.localeCompare(other));
}

/** Adds these tags to a row's tags, or removes them. */
export function changeTags(row: GridRow, tags: readonly string[], isAdded: boolean): string[] {
  const present = readRowTags(row);
  return isAdded ? [...new Set([...present, ...tags])] : present.filter((tag) => !tags.includes(tag));
}

/** An error if a tag is too long or a row would have too many, else empty. */
export function findTagsProblem(
  grid: Grid,
  keys: ReadonlySet<number>,
  tags: readonly string[],
  isAdded: boolean,
): string {
  if (!isAdded) return "";
  const long = tags.find((tag) => [...tag].length > MAX_TAG_LENGTH);
  if (long)
    return gettext("{tag} is too long: a tag has at most {count} characters.", { tag: long, count: MAX_TAG_LENGTH });
  const isFull = grid.rows.some((row) => keys.has(row.key) && changeTags(row, tags, true).length > MAX_TAGS);
  return isFull ? gettext("A row has at most {count} tags.", { count: MAX_TAGS }) : "";
}
