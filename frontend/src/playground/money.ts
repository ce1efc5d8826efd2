// Amounts of money, and estimates of a run's cost.
import { formatNumber, gettext } from "../language.ts";
import type { Model, Money, Settings } from "./types.ts";

const SYMBOLS: Record<string, string> = { USD: "$", EUR: "€", GBP: "£" };
const MIN_AMOUNT = 0.0001; // smaller amounts are shown as less than this
const REPLY_LIMITS = ["max_completion_tokens", "max_output_tokens", "max_tokens"]; // in the server's order
const MAX_REPLY_LENGTH = 4096; // tokens, if neither the settings nor the document limit the reply

/** An amount as formatted on the pages: `$0.0073`, `$5.00`, `0.02 CHF`. Amounts below `minimum` are shown as such:
 * `<$0.0001`. */
export function formatMoney({ amount, currency }: Money, minimum = MIN_AMOUNT): string {
  const value = Number(amount);
  const isTiny = value > 0 && value < minimum;
  const shownAmount = isTiny ? minimum : value;
  const digits = shownAmount === 0 || shownAmount >= 0.1 ? 2 : Math.min(4, 1 - Math.floor(Math.log10(shownAmount)));
  const figure = formatNumber(shownAmount, { minimumFractionDigits: 2, maximumFractionDigits: Math.max(2, digits) });
  const symbol = SYMBOLS[currency];
  const text = symbol ? gettext("{symbol}{figure}", { symbol, figure }) : `${figure} ${currency}`;
  return `${isTiny ? "<" : ""}${text}`;
}

/** A maximum cost, so that an amount below `$0.0001` is rounded up to `$0.0001`. */
export const formatMostMoney = ({ amount, currency }: Money): string =>
  formatMoney({ amount: Number(amount) > 0 ? Math.max(Number(amount), MIN_AMOUNT) : amount, currency });

/** The maximum length of a reply in tokens: the column's own limit, else the first one in the document's settings. */
export function findLongestReply(settings: Settings, saved: Record<string, unknown>, reserve: number): number {
  const isLimit = (value: unknown): value is number => Number.isInteger(value) && Number(value) > 0;
  const limits = [settings.max_tokens, ...REPLY_LIMITS.map((name) => saved[name])];
  return limits.find(isLimit) ?? (reserve || MAX_REPLY_LENGTH);
}

/** The maximum cost of one call: the prompt and the longest reply. Null if the model has no price. */
export function computeCost(model: Model | undefined, promptTokens: number, replyTokens: number): Money | null {
  if (!model?.price) return null;
  const { prompt, completion, currency } = model.price;
  return { amount: (promptTokens * Number(prompt) + replyTokens * Number(completion)) / 1_000_000, currency };
}

/** The sum of costs in one currency; null if one is unknown or the currencies differ. */
export function sumCosts(costs: (Money | null)[]): Money | null {
  let amount = 0;
  let currency = "";
  for (const cost of costs) {
    if (!cost || (currency && cost.currency !== currency)) return null;
    currency = cost.currency;
    amount += Number(cost.amount);
  }
  return currency ? { amount, currency } : null;
}
