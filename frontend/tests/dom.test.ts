// Helpers of `dom.ts`: ages in words.

import assert from "node:assert/strict";
import { test } from "node:test";
import { formatTimeAgo } from "../src/dom.ts";

const now = 1_000_000_000_000;

test("ages are told in the largest fitting unit", () => {
  const told = [0.2, 12, 120, 7200, 86400, 4 * 86400].map((seconds) => formatTimeAgo(now - seconds * 1000, now));
  assert.deepEqual(told, ["just now", "12 s ago", "2 min ago", "2 h ago", "1 day ago", "4 days ago"]);
});

test("a clock that runs ahead does not make ages negative", () => {
  assert.equal(formatTimeAgo(now + 5000, now), "just now");
});
