// Fields of the front matter: parsing and editing.

import assert from "node:assert/strict";
import { test } from "node:test";
import {
  readField,
  readSetting,
  readTags,
  writeNumber,
  writeSetting,
  writeTags,
  writeText,
} from "../src/editor/form/front_matter.ts";
import { readNumber } from "../src/editor/form/settings_card.ts";
import type { Change } from "../src/editor/form/text_edits.ts";

const apply = (text: string, change: Change | null): string => {
  assert.ok(change);
  return text.slice(0, change.from) + change.insert + text.slice(change.to);
};
const TEXT = `---
description: 'Author''s reply'
tags: [mail, "by hand"]
model: gpt-4o # the cheap one
settings:
  temperature: 0.2
  top_p: 1
token_limit: 6000
inputs:
  name: {type: string}
---
- content: x
`;

test("fields are read as they are meant", () => {
  assert.deepEqual(readField(TEXT, "description"), { value: "Author's reply", isComplex: false, line: 2 });
  assert.equal(readTags(TEXT).value, "mail, by hand");
  assert.equal(readSetting(TEXT, "temperature").value, "0.2");
  assert.equal(readField(TEXT, "token_limit").value, "6000");
  assert.equal(readField(TEXT, "reserve").value, "");
});

test("what holds more than a value is left to the source", () => {
  assert.equal(readField(TEXT, "model").isComplex, true);
  assert.equal(writeText(TEXT, "model", "o3"), null);
  for (const value of ["|\n  two\n  lines", ">-\n  folded", "&anchor x", "{a: 1}", "a: b"]) {
    const text = `---\ndescription: ${value}\n---\nx`;
    assert.equal(readField(text, "description").isComplex, true, value);
    if (value !== "{a: 1}") assert.equal(writeText(text, "description", "y"), null, value);
  }
  assert.equal(writeTags("---\ntags:\n  - {a: 1}\n---\n", ["x"]), null);
  assert.equal(writeSetting('---\nsettings: {stop: ["a, b"]}\n---\n', "temperature", 1), null);
});

test("a field is replaced, put in its place, and taken out", () => {
  assert.ok(apply(TEXT, writeText(TEXT, "description", "x: y")).startsWith('---\ndescription: "x: y"\ntags:'));
  assert.ok(apply(TEXT, writeNumber(TEXT, "reserve", 800)).includes("token_limit: 6000\nreserve: 800\ninputs:"));
  assert.ok(!apply(TEXT, writeNumber(TEXT, "token_limit", null)).includes("token_limit"));
  assert.equal(writeNumber(TEXT, "reserve", null), null);
  assert.equal(
    apply("- content: x\n", writeText("- content: x\n", "model", "o3")),
    "---\nmodel: o3\n---\n- content: x\n",
  );
  assert.equal(apply("---\n---\nx", writeText("---\n---\nx", "model", "o3")), "---\nmodel: o3\n---\nx");
});

test("every text that is written is read back", () => {
  for (const text of [
    "plain",
    "true",
    "12",
    "# no comment",
    "a: b",
    "- x",
    "'",
    '"',
    "two\nlines",
    "ä → ü",
    " x ",
    "{{ x }}",
  ]) {
    const written = apply(TEXT, writeText(TEXT, "description", text));
    assert.deepEqual(readField(written, "description"), { value: text, isComplex: false, line: 2 }, text);
  }
});

test("tags are written on one line, each once, and a list below its key is read", () => {
  assert.ok(apply(TEXT, writeTags(TEXT, ["b", " a ", "b", ""])).includes("\ntags: [b, a]\n"));
  assert.ok(!apply(TEXT, writeTags(TEXT, [])).includes("tags"));
  const below = "---\ntags:\n- one\n- 'two'\nmodel: x\n---\n";
  assert.equal(readTags(below).value, "one, two");
  assert.equal(apply(below, writeTags(below, ["three"])), "---\ntags: [three]\nmodel: x\n---\n");
});

test("the temperature is set among other settings, and goes without them", () => {
  const inner = apply(TEXT, writeSetting(TEXT, "temperature", 0.7));
  assert.ok(inner.includes("settings:\n  temperature: 0.7\n  top_p: 1\n"));
  assert.ok(apply(TEXT, writeSetting(TEXT, "temperature", null)).includes("settings:\n  top_p: 1\n"));
  const bare = "---\nmodel: x\n---\n";
  const flow = apply(bare, writeSetting(bare, "temperature", 1));
  assert.equal(flow, "---\nmodel: x\nsettings: {temperature: 1}\n---\n");
  assert.equal(apply(flow, writeSetting(flow, "temperature", null)), bare);
  const two = "---\nsettings: {top_p: 1, temperature: 0}\n---\n";
  assert.equal(readSetting(two, "temperature").value, "0");
  assert.equal(apply(two, writeSetting(two, "temperature", 1)), "---\nsettings: {temperature: 1, top_p: 1}\n---\n");
  assert.equal(apply(two, writeSetting(two, "temperature", null)), "---\nsettings: {top_p: 1}\n---\n");
});

test("a number is taken as typed, or refused with a sentence", () => {
  assert.equal(readNumber("", 1, true), null);
  assert.equal(readNumber("6,000", 1, true), 6000);
  assert.equal(readNumber("0.5", 0, false), 0.5);
  for (const typed of ["x", "0", "1.5", "-1"]) assert.match(String(readNumber(typed, 1, true)), /whole number/);
});
