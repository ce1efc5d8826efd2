// Totals for ticked templates.

import assert from "node:assert/strict";
import { test } from "node:test";
import { shortenCount, sumFacts } from "../src/app/bulk_facts.ts";

const TRIAGE = { name: "support/refunds/triage", namespace: "support", version: "v10", needs: "2", passed: "" };

test("names lose the namespace only where all are of one", () => {
  const reply = { name: "support/reply", namespace: "support", version: "v3", needs: "1", passed: "" };
  const explain = { name: "billing/explain", namespace: "billing", version: "v14", needs: "1", passed: "" };
  assert.deepEqual(sumFacts([TRIAGE, reply]).names, ["refunds/triage v10", "reply v3"]);
  assert.deepEqual(sumFacts([TRIAGE, explain]).names, ["support/refunds/triage v10", "billing/explain v14"]);
  assert.deepEqual(sumFacts([{ name: "support/reply" }]).names, ["support/reply"]);
});

test("a namespace needs the most approvals that one of its templates needs", () => {
  const reply = { ...TRIAGE, name: "support/reply", needs: "1" };
  const explain = { ...TRIAGE, name: "billing/explain", namespace: "billing", needs: "1" };
  assert.deepEqual(sumFacts([reply, TRIAGE, explain]).needs, [
    { namespace: "support", approvals: 2 },
    { namespace: "billing", approvals: 1 },
  ]);
});

test("a service that fetches two templates counts once, its fetches twice", () => {
  const facts = sumFacts([
    { ...TRIAGE, fetches: '{"chat": 20, "mail": 3}' },
    { ...TRIAGE, fetches: '{"chat": 5}' },
    { ...TRIAGE, fetches: "{}" },
  ]);
  assert.equal(facts.services, 2);
  assert.equal(facts.fetches, 28);
});

test("what is not passed is counted", () => {
  assert.equal(sumFacts([TRIAGE]).unchecked, 0);
  assert.equal(sumFacts([TRIAGE, { ...TRIAGE, passed: undefined }]).unchecked, 1);
});

test("counts have three figures, as on the pages", () => {
  assert.deepEqual([0, 6208, 9999].map(shortenCount), ["0", "6,208", "9,999"]);
  assert.deepEqual([10_000, 54_123, 412_000, 999_499].map(shortenCount), ["10.0 k", "54.1 k", "412 k", "999 k"]);
  assert.deepEqual([999_500, 1_240_000, 2e9].map(shortenCount), ["1.00 M", "1.24 M", "2.00 G"]);
});
