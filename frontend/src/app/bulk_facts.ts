// Totals for the ticked templates.
import { formatNumber } from "../language.ts";

/** The data of one box: its template's name, and the effects of promoting it. */
export interface BoxData {
  name: string;
  namespace?: string;
  version?: string;
  needs?: string;
  fetches?: string;
  passed?: string | undefined;
}

export interface BulkFacts {
  /** The templates with their versions; without the namespace if all share one. */
  names: string[];
  /** How many have checks that failed, are still running or never ran. */
  unchecked: number;
  services: number;
  /** Fetches per day that will get another version. */
  fetches: number;
  /** By namespace, the most approvals that one of its templates needs. */
  needs: { namespace: string; approvals: number }[];
}

/** Adds up the selection; a service that fetches several of the templates counts once. */
export function sumFacts(boxes: BoxData[]): BulkFacts {
  const needs = new Map<string, number>();
  const services = new Set<string>();
  let fetches = 0;
  for (const box of boxes) {
    const namespace = box.namespace ?? "";
    needs.set(namespace, Math.max(needs.get(namespace) ?? 0, Number(box.needs ?? 0)));
    for (const [service, perDay] of Object.entries(JSON.parse(box.fetches || "{}") as Record<string, number>)) {
      services.add(service);
      fetches += perDay;
    }
  }
  const isOne = needs.size === 1 && boxes[0]?.namespace !== undefined;
  const nameOf = (box: BoxData): string => {
    const name = isOne ? box.name.slice(`${box.namespace}/`.length) : box.name;
    return box.version ? `${name} ${box.version}` : name;
  };
  return {
    names: boxes.map(nameOf),
    unchecked: boxes.filter((box) => box.passed === undefined).length,
    services: services.size,
    fetches,
    needs: [...needs].map(([namespace, approvals]) => ({ namespace, approvals })),
  };
}

/** A count with three digits, as on the pages: 6,208, 54.1 k, 1.24 M. */
export function shortenCount(count: number): string {
  if (count < 10_000) return formatNumber(count);
  const [size, unit] = count < 999_500 ? [1e3, "k"] : count < 999_500_000 ? [1e6, "M"] : [1e9, "G"];
  const digits = { minimumSignificantDigits: 3, maximumSignificantDigits: 3 };
  return `${formatNumber(count / size, digits)} ${unit}`;
}
