// Where a text stops being valid JSON, compared with the engine's own parser.

import assert from "node:assert/strict";
import { test } from "node:test";
import { findJsonError } from "../src/playground/json_error.ts";

test("what the engine reads has no bad place", () => {
  const values = [{}, [], "", 0, null, { a: [1, -2.5e3, { b: 'c "d" \\ \u2028' }], e: false }, [[[]], {}]];
  for (const value of values) {
    assert.equal(findJsonError(JSON.stringify(value)), null);
    assert.equal(findJsonError(` ${JSON.stringify(value, null, 2)}\n`), null);
  }
});

test("the bad place is the first character that can't be there", () => {
  const cases: [string, number][] = [
    ["", 0],
    ["Sure: {}", 0],
    ["{}x", 2],
    ['{"a": 1,}', 8],
    ['{"a": 1 "b": 2}', 8],
    ['{"a" 1}', 5],
    ["{a: 1}", 1],
    ["[1, 2", 5],
    ["[1}", 2],
    ["[1, ]", 4],
    ["01", 1],
    ['{"a": nul}', 6],
    ['"a', 2],
    ['["a\nb"]', 3],
    ['["a\\xb"]', 3],
    ["'a'", 0],
  ];
  for (const [text, place] of cases) {
    assert.throws(() => JSON.parse(text));
    assert.equal(findJsonError(text), place, text);
  }
});

test("every beginning of a text in JSON ends too early, and nowhere else", () => {
  const text = '{"a": ["b", {"c": true}], "d": "\\u00e9"}';
  for (let end = 0; end < text.length; end++) {
    const place = findJsonError(text.slice(0, end));
    assert.ok(place !== null && place <= end, String(end));
    if (!/[a-z\\\d]$/.test(text.slice(0, end))) assert.equal(place, end);
  }
});
