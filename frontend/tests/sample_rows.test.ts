// Samples created from rows, and the order of samples.

import assert from "node:assert/strict";
import { test } from "node:test";
import { readSamples, writeSamples } from "../src/editor/json_dialog.ts";
import { copySample, moveSample, packSamples, renameSample, unpackSamples } from "../src/editor/sample_map.ts";
import { addRows, describeValues } from "../src/editor/sample_rows.ts";
import type { Data } from "../src/editor/types.ts";

const samplesOf = (samples: Record<string, Data>): ReadonlyMap<string, Data> => new Map(Object.entries(samples));

test("rows are added after the samples there are, and none is written over", () => {
  const samples = samplesOf({ gift: { question: "A gift?" }, late: { question: "Late?" } });
  const rows = [
    { name: "gift", values: { question: "Another?" } },
    { name: "late", values: { question: "Late?" } },
    { name: "gift", values: { question: "A third?" } },
    { name: "new", values: {} },
  ];
  const { samples: all, added } = addRows(samples, rows);
  assert.deepEqual(added, ["gift 2", "gift 3", "new"]);
  assert.deepEqual([...all.keys()], ["gift", "late", "gift 2", "gift 3", "new"]);
  assert.deepEqual(all.get("gift"), { question: "A gift?" });
  assert.deepEqual([...samples.keys()], ["gift", "late"]);
});

test("a sample is moved up and down, with its values", () => {
  const samples = samplesOf({ a: { x: 1 }, b: { x: 2 }, c: { x: 3 } });
  assert.deepEqual([...moveSample(samples, "a", "c").keys()], ["b", "c", "a"]);
  assert.deepEqual([...moveSample(samples, "c", "a").keys()], ["c", "a", "b"]);
  assert.deepEqual(moveSample(samples, "c", "a").get("c"), { x: 3 });
  assert.deepEqual([...moveSample(samples, "gone", "a").keys()], ["a", "b", "c"]);
});

test("names that are whole numbers are in the author's order, are moved, sent and written so", () => {
  const samples = unpackSamples({ samples: { "1": { x: 1 }, "2": { x: 2 }, a: {} }, sampleOrder: ["2", "a", "gone"] });
  assert.deepEqual([...samples.keys()], ["2", "a", "1"]);
  const moved = moveSample(samples, "1", "2");
  assert.deepEqual(packSamples(moved), {
    samples: { "1": { x: 1 }, "2": { x: 2 }, a: {} },
    sampleOrder: ["1", "2", "a"],
  });
  assert.deepEqual([...unpackSamples(packSamples(samples))], [...samples]);
  assert.deepEqual(readSamples(writeSamples(samples)), samples);
  assert.deepEqual([...(readSamples(writeSamples(samples)) as typeof samples).keys()], ["2", "a", "1"]);
});

test("the order of JSON is read past nested objects, lists and signs in texts", () => {
  const text = '{"9": {"8": {"7": 1}, "c": ["{\\"x\\":", {"y": 1}]}, "a\\"b" : {}, "3": {"text": "}, \\"q\\": {"}}';
  const samples = readSamples(text) as ReadonlyMap<string, Data>;
  assert.deepEqual([...samples.keys()], ["9", 'a"b', "3"]);
  assert.equal(writeSamples(new Map()), "{}");
  assert.equal(typeof readSamples('{"a": 1}'), "string");
});

test("a sample gets another name in its place, and a copy after it with a free name of 60 characters", () => {
  const samples = samplesOf({ a: { x: 1 }, b: {} });
  assert.deepEqual([...renameSample(samples, "a", "7").keys()], ["7", "b"]);
  const { samples: all, name } = copySample(copySample(samples, "a").samples, "a");
  assert.equal(name, "a 3");
  assert.deepEqual([...all.keys()], ["a", "a 3", "a 2", "b"]);
  assert.equal(copySample(samplesOf({ ["x".repeat(60)]: {} }), "x".repeat(60)).name, `${"x".repeat(58)} 2`);
});

test("values are described in one line that ends somewhere", () => {
  assert.equal(
    describeValues({ question: "Who\n pays?", count: 2, tags: ["a"] }),
    'question: Who pays? · count: 2 · tags: ["a"]',
  );
  assert.equal(describeValues({ text: "x".repeat(500) }, 20).length, 21);
});
