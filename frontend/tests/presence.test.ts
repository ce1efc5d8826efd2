// Sentences about who else is in the editor.

import assert from "node:assert/strict";
import { test } from "node:test";
import { describePresence, type Present } from "../src/app/presence.ts";

const TAB = "a".repeat(32);
const present = (facts: Partial<Present>): Present => ({ people: [], parts: {}, own_tabs: [], ...facts });
const say = (facts: Partial<Present>, tab?: string): string[] =>
  describePresence(present(facts), tab).map((each) => each.text);

test("nobody else is said nothing of", () => {
  assert.deepEqual(say({}), []);
  assert.deepEqual(say({ own_tabs: [TAB] }, TAB), []);
});

test("who edits a part is named with it, and the sentence leads there", () => {
  const words = describePresence(present({ people: ["author", "reviewer"], parts: { reviewer: "instructions" } }), TAB);
  assert.deepEqual(words, [
    { text: "reviewer is editing instructions", part: "instructions" },
    { text: "author is editing now" },
  ]);
});

test("two people without a part share a sentence", () => {
  assert.deepEqual(say({ people: ["author", "reviewer"] }), ["author and reviewer are editing now"]);
});

test("more than two people are counted, and named on pointing", () => {
  const people = ["admin", "author", "reviewer"];
  assert.deepEqual(describePresence(present({ people, parts: { author: "task" } })), [
    { text: "3 people are editing now", names: "admin, author is editing task, reviewer" },
  ]);
});

test("the reader's other tab with the same draft is told in the editor only", () => {
  const own_tabs = [TAB, `${TAB.slice(0, 31)}b`];
  assert.deepEqual(say({ own_tabs }, TAB), ["Also open in another tab"]);
  assert.deepEqual(say({ own_tabs }), []);
  assert.deepEqual(say({ own_tabs, people: ["author"] }, TAB), ["author is editing now", "Also open in another tab"]);
  assert.deepEqual(say({ own_tabs: [TAB, TAB.slice(0, 8) + "b".repeat(24)] }, TAB), ["Also open in another browser"]);
});

test("a tab with another draft of the reader's is said nothing of", () => {
  assert.deepEqual(say({ own_tabs: [TAB, "b".repeat(32)] }, TAB), []);
});
