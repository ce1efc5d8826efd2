import assert from "node:assert/strict";
import { test } from "node:test";
import { findMention, matchPeople } from "../src/app/mentions.ts";

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

test("people are found by the start of their name, then of a word of their title", () => {
  const names = (prefix: string) => matchPeople(people, prefix).map((person) => person.name);
  assert.deepEqual(names("a"), ["anna"]);
  assert.deepEqual(names("r"), ["reviewer"]);
  assert.deepEqual(names("aut"), ["anna"]);
  assert.deepEqual(names(""), ["anna", "reviewer", "legal"]);
  assert.deepEqual(names("zz"), []);
});
