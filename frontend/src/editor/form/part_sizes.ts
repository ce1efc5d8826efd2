// Token counts of the parts in the cards.
import { formatNumber } from "../../language.ts";

/** One part of the rendered prompt; `change` is null if there is nothing to compare with. */
export interface PartSize {
  name: string;
  tokens: number;
  change: number | null;
}

/** The size of a card: a part in a loop is rendered several times. */
export interface CardSize {
  count: number;
  tokens: number;
  change: number | null;
}

/** The rendered parts of each card, matched by name: `excerpt {{ loop.index }}` matches "excerpt 1" and "excerpt 2".
 * Parts without a name can't be told apart, so one has a size only if it is the only one. */
export function matchSizes(names: string[], sizes: PartSize[]): (CardSize | null)[] {
  const isTwice = (name: string): boolean => names.filter((otherName) => otherName === name).length > 1;
  const matchedSizes = new Set<PartSize>();
  const cards: (CardSize | null)[] = names.map(() => null);
  // Plain names first: a pattern such as `{{ name }}` matches everything.
  const order = names
    .map((_, index) => index)
    .sort((a, b) => countFreeLetters(names[a] ?? "") - countFreeLetters(names[b] ?? ""));
  for (const index of order) {
    const name = names[index] ?? "";
    if (isTwice(name)) continue;
    const pattern = makePattern(name);
    const own = sizes.filter((size) => !matchedSizes.has(size) && pattern.test(size.name));
    for (const size of own) matchedSizes.add(size);
    if (own.length) cards[index] = sumSizes(own);
  }
  return cards;
}

/** A pattern for a name in which expressions match anything. */
function makePattern(name: string): RegExp {
  const pieces = name.split(/\{\{.*?\}\}/).map((piece) => piece.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  return new RegExp(`^${pieces.join(".*")}$`, "s");
}

const countFreeLetters = (name: string): number =>
  name.includes("{{") ? 1000 - name.replace(/\{\{.*?\}\}/g, "").length : 0;

/** The sum of several sizes. */
export function sumSizes(sizes: { tokens: number; change: number | null; count?: number }[]): CardSize {
  const changes = sizes.map((size) => size.change).filter((change) => change !== null);
  return {
    count: sizes.reduce((sum, size) => sum + (size.count ?? 1), 0),
    tokens: sizes.reduce((sum, size) => sum + size.tokens, 0),
    change: changes.length ? changes.reduce((sum, change) => sum + change, 0) : null,
  };
}

/** A change with its sign, a typographic minus; empty for null. */
export function formatSigned(change: number | null): string {
  if (!change) return "";
  return change > 0 ? `+${formatNumber(change)}` : `\u2212${formatNumber(Math.abs(change))}`;
}
