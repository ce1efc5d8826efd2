// What opens the list of inputs while typing in a part.

import assert from "node:assert/strict";
import { test } from "node:test";
import { findTrigger } from "../src/editor/form/insert_completion.ts";

test("two braces begin an insertion, with what is typed of the name", () => {
  assert.deepEqual(findTrigger("Hello {{ cust"), { start: 6, typed: "cust", kind: "braces" });
  assert.deepEqual(findTrigger("{{"), { start: 0, typed: "", kind: "braces" });
});

test("a slash begins one at the start of a word only", () => {
  assert.deepEqual(findTrigger("Say /ton"), { start: 4, typed: "ton", kind: "slash" });
  assert.equal(findTrigger("and/or"), null);
  assert.equal(findTrigger("https://"), null);
});

test("prose and closed expressions begin none", () => {
  assert.equal(findTrigger("plain"), null);
  assert.equal(findTrigger("{{ a }} "), null);
});
