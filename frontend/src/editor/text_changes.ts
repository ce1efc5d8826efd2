// Minimal changes of a text, so that cursors, history and marks stay in place.

export interface TextChange {
  from: number;
  to: number;
  insert: string;
}

/** The change that turns `before`, located at `offset`, into `after`; null if both are equal. */
export function findSmallestChange(before: string, after: string, offset = 0): TextChange | null {
  if (before === after) return null;
  let start = 0;
  const shorter = Math.min(before.length, after.length);
  while (start < shorter && before[start] === after[start]) start++;
  let end = 0;
  while (end < shorter - start && before[before.length - 1 - end] === after[after.length - 1 - end]) end++;
  return { from: offset + start, to: offset + before.length - end, insert: after.slice(start, after.length - end) };
}
