// Conversion between code points (the server's columns) and UTF-16 offsets (CodeMirror's).
import type { Text } from "@codemirror/state";

const PAIRS = /[\ud800-\udfff]/;

/** The UTF-16 index in `text` of its n-th code point (0-based), at most the text's length. */
export function findUnitIndex(text: string, points: number): number {
  if (!PAIRS.test(text)) return Math.min(points, text.length);
  let index = 0;
  for (let count = 0; count < points && index < text.length; count++) {
    index += (text.codePointAt(index) ?? 0) > 0xffff ? 2 : 1;
  }
  return index;
}

/** The document offset of a 1-based line and column in code points, clamped to the document. */
export function findOffset(doc: Text, line: number, column: number): number {
  const docLine = doc.line(Math.min(Math.max(1, line), doc.lines));
  return docLine.from + findUnitIndex(docLine.text, Math.max(0, column - 1));
}

/** The 1-based line and column, in code points, of an offset. */
export function findPlace(doc: Text, offset: number): { line: number; column: number } {
  const docLine = doc.lineAt(offset);
  return { line: docLine.number, column: [...docLine.text.slice(0, offset - docLine.from)].length + 1 };
}
