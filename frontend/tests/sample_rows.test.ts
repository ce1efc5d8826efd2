// Samples that rows become, and the order of samples.

import assert from "node:assert/strict";
import { test } from "node:test";
import { addRows, describeValues, moveSample } from "../src/editor/sample_rows.ts";

test("rows are added after the samples there are, and none is written over", () => {
  const samples = { gift: { question: "A gift?" }, late: { question: "Late?" } };
  const rows = [
    { name: "gift", values: { question: "Another?" } },
    { name: "late", values: { question: "Late?" } },
    { name: "gift", values: { question: "A third?" } },
    { name: "new", values: {} },
  ];
  const { samples: all, added } = addRows(samples, rows);
  assert.deepEqual(added, ["gift 2", "gift 3", "new"]);
  assert.deepEqual(Object.keys(all), ["gift", "late", "gift 2", "gift 3", "new"]);
  assert.deepEqual(all.gift, { question: "A gift?" });
  assert.deepEqual(Object.keys(samples), ["gift", "late"]);
});

test("a sample is moved up and down, with its values", () => {
  const samples = { a: { x: 1 }, b: { x: 2 }, c: { x: 3 } };
  assert.deepEqual(Object.keys(moveSample(samples, 0, 2)), ["b", "c", "a"]);
  assert.deepEqual(Object.keys(moveSample(samples, 2, 0)), ["c", "a", "b"]);
  assert.deepEqual(moveSample(samples, 2, 0), samples);
  assert.deepEqual(Object.keys(moveSample(samples, 7, 0)), ["a", "b", "c"]);
});

test("values are described in one line that ends somewhere", () => {
  assert.equal(
    describeValues({ question: "Who\n pays?", count: 2, tags: ["a"] }),
    'question: Who pays? · count: 2 · tags: ["a"]',
  );
  assert.equal(describeValues({ text: "x".repeat(500) }, 20).length, 21);
});
