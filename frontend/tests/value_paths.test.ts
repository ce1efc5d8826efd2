// Values inside a sample.

import assert from "node:assert/strict";
import { test } from "node:test";
import { moveItem, readValue, writeValue } from "../src/editor/value_paths.ts";

test("a value is read at its path, and nothing where there is none", () => {
  const values = { customer: { name: "Ada" }, items: ["a"], empty: null };
  assert.equal(readValue(values, ["customer", "name"]), "Ada");
  assert.equal(readValue(values, ["customer", "age"]), undefined);
  assert.equal(readValue(values, ["items", "0"]), undefined);
  assert.equal(readValue(values, ["empty", "x"]), undefined);
  assert.deepEqual(readValue(values, []), values);
});

test("a value is written in a copy; what is no object on the way becomes one", () => {
  const values = { customer: { name: "Ada" }, tone: "warm" };
  assert.deepEqual(writeValue(values, ["customer", "age"], 41), { customer: { name: "Ada", age: 41 }, tone: "warm" });
  assert.deepEqual(writeValue(values, ["tone", "of", "voice"], "low"), {
    customer: { name: "Ada" },
    tone: { of: { voice: "low" } },
  });
  assert.deepEqual(writeValue(values, ["tone"], undefined), { customer: { name: "Ada" } });
  assert.deepEqual(writeValue(null, ["a"], 1), { a: 1 });
  assert.deepEqual(values, { customer: { name: "Ada" }, tone: "warm" });
});

test("an item is moved up and down, and one that is not there moves nothing", () => {
  assert.deepEqual(moveItem(["a", "b", "c"], 0, 2), ["b", "c", "a"]);
  assert.deepEqual(moveItem(["a", "b", "c"], 2, 0), ["c", "a", "b"]);
  assert.deepEqual(moveItem(["a"], 3, 0), ["a"]);
});
