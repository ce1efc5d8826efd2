// Rows of a file or a dataset offered as samples, and the samples that they become.
import type { OfferedColumn } from "./sample_columns.ts";
import { findFreeName, type Samples } from "./sample_map.ts";
import type { Data } from "./types.ts";

/** A row from the server: its name, which a sample may already have, and its values by input. */
export interface OfferedRow {
  name: string;
  values: Data;
}

/** Rows of a source with its columns and possible targets; `total` counts all rows of the source. */
export interface OfferedRows {
  rows: OfferedRow[];
  columns: OfferedColumn[];
  targets: string[];
  total: number;
}

const MAX_NAME_LENGTH = 60;
export const MAX_SAMPLES = 200; // as on the server

/** Appends rows as samples. No sample is overwritten: a row whose name is taken gets a number, and one that already
 * exists, with the same name and values, is skipped. */
export function addRows(samples: Samples, rows: readonly OfferedRow[]): { samples: Samples; added: string[] } {
  const all = new Map(samples);
  const added: string[] = [];
  for (const { name, values } of rows) {
    if (samples.has(name) && JSON.stringify(samples.get(name)) === JSON.stringify(values)) continue;
    const free = all.has(name) ? findFreeName(all, name, MAX_NAME_LENGTH) : name;
    all.set(free, values);
    added.push(free);
  }
  return { samples: all, added };
}

/** The values of a row in one line, to tell rows apart. */
export function describeValues(values: Data, most = 160): string {
  const texts = Object.entries(values).map(
    ([name, value]) => `${name}: ${typeof value === "string" ? value : JSON.stringify(value)}`,
  );
  const line = texts.join(" · ").replace(/\s+/g, " ");
  return line.length > most ? `${line.slice(0, most)}…` : line;
}
