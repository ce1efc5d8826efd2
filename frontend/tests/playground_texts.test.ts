// Texts of the playground: partial JSON, costs, limits, values in short.

import assert from "node:assert/strict";
import { test } from "node:test";
import { describeAll } from "../src/playground/history.ts";
import { summarizeValue } from "../src/playground/inputs_line.ts";
import { findLongestReply, formatMoney, sumCosts } from "../src/playground/money.ts";
import { looksLikeObject, readPartialFields } from "../src/playground/partial_json.ts";

const TEXT = '{"decision": "refund", "cites": [1, {"a": "}"}], "note": "caf\\u00e9 \\"x\\"", "sure": true, "none": {}}';
const VALUES: Record<string, string> = {
  decision: "refund",
  cites: '[1, {"a": "}"}]',
  note: 'café "x"',
  sure: "true",
  none: "{}",
};

test("the fields of a whole object are all complete", () => {
  const fields = readPartialFields(TEXT);
  assert.deepEqual(Object.fromEntries(fields.map(({ name, text }) => [name, text])), VALUES);
  assert.ok(fields.every(({ isComplete }) => isComplete));
});

test("wherever the text ends, what is complete is right and only the last field is not", () => {
  for (let end = 0; end <= TEXT.length; end++) {
    const fields = readPartialFields(TEXT.slice(0, end));
    for (const [index, { name, text, isComplete }] of fields.entries()) {
      if (isComplete) assert.equal(text, VALUES[name], `at ${end}`);
      else assert.equal(index, fields.length - 1, `at ${end}`);
    }
    const note = fields.find(({ name }) => name === "note");
    assert.ok(VALUES.note?.startsWith(note?.text ?? ""), `at ${end}: ${note?.text}`);
  }
});

test("a fence around JSON is no part of it, and prose is no object", () => {
  assert.deepEqual(readPartialFields('```json\n{"a": "b'), [{ name: "a", text: "b", isComplete: false }]);
  assert.ok(looksLikeObject(' ```json\n{"a"'));
  assert.deepEqual(readPartialFields('Sure: {"a": 1}'), []);
  assert.equal(looksLikeObject('Sure: {"a": 1}'), false);
});

test("money is short, and small amounts keep two digits", () => {
  const dollars = (amount: number | string): string => formatMoney({ amount, currency: "USD" });
  assert.equal(dollars("5"), "$5.00");
  assert.equal(dollars("0.42"), "$0.42");
  assert.equal(dollars(0.007312), "$0.0073");
  assert.equal(dollars(0), "$0.00");
  assert.equal(dollars("0.000029"), "<$0.0001");
  assert.equal(formatMoney({ amount: "0.000029", currency: "USD" }, 0.01), "<$0.01");
  assert.equal(formatMoney({ amount: 1234.5, currency: "CHF" }), "1,234.50 CHF");
});

test("costs add up only where all are known and of one currency", () => {
  const cost = (amount: string, currency = "USD") => ({ amount, currency });
  assert.deepEqual(sumCosts([cost("0.5"), cost("0.25")]), { amount: 0.75, currency: "USD" });
  assert.equal(sumCosts([cost("1"), null]), null);
  assert.equal(sumCosts([cost("1"), cost("1", "EUR")]), null);
  assert.equal(sumCosts([]), null);
});

test("the longest reply is the column's limit, else the document's, else its reserve", () => {
  assert.equal(findLongestReply({ max_tokens: 5 }, { max_tokens: 9 }, 7), 5);
  assert.equal(findLongestReply({}, { max_tokens: 9 }, 7), 9);
  assert.equal(findLongestReply({}, { max_tokens: 9, max_completion_tokens: 8, max_output_tokens: 6 }, 7), 8);
  assert.equal(findLongestReply({}, { max_tokens: 9, max_completion_tokens: 0, max_output_tokens: "6" }, 7), 9);
  assert.equal(findLongestReply({}, {}, 7), 7);
  assert.ok(findLongestReply({}, {}, 0) > 0);
});

test("a value of an input stands in the line in a few words", () => {
  assert.equal(summarizeValue("HB-20417"), "HB-20417");
  assert.equal(summarizeValue("x".repeat(612)), "612 characters");
  assert.equal(summarizeValue(["a", "b", "c"]), "3 items");
  assert.equal(summarizeValue({ name: "Harbour Outfitters" }), "Harbour Outfitters");
  assert.equal(summarizeValue({ a: 1, b: 2 }), "2 fields");
  assert.equal(summarizeValue(false), "no");
  assert.equal(summarizeValue(undefined), "no value");
});

test("the button for all runs says how many there are, once all are known", () => {
  assert.equal(describeAll(Array(14), null), "All 14 runs");
  assert.equal(describeAll(Array(14), "older"), "All runs");
});
