// Files of rows as written by spreadsheets, and cells that can't be parsed.

import assert from "node:assert/strict";
import { test } from "node:test";
import { readCell } from "../src/datasets/cells.ts";
import { readText } from "../src/datasets/file_text.ts";

test("the text of a file is read in whichever encoding a spreadsheet wrote it", () => {
  const utf16 = (text: string, isBig: boolean): Uint8Array => {
    const bytes = new Uint8Array(text.length * 2);
    const view = new DataView(bytes.buffer);
    for (let at = 0; at < text.length; at += 1) view.setUint16(at * 2, text.charCodeAt(at), !isBig);
    return bytes;
  };
  assert.equal(readText(new TextEncoder().encode("\ufeffStoß,12 €")), "Stoß,12 €");
  assert.equal(readText(Uint8Array.from([0x53, 0x74, 0x6f, 0xdf])), "Stoß");
  assert.equal(readText(utf16("\ufeffStoß\t12 €", false)), "Stoß\t12 €");
  assert.equal(readText(utf16("\ufeffStoß\t12 €", true)), "Stoß\t12 €");
});

test("a file that is empty or no text is refused", () => {
  assert.throws(() => readText(new Uint8Array()), /The file is empty/);
  assert.throws(() => readText(new TextEncoder().encode(" \n")), /The file is empty/);
  assert.throws(() => readText(Uint8Array.from([1, 0, 200])), /not a text file/);
});

test("a cell that is no JSON says where it stops being so", () => {
  const problemOf = (text: string) => (readCell(text, "json") as { problem: string }).problem;
  assert.equal(problemOf("x"), "Not JSON: “x” is not allowed at character 1.");
  assert.equal(problemOf('{"a": 1,}'), "Not JSON: “}” is not allowed at character 9.");
  assert.equal(problemOf("[1, 2"), "Not JSON: the end is missing.");
});
