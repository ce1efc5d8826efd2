// The number of lines in which two texts differ.

import assert from "node:assert/strict";
import { test } from "node:test";
import { countDifferentLines } from "../src/line_count.ts";

test("lines that were changed, added or cut are counted", () => {
  const text = "one\ntwo\nthree\nfour";
  assert.equal(countDifferentLines(text, text), 0);
  assert.equal(countDifferentLines(text, text.replace("two", "2")), 1);
  assert.equal(countDifferentLines(text, `${text}\nfive\nsix`), 2);
  assert.equal(countDifferentLines(text, "one\nfour"), 2);
  assert.equal(countDifferentLines(text, text.replace("one", "1").replace("four", "4")), 2);
  assert.equal(countDifferentLines("", "one"), 1);
  assert.equal(countDifferentLines("one\r\ntwo", "one\ntwo"), 0);
});
