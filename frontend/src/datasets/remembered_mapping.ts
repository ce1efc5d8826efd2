// Mappings of imported files by their header, as the default for the next file with the same columns. Stored in this
// browser for a user and a dataset, or for "samples of" a template, which isn't a valid dataset name.
import type { Mapping } from "./mapping.ts";

const PREFIX = "csv-columns:";
const MAX_FILES = 10; // most headers remembered per dataset

type Remembered = [header: string, mapping: string[]][];

/** The last mapping of these columns; null if no file with them was imported. */
export function readMapping(dataset: string, headers: readonly string[]): string[] | null {
  const header = JSON.stringify(headers);
  const mapping = readAll(dataset).find(([savedHeader]) => savedHeader === header)?.[1];
  return mapping?.length === headers.length ? [...mapping] : null;
}

/** Remembers the mapping, or forgets it if there is none. */
export function rememberMapping(dataset: string, headers: readonly string[], mapping: Mapping | null): void {
  if (!dataset) return; // a new dataset has no name to store it by
  const header = JSON.stringify(headers);
  const others = readAll(dataset).filter(([savedHeader]) => savedHeader !== header);
  const all: Remembered = mapping ? ([[header, [...mapping]], ...others].slice(0, MAX_FILES) as Remembered) : others;
  try {
    localStorage.setItem(storageKey(dataset), JSON.stringify(all));
  } catch {
    // storage is disabled or full: the next file starts with a guess
  }
}

function readAll(dataset: string): Remembered {
  if (!dataset) return [];
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(storageKey(dataset)) ?? "[]");
    return Array.isArray(stored) ? stored.filter(isRemembered) : [];
  } catch {
    return []; // storage is disabled or contains something else
  }
}

function isRemembered(entry: unknown): entry is Remembered[number] {
  if (!Array.isArray(entry) || typeof entry[0] !== "string" || !Array.isArray(entry[1])) return false;
  return entry[1].every((target) => target === "" || /^(id|tags|(inputs|expected)\..+)$/.test(target));
}

/** Users who share a browser don't see each other's choices. */
function storageKey(dataset: string): string {
  return `${PREFIX}${document.body.dataset.person ?? ""}:${dataset}`;
}
