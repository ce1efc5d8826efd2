// Saved rows that were removed from the grid: they stay visible, struck out, until the rows are saved.
import type { Baseline, Filter } from "./filters.ts";
import { filterRows } from "./filters.ts";
import type { Grid, GridRow } from "./types.ts";

/** The removed rows that match the filter, in order. */
export function listRemoved(grid: Grid, filter: Filter, baseline: Baseline): readonly GridRow[] {
  if (filter.show === "faults") return [];
  const present = new Set(grid.rows.map((row) => row.key));
  const rows = [...baseline.rows.values()].filter((row) => !present.has(row.key));
  return rows.length ? filterRows({ ...grid, rows }, { ...filter, show: "all" }, baseline, new Map()) : rows;
}

/** Inserts the removed rows into the visible ones, each after its predecessor in the saved version. */
export function placeRemoved(
  shown: readonly GridRow[],
  removed: readonly GridRow[],
  baseline: Baseline,
): readonly GridRow[] {
  if (!removed.length) return shown;
  const keys = new Set(shown.map((row) => row.key));
  const removedByKey = new Map(removed.map((row) => [row.key, row]));
  const followers = new Map<number, GridRow[]>(); // by the key of the visible row before them; 0: before the first
  let before = 0;
  for (const key of baseline.rows.keys()) {
    const row = removedByKey.get(key);
    if (keys.has(key)) before = key;
    else if (row) followers.set(before, [...(followers.get(before) ?? []), row]);
  }
  return [...(followers.get(0) ?? []), ...shown.flatMap((row) => [row, ...(followers.get(row.key) ?? [])])];
}

/** Restores a removed row, after its predecessor in the saved version. */
export function putBackRow(grid: Grid, key: number, baseline: Baseline): Grid {
  const row = baseline.rows.get(key);
  if (!row || grid.rows.some((one) => one.key === key)) return grid;
  const rows = placeRemoved(grid.rows, [row], baseline);
  return { ...grid, rows };
}
