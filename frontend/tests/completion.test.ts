// Completion in the source editor.

import assert from "node:assert/strict";
import { test } from "node:test";
import { CompletionContext, type CompletionResult } from "@codemirror/autocomplete";
import { EditorState } from "@codemirror/state";
import { completeAt, type Vocabulary } from "../src/editor/completion.ts";

const vocabulary: Vocabulary = {
  inputs: {
    customer: { type: "object", properties: { name: { type: "string" }, plan: { type: "string" } } },
    orders: { type: "array", items: { type: "object", properties: { id: { type: "string" } } } },
  },
  names: [],
  filters: ["join", "upper"],
  functions: { join: "join(documents, delimiter=' ')", to_list: "to_list(value, like=None)" },
};

/** The labels offered at the `|` in the text. */
function offered(text: string, explicit = false): string[] {
  const pos = text.lastIndexOf("¦");
  const doc = text.replace("¦", "");
  const context = new CompletionContext(EditorState.create({ doc }), pos, explicit);
  const result: CompletionResult | null = completeAt(context, vocabulary);
  return result?.options.map((option) => option.label) ?? [];
}

test("inputs are offered inside an expression", () => {
  assert.ok(offered("- content: {{ cu¦").includes("customer"));
});

test("properties follow the schema of what stands before the dot", () => {
  assert.deepEqual(offered("- content: {{ customer.¦"), ["name", "plan"]);
});

test("a loop's variable has the properties of the items", () => {
  assert.deepEqual(offered("{% for order in orders %}\n- content: {{ order.¦"), ["id"]);
});

test("loop knows its own properties", () => {
  assert.ok(offered("{% for order in orders %}{{ loop.¦").includes("index"));
});

test("filters are offered after a bar", () => {
  assert.deepEqual(offered("{{ orders | ¦"), ["join", "upper"]);
});

test("tags are offered at the start of one", () => {
  assert.ok(offered("{% f¦").includes("for"));
});

test("nothing is offered in prose", () => {
  assert.deepEqual(offered("- content: |\n    You help peop¦"), []);
});

test("roles are offered as values", () => {
  assert.deepEqual(offered("- role: s¦"), ["system", "user", "assistant", "tool"]);
});

test("front matter has keys of its own", () => {
  assert.ok(offered("---\ntok¦\n---\n").includes("token_limit"));
  assert.ok(offered("---\ninputs:\n  a: {ty¦\n---\n").includes("type"));
});

test("a shaped document offers inputs and functions inside its braces, and nothing in its text", () => {
  const shaped = (body: string) => `---\nformat: shaped\n---\n${body}`;
  assert.deepEqual(offered(shaped("Answer {¦")), ["customer", "orders", "join", "to_list"]);
  assert.ok(offered(shaped("{join(or¦")).includes("orders"));
  assert.deepEqual(offered(shaped("Answer the que¦")), []);
  assert.deepEqual(offered(shaped("{{ liter¦")), []);
});

test("functions are offered with their signatures inside an expression", () => {
  assert.ok(offered("- content: {{ to¦").includes("to_list"));
});
