// Conversion between code points and UTF-16 offsets.

import assert from "node:assert/strict";
import { test } from "node:test";
import { Text } from "@codemirror/state";
import { findOffset, findPlace, findUnitIndex } from "../src/editor/positions.ts";

const doc = Text.of(["plain", "a😀b", ""]);

test("columns count code points, offsets count UTF-16 units", () => {
  assert.equal(findOffset(doc, 2, 3), "plain\na😀".length);
  assert.equal(findUnitIndex("a😀b", 2), 3);
});

test("a place and its offset are each other's inverse", () => {
  for (const offset of [0, 5, 6, 7, 9, 10, 11]) {
    const { line, column } = findPlace(doc, offset);
    assert.equal(findOffset(doc, line, column), offset);
  }
});

test("a place outside the document is pulled in", () => {
  assert.equal(findOffset(doc, 99, 1), doc.length);
  assert.equal(findOffset(doc, 1, 99), 5);
  assert.equal(findOffset(doc, 0, 0), 0);
});
