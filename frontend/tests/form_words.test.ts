// Words of the form mode: statements, conditions, token counts and sample values.

import assert from "node:assert/strict";
import { test } from "node:test";
import { describeValue, makeEmptyValue } from "../src/editor/form/input_kinds.ts";
import { formatSigned, matchSizes, sumSizes } from "../src/editor/form/part_sizes.ts";
import { describeCondition, describeStatement, measureDepths } from "../src/editor/form/statement_words.ts";
import { findExpressionAt, findFirstName, nameChip } from "../src/editor/form/value_chips.ts";

test("statements read as words", () => {
  assert.deepEqual(describeStatement("for item in order.items"), {
    kind: "loop",
    text: "Repeats for each of",
    expression: "order.items",
  });
  assert.equal(describeStatement("elif x").text, "Otherwise, only if");
  assert.equal(describeStatement("set a = 1").kind, "other");
  assert.equal(nameChip('{%- if tone == "warm" -%}').text, "Only if tone is warm");
  assert.equal(nameChip("{{ loop.index }}").text, "number");
});

test("a condition that is more than a simple one stays as it is written", () => {
  assert.equal(describeCondition("not order_id"), "order_id is empty");
  assert.equal(describeCondition("tone != 'warm'"), "tone is not warm");
  for (const written of ["a and b", "not a == 'b'", "x|length > 3", "a is defined"]) {
    assert.equal(describeCondition(written), written);
  }
});

test("lines are as deep as the loops and conditions around them", () => {
  const lines = [
    "a",
    "{% for x in y %}",
    "b",
    "  {% if x %}",
    "c",
    "{% else %}",
    "d",
    "{% endif %}",
    "{% endfor %}",
    "e",
  ];
  assert.deepEqual(measureDepths(lines), [0, 0, 1, 1, 2, 1, 2, 1, 0, 0]);
  assert.deepEqual(measureDepths(["{% endif %}", "a"]), [0, 0]);
});

test("rendered parts belong to the card whose name fits closest", () => {
  const part = (name: string, tokens: number, change: number | null = null) => ({ name, tokens, change });
  const rendered = [part("intro", 5, 2), part("item 1", 3, 0), part("item 2", 4, -1), part("total (all)", 7)];
  const names = ["intro", "item {{ loop.index }}", "{{ anything }}", "same", "same"];
  assert.deepEqual(matchSizes(names, [...rendered, part("same", 1), part("same", 1)]).slice(0, 2), [
    { count: 1, tokens: 5, change: 2 },
    { count: 2, tokens: 7, change: -1 },
  ]);
  assert.equal(matchSizes(["same", "same"], [part("same", 1)])[0], null);
  assert.deepEqual(
    sumSizes([
      { tokens: 1, change: null },
      { tokens: 2, change: 3, count: 2 },
    ]),
    {
      count: 3,
      tokens: 3,
      change: 3,
    },
  );
  assert.deepEqual(
    [formatSigned(1200), formatSigned(-3), formatSigned(0), formatSigned(null)],
    ["+1,200", "\u22123", "", ""],
  );
});

test("the expression at a column is found, and nothing next to it", () => {
  const line = "a {{ x }} b {% if y %}";
  assert.equal(findExpressionAt(line, 5), "{{ x }}");
  assert.equal(findExpressionAt(line, 12), "{% if y %}");
  assert.equal(findExpressionAt(line, 10), "");
});

test("values of a sample are said in a few words", () => {
  assert.equal(describeValue(["a", "b"]), "2 items");
  assert.equal(describeValue({ name: "Ann", open: true }), "Ann, yes");
  assert.equal(describeValue("x".repeat(60)), "60 characters");
  assert.equal(describeValue(undefined, "warm"), "warm (if missing)");
  assert.equal(describeValue(undefined), "no value");
  assert.equal(describeValue(""), "empty");
});

test("an input that is not required any more has the emptiest value of its kind", () => {
  assert.deepEqual(
    [{ type: "string" }, { type: "array" }, { type: "integer" }, { type: "boolean" }, { enum: ["a", "b"] }].map(
      makeEmptyValue,
    ),
    ["", [], 0, false, "a"],
  );
});

test("the first name of an expression is the input that a print, a loop or a condition goes by", () => {
  const sources = {
    "{{ customer.name | upper }}": "customer",
    "{% for item in items %}": "items",
    "{%- for key, value in facts.items() -%}": "facts",
    "{% if not tone %}": "tone",
    "{% for 質問 in 質問一覧 %}": "質問一覧",
    "{{ größe }}": "größe",
    '{% elif tone == "warm" %}': "tone",
    "{% endfor %}": "",
    "{% raw %}{{ x }}{% endraw %}": "",
  };
  for (const [source, name] of Object.entries(sources)) assert.equal(findFirstName(source), name, source);
});
