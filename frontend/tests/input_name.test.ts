// Services that a changed input breaks.

import assert from "node:assert/strict";
import { test } from "node:test";
import { listBrokenServices } from "../src/editor/form/input_name.ts";

const published = {
  inputs: { question: { type: "string" }, tone: { type: "string", default: "warm" } },
  services: ["refund bot", "web shop"],
};

test("a new required input breaks every service that follows a label", () => {
  assert.deepEqual(listBrokenServices("order_id", { type: "string" }, published), published.services);
  assert.deepEqual(listBrokenServices("order_id", { type: "string", default: "" }, published), []);
});

test("an input that loses its default breaks them too, one that was required does not", () => {
  assert.deepEqual(listBrokenServices("tone", { type: "string" }, published), published.services);
  assert.deepEqual(listBrokenServices("question", { type: "string" }, published), []);
});
