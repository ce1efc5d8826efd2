// Declared inputs: edits of the front matter, and the kinds of inputs.

import assert from "node:assert/strict";
import { test } from "node:test";
import { addInput, dropInput, setInput, writeFlowYaml } from "../src/editor/form/input_edits.ts";
import { findKind, readDefault, setKind } from "../src/editor/form/input_kinds.ts";
import type { Change } from "../src/editor/form/text_edits.ts";

const apply = (text: string, change: Change | null): string => {
  assert.ok(change);
  return text.slice(0, change.from) + change.insert + text.slice(change.to);
};

test("flow style writes what YAML reads as the same value", () => {
  assert.equal(
    writeFlowYaml({ type: "string", enum: ["formal", "a: b", "true", ""], maxLength: 3 }),
    '{type: string, enum: [formal, "a: b", "true", ""], maxLength: 3}',
  );
  assert.equal(
    writeFlowYaml({ $ref: "#/x", default: null, minimum: -1.5 }),
    '{$ref: "#/x", default: null, minimum: -1.5}',
  );
});

test("an input goes to the end of the list, or begins one", () => {
  const listed = "---\ninputs:\n  a: {type: string}\n\ntags: [x]\n---\nbody\n";
  assert.equal(
    apply(listed, addInput(listed, "b", { type: "integer" })),
    "---\ninputs:\n  a: {type: string}\n  b: {type: integer}\n\ntags: [x]\n---\nbody\n",
  );
  const none = "---\ntags: [x]\n---\nbody\n";
  assert.equal(apply(none, addInput(none, "b", {})), "---\ntags: [x]\ninputs:\n  b: {}\n---\nbody\n");
  assert.equal(apply("body\n", addInput("body\n", "b", {})), "---\ninputs:\n  b: {}\n---\nbody\n");
  const empty = "---\ninputs: {}\n---\n";
  assert.equal(apply(empty, addInput(empty, "b", {})), "---\ninputs:\n  b: {}\n---\n");
  assert.equal(addInput("---\ninputs: {a: {}}\n---\n", "b", {}), null);
});

test("an input on one line is changed and taken out; one of several lines is left to the source", () => {
  const text = "---\ninputs:\n    a: {type: string}\n    b:\n      type: string\n    c: {type: string} # why\n---\n";
  assert.equal(
    apply(text, setInput(text, "a", { type: "string", maxLength: 9 })),
    text.replace("a: {type: string}", "a: {type: string, maxLength: 9}"),
  );
  assert.equal(apply(text, dropInput(text, "a")), text.replace("    a: {type: string}\n", ""));
  for (const name of ["b", "c", "absent", "type"]) assert.equal(setInput(text, name, {}), null, name);
});

test("kinds are told from schemas, and a change of kind keeps what both know", () => {
  assert.equal(findKind({ type: "string", enum: ["a"] }), "choice");
  assert.equal(findKind({ type: "array", items: { type: "string" } }), "list");
  for (const schema of [{}, { type: "object" }, { type: ["string", "null"] }, { enum: [1] }])
    assert.equal(findKind(schema), null);
  assert.deepEqual(setKind({ type: "string", maxLength: 4, untrusted: true }, "list"), {
    type: "array",
    items: { type: "string" },
    untrusted: true,
  });
});

test("a default is read in the type of its input", () => {
  assert.equal(readDefault({ type: "string" }, ""), undefined);
  assert.equal(readDefault({ type: "integer" }, "3"), 3);
  assert.equal(readDefault({ type: "integer" }, "3.5"), null);
  assert.equal(readDefault({ type: "boolean" }, "no"), false);
  assert.equal(readDefault({ type: "string", enum: ["a"] }, "b"), null);
});
