// The samples of a template by name, in the author's order. A plain object would sort names that are whole numbers
// first.
import type { Data } from "./types.ts";

export type Samples = ReadonlyMap<string, Data>;

/** Samples as sent and stored: an object, and the names in order. */
export interface PackedSamples {
  samples: Record<string, Data>;
  sampleOrder?: string[] | undefined;
}

export const packSamples = (samples: Samples): Required<PackedSamples> => ({
  samples: Object.fromEntries(samples),
  sampleOrder: [...samples.keys()],
});

/** Reverses `packSamples`; names missing from the order come last. */
export function unpackSamples({ samples, sampleOrder = [] }: PackedSamples): Samples {
  const names = new Set([...sampleOrder.filter((name) => Object.hasOwn(samples, name)), ...Object.keys(samples)]);
  return new Map([...names].map((name) => [name, samples[name] ?? {}]));
}

/** Whether these are the same samples in the same order. */
export const isSameSamples = (samples: Samples, others: Samples): boolean =>
  JSON.stringify([...samples]) === JSON.stringify([...others]);

/** Sets the values of one sample; a new name comes last. */
export const setSample = (samples: Samples, name: string, values: Data): Samples =>
  new Map([...samples, [name, values]]);

export const withoutSamples = (samples: Samples, names: readonly string[]): Samples =>
  new Map([...samples].filter(([name]) => !names.includes(name)));

/** Renames one sample, and keeps its position. */
export const renameSample = (samples: Samples, old: string, name: string): Samples =>
  new Map([...samples].map(([key, values]) => [key === old ? name : key, values]));

/** Duplicates a sample, and returns the name of the copy after it. */
export function copySample(samples: Samples, original: string): { samples: Samples; name: string } {
  const name = findFreeName(samples, original, 60);
  const entries = [...samples].flatMap(([key, values]): [string, Data][] =>
    key === original
      ? [
          [key, values],
          [name, structuredClone(values)],
        ]
      : [[key, values]],
  );
  return { samples: new Map(entries), name };
}

/** The name with the first number that makes it unique. most: the longest length in characters. */
export function findFreeName(samples: Samples, name: string, limit: number): string {
  for (let number = 2; ; number += 1) {
    const end = ` ${number}`;
    const free = `${[...name].slice(0, limit - end.length).join("")}${end}`;
    if (!samples.has(free)) return free;
  }
}

/** The first unused numbered name, starting with the number of samples plus one. */
export function findNumberedName(samples: Samples, nameOf: (number: number) => string): string {
  let number = samples.size + 1;
  while (samples.has(nameOf(number))) number += 1;
  return nameOf(number);
}

/** The sample after one, or before it if it is the last; empty if it is the only one. */
export function findNeighbour(samples: Samples, name: string): string {
  const names = [...samples.keys()];
  const place = names.indexOf(name);
  return names[place + 1] ?? names[place - 1] ?? "";
}

/** Moves `name` to the place of `target`; unchanged if either doesn't exist. */
export function moveSample(samples: Samples, name: string, target: string): Samples {
  const entries = [...samples];
  const from = entries.findIndex(([key]) => key === name);
  const to = entries.findIndex(([key]) => key === target);
  if (from < 0 || to < 0) return samples;
  entries.splice(to, 0, ...entries.splice(from, 1));
  return new Map(entries);
}
