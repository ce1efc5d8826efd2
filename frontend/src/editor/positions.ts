// Conversion between code points (the server's columns) and UTF-16 offsets (CodeMirror's).
import type { Text } from "@codemirror/state";

const PAIRS = /[\ud800-\udfff]/;

/** The UTF-16 index in `text` of its n-th code point (0-based), at most the text's length. */
export function findUnitIndex(text: string, points: number): number {
  if (!PAIRS.test(text)) return Math.min(points, text.length);
  let index = 0;
  for (let seen = 0; seen < points && index < text.length; seen++) {
    index += (text.codePointAt(index) ?? 0) > 0xffff ? 2 : 1;
  }
  return index;
}

/** The document offset of a 1-based line and column in code points, clamped to the document. */
export function findOffset(doc: Text, line: number, column: number): number {
  const found = doc.line(Math.min(Math.max(1, line), doc.lines));
  return found.from + findUnitIndex(found.text, Math.max(0, column - 1));
}

/** The 1-based line and column, in code points, of an offset. */
export function findPlace(doc: Text, offset: number): { line: number; column: number } {
  const found = doc.lineAt(offset);
  return { line: found.number, column: [...found.text.slice(0, offset - found.from)].length + 1 };
}
