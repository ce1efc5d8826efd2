// Repeatable random values for property-based tests.

export type Random = () => number;

/** Numbers from 0 to 1, the same for the same seed (mulberry32). */
export function makeRandom(seed: number): Random {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

const LETTERS = ['"', "\\", ",", ";", "\t", "\n", "{", "}", "[", ":", " ", "a", "b", "é", "漢", "😀", "'", "1", "_"];

export const randomInteger = (random: Random, below: number): number => Math.floor(random() * below);

export function randomText(random: Random): string {
  return Array.from({ length: randomInteger(random, 8) }, () => LETTERS[randomInteger(random, LETTERS.length)]).join(
    "",
  );
}

export function randomJson(random: Random, depth: number): unknown {
  const kind = randomInteger(random, depth > 0 ? 6 : 4);
  if (kind === 0) return randomText(random);
  if (kind === 1) return Math.round(random() * 1e6) / 100;
  if (kind === 2) return random() < 0.5;
  if (kind === 3) return null;
  const items = Array.from({ length: randomInteger(random, 4) }, () => randomJson(random, depth - 1));
  return kind === 4 ? items : Object.fromEntries(items.map((item, index) => [`${index}-${randomText(random)}`, item]));
}
