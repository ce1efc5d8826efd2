// What the columns of imported files became, by their header: the next file with the same columns begins with it. It
// stays in this browser, for a person and a dataset, or for "samples of" a template, which is no name of a dataset.
import type { Mapping } from "./mapping.ts";

const PREFIX = "csv-columns:";
const MOST_FILES = 10; // headers that are remembered for a dataset

type Remembered = [header: string, mapping: string[]][];

/** What the columns became the last time; nothing if no file with these columns was imported. */
export function readMapping(dataset: string, headers: readonly string[]): string[] | null {
  const header = JSON.stringify(headers);
  const found = readAll(dataset).find(([other]) => other === header)?.[1];
  return found?.length === headers.length ? [...found] : null;
}

/** Remembers what the columns became, or forgets it without a mapping. */
export function rememberMapping(dataset: string, headers: readonly string[], mapping: Mapping | null): void {
  if (!dataset) return; // a new dataset has no name to remember it by
  const header = JSON.stringify(headers);
  const others = readAll(dataset).filter(([other]) => other !== header);
  const all: Remembered = mapping ? ([[header, [...mapping]], ...others].slice(0, MOST_FILES) as Remembered) : others;
  try {
    localStorage.setItem(storageKey(dataset), JSON.stringify(all));
  } catch {
    // storage is switched off or full: the next file begins with a guess
  }
}

function readAll(dataset: string): Remembered {
  if (!dataset) return [];
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(storageKey(dataset)) ?? "[]");
    return Array.isArray(kept) ? kept.filter(isRemembered) : [];
  } catch {
    return []; // storage is switched off, or somebody wrote something else there
  }
}

function isRemembered(entry: unknown): entry is Remembered[number] {
  if (!Array.isArray(entry) || typeof entry[0] !== "string" || !Array.isArray(entry[1])) return false;
  return entry[1].every((target) => target === "" || /^(id|tags|(inputs|expected)\..+)$/.test(target));
}

/** People who share a browser don't see what the others chose. */
function storageKey(dataset: string): string {
  return `${PREFIX}${document.body.dataset.person ?? ""}:${dataset}`;
}
