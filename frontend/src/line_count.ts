// How many lines of two texts differ.
import { diff } from "@codemirror/merge";

const FIRST_CODE = 0x100;

/** The number of lines that differ from another text; where lines were only deleted, the deleted ones. */
export function countDifferentLines(before: string, after: string): number {
  const codes = new Map<string, string>();
  const encode = (text: string): string =>
    text
      ? splitLines(text)
          .map((line) => makeCode(codes, line))
          .join("")
      : "";
  return diff(encode(before), encode(after)).reduce(
    (lines, change) => lines + Math.max(change.toA - change.fromA, change.toB - change.fromB),
    0,
  );
}

const splitLines = (text: string): string[] => text.split(/\r\n?|\n/);

/** Maps each distinct line to one character, so that the diff compares lines. */
function makeCode(codes: Map<string, string>, line: string): string {
  const knownCode = codes.get(line);
  if (knownCode !== undefined) return knownCode;
  const code = String.fromCharCode(FIRST_CODE + codes.size);
  codes.set(line, code);
  return code;
}
