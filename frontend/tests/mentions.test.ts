// Detection of mentions and owners being typed.

import assert from "node:assert/strict";
import { test } from "node:test";
import { findMention, findOwner, matchPeople } from "../src/app/mentions.ts";

const people = [
  { name: "anna", title: "Anna Author", group: false },
  { name: "reviewer", title: "Rita Reviewer", group: false },
  { name: "legal", title: "Legal", group: true },
];

test("a mention is what is typed behind an @ at the start of a word", () => {
  assert.deepEqual(findMention("Ask @re", 7), { start: 4, prefix: "re" });
  assert.deepEqual(findMention("@", 1), { start: 0, prefix: "" });
  assert.deepEqual(findMention("(@an) later", 4), { start: 1, prefix: "an" });
});

test("an address of mail, a name that is finished and other text are no mention", () => {
  for (const text of ["mail a@b", "@anna and", "no name", "@@a", "@Ann"]) {
    assert.equal(findMention(text, text.length), null, text);
  }
});

test("an owner is a name that is typed, in a text of several lines behind the pattern's colon", () => {
  assert.deepEqual(findOwner("re", 2, false), { start: 0, prefix: "re" });
  assert.deepEqual(findOwner("anna, group:le", 14, false), { start: 6, prefix: "le" });
  assert.deepEqual(findOwner("*: anna\nrefunds/*: re", 22, true), { start: 20, prefix: "re" });
});

test("a pattern, and a name that is finished, are no owner that is being typed", () => {
  assert.equal(findOwner("refunds", 7, true), null);
  assert.equal(findOwner("anna: an\nrefunds", 16, true), null);
  for (const text of ["", "anna, ", "group:", "refunds/an"]) assert.equal(findOwner(text, text.length, false), null);
});

test("people are found by the start of their name, then of a word of their title", () => {
  const names = (prefix: string) => matchPeople(people, prefix).map((person) => person.name);
  assert.deepEqual(names("a"), ["anna"]);
  assert.deepEqual(names("r"), ["reviewer"]);
  assert.deepEqual(names("aut"), ["anna"]);
  assert.deepEqual(names(""), ["anna", "reviewer", "legal"]);
  assert.deepEqual(names("zz"), []);
});
