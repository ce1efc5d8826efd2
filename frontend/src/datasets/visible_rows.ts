// The visible range of a long list with two row heights: plain rows, and rows with a fault line.

export const ROW_HEIGHT = 44;
export const FAULT_HEIGHT = 28;
const MARGIN = 10; // rows rendered beyond either edge, for fast scrolling

export interface VisibleRange {
  first: number;
  /** The end index, exclusive. */
  end: number;
  /** Heights of the rows before and after the range, in pixels. */
  before: number;
  after: number;
}

/** The top of each row, followed by the total height. `hasFault` says which rows are taller. */
export function computeRowTops(count: number, hasFault: (index: number) => boolean): number[] {
  const tops = [0];
  for (let index = 0; index < count; index += 1)
    tops.push((tops[index] ?? 0) + ROW_HEIGHT + (hasFault(index) ? FAULT_HEIGHT : 0));
  return tops;
}

/** The rows between two offsets of the list. */
export function findVisibleRange(tops: readonly number[], from: number, height: number): VisibleRange {
  const count = tops.length - 1;
  const first = Math.max(0, findRow(tops, from) - MARGIN);
  const end = Math.min(count, findRow(tops, from + height) + 1 + MARGIN);
  return { first, end, before: tops[first] ?? 0, after: (tops[count] ?? 0) - (tops[end] ?? 0) };
}

/** The index of the row at an offset, by binary search. */
function findRow(tops: readonly number[], height: number): number {
  let [low, high] = [0, Math.max(0, tops.length - 2)];
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((tops[middle] ?? 0) <= height) low = middle;
    else high = middle - 1;
  }
  return low;
}
