// Rows that are offered as samples, from a file or a dataset, and the samples that they become.
import type { Data } from "./types.ts";

/** A row as the server offers it: its name, which a sample may have already, and its values by input. */
export interface OfferedRow {
  name: string;
  values: Data;
}

/** Rows of a source. `leftOut` are columns that are no inputs of the text; `total` counts all rows of the source. */
export interface OfferedRows {
  rows: OfferedRow[];
  leftOut: string[];
  total: number;
}

export const MOST_SAMPLES = 200; // as the server allows

/** The samples with those of rows after them. No sample is written over: a row whose name is taken gets a number, and
 * one that is there already, name and values, is passed over. */
export function addRows(
  samples: Readonly<Record<string, Data>>,
  rows: readonly OfferedRow[],
): { samples: Record<string, Data>; added: string[] } {
  const all: Record<string, Data> = { ...samples };
  const added: string[] = [];
  for (const { name, values } of rows) {
    if (name in samples && JSON.stringify(samples[name]) === JSON.stringify(values)) continue;
    let free = name;
    for (let number = 2; free in all; number += 1) free = `${name} ${number}`;
    all[free] = values;
    added.push(free);
  }
  return { samples: all, added };
}

/** The samples with the one at `from` at the place `to`. */
export function moveSample(samples: Readonly<Record<string, Data>>, from: number, to: number): Record<string, Data> {
  const entries = Object.entries(samples);
  const [moved] = entries.splice(from, 1);
  if (moved) entries.splice(to, 0, moved);
  return Object.fromEntries(entries);
}

/** The values of a row in one line, to be told apart by. */
export function describeValues(values: Data, most = 160): string {
  const words = Object.entries(values).map(
    ([name, value]) => `${name}: ${typeof value === "string" ? value : JSON.stringify(value)}`,
  );
  const line = words.join(" · ").replace(/\s+/g, " ");
  return line.length > most ? `${line.slice(0, most)}…` : line;
}
