// The smallest change between two texts.

import assert from "node:assert/strict";
import { test } from "node:test";
import { findSmallestChange } from "../src/editor/text_changes.ts";

const apply = (text: string, change: { from: number; to: number; insert: string }): string =>
  text.slice(0, change.from) + change.insert + text.slice(change.to);

test("equal texts need no change", () => {
  assert.equal(findSmallestChange("same", "same"), null);
});

test("a change leaves what is equal at both ends alone", () => {
  assert.deepEqual(findSmallestChange("a cat sat", "a bat sat", 10), { from: 12, to: 13, insert: "b" });
});

test("a change gives the other text, repeated signs among it", () => {
  for (const [before, after] of [
    ["aaa", "aaaa"],
    ["abab", "ab"],
    ["", "x"],
    ["x", ""],
    ["{{ a }}", "{{{{ a }}"],
  ] as const) {
    const change = findSmallestChange(before, after);
    assert.ok(change);
    assert.equal(apply(before, change), after);
  }
});
