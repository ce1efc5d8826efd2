// The outline of a document that the form mode shows.

import assert from "node:assert/strict";
import { test } from "node:test";
import { type Block, listParts, type Outline, type Part, type Refusal } from "../src/editor/form/outline.ts";
import { readOutline } from "../src/editor/form/outline_reader.ts";
import {
  addPart,
  type Change,
  dropNode,
  moveNode,
  quoteYaml,
  writeContent,
  writeKey,
} from "../src/editor/form/text_edits.ts";

const TEXT = `---
description: Reply
inputs:
  question: {type: string}
---
- name: instructions
  role: system
  content: |
    You help {{ name }}.

      Indented.
{# the excerpts #}
{% for excerpt in excerpts %}
- name: excerpt {{ loop.index }}
  truncation_priority: 2
  keep_last: 2
  content: "[{{ loop.index }}] {{ excerpt }}"
{% endfor %}

- name: question
  content: |-
    {{ question }}
`;

const outline = (text: string): Outline => {
  const found = readOutline(text, "parts");
  assert.ok("nodes" in found, (found as Refusal).reason);
  return found;
};
const apply = (text: string, change: Change): string =>
  text.slice(0, change.from) + change.insert + text.slice(change.to);
const part = (text: string, index: number): Part => listParts(outline(text).nodes)[index] as Part;

test("parts are found in order, with their values and places", () => {
  const found = listParts(outline(TEXT).nodes);
  assert.deepEqual(
    found.map((each) => [each.name?.text, each.role?.text, each.priority?.text]),
    [
      ["instructions", "system", undefined],
      ["excerpt {{ loop.index }}", undefined, "2"],
      ["question", undefined, undefined],
    ],
  );
  for (const each of found) {
    if (each.name) assert.equal(TEXT.slice(each.name.from, each.name.to), each.name.text);
  }
});

test("a block's content comes without its margin, and keeps what stands deeper", () => {
  assert.equal(part(TEXT, 0).content?.text, "You help {{ name }}.\n\n  Indented.");
  assert.equal(part(TEXT, 1).content?.text, "[{{ loop.index }}] {{ excerpt }}");
});

test("a loop holds its parts, comments and other keys are kept as they are", () => {
  const { nodes } = outline(TEXT);
  assert.deepEqual(
    nodes.map((node) => node.kind),
    ["part", "lines", "block", "part"],
  );
  const loop = nodes[2] as Block;
  assert.equal(loop.sections[0]?.head, "for excerpt in excerpts");
  assert.deepEqual(part(TEXT, 1).others, ["keep_last: 2"]);
});

test("a condition has a section for each of its ways", () => {
  const { nodes } = outline(
    "{% if a %}\n- content: x\n{% elif b %}\n- content: y\n{% else %}\n- content: z\n{% endif %}\n",
  );
  assert.deepEqual(
    (nodes[0] as Block).sections.map((section) => section.head),
    ["if a", "elif b", "else"],
  );
});

test("macros and set blocks are lines", () => {
  const { nodes } = outline(
    "{% macro m() %}\n- x\n{% endmacro %}\n{% set a = 1 %}\n{% set b %}\nhm\n{% endset %}\n- content: a\n",
  );
  assert.deepEqual(
    nodes.map((node) => node.kind),
    ["lines", "lines", "lines", "part"],
  );
});

test("what the form can't tell for sure is refused with its line", () => {
  for (const [text, line] of [
    ["- content: |\n    a\n{% if x %}\n    b\n{% endif %}\n", 4],
    ["{{ parts }}\n", 1],
    ["- name: a\n  settings:\n    b: 1\n", 2],
    ["{% for a in b %}\n- content: x\n", 3],
    ["{% endfor %}\n", 1],
    ["- name: a\n     role: user\n", 1],
  ] as const) {
    const found = readOutline(text, "parts") as Refusal;
    assert.equal(found.line, line, `${text} ${found.reason}`);
  }
  assert.match((readOutline("x", "shaped") as Refusal).reason, /shaped/);
});

test("a content that is more than a simple value is left to the source", () => {
  for (const value of ['"a\\nb"', "[1, 2]", "{type: image}", ">\n    folded", "*alias", "a: b", ""]) {
    const found = listParts(outline(`- name: x\n  content: ${value}\n`).nodes)[0];
    assert.equal(found?.content, null, value);
  }
});

test("the text format is one content, all of the body", () => {
  const found = readOutline("---\nformat: text\n---\nHello\n", "text") as Outline;
  assert.equal((found.nodes[0] as Part).content?.text, "Hello\n");
});

test("writing a content keeps the margin, and blank lines blank", () => {
  const first = part(TEXT, 0);
  assert.ok(first.content);
  const text = apply(TEXT, writeContent(first, first.content, "One\n\n  Two {{ x }}"));
  assert.equal(part(text, 0).content?.text, "One\n\n  Two {{ x }}");
  assert.ok(text.includes("    One\n\n      Two {{ x }}\n{# the excerpts #}"));
});

test("a line of blanks between two others is kept, and one at an edge is left out", () => {
  const first = part(TEXT, 0);
  assert.ok(first.content);
  const text = apply(TEXT, writeContent(first, first.content, "One\n  \nTwo\n   \n"));
  assert.equal(part(text, 0).content?.text, "One\n  \nTwo");
  assert.ok(text.includes("    One\n      \n    Two\n\n{# the excerpts #}"));
});

test("blanks before a content's first word do not break the lines below it", () => {
  const first = part(TEXT, 0);
  assert.ok(first.content);
  const text = apply(TEXT, writeContent(first, first.content, "\n   One\n  two\nthree"));
  assert.equal(part(text, 0).content?.text, "\nOne\n  two\nthree");
  assert.equal(listParts(outline(text).nodes).length, 3);
});

test("a value on its key's line becomes a block that reads the same", () => {
  const second = part(TEXT, 1);
  assert.ok(second.content);
  const text = apply(TEXT, writeContent(second, second.content, 'Say "hi"\nand: more'));
  assert.equal(part(text, 1).content?.text, 'Say "hi"\nand: more');
  assert.equal(listParts(outline(text).nodes).length, 3);
});

test("a key is written in its place, or on a line of its own", () => {
  const second = part(TEXT, 1);
  let text = apply(TEXT, writeKey(TEXT, second, "truncation_priority", second.priority, "5"));
  assert.equal(part(text, 1).priority?.text, "5");
  text = apply(text, writeKey(text, part(text, 1), "role", null, "assistant"));
  assert.equal(part(text, 1).role?.text, "assistant");
  assert.equal(part(text, 1).content?.text, "[{{ loop.index }}] {{ excerpt }}");
});

test("two neighbours change places, and what stands between them stays", () => {
  const { nodes } = outline(TEXT);
  const text = apply(TEXT, moveNode(TEXT, nodes, 2, 3) as Change);
  assert.equal(apply(TEXT, moveNode(TEXT, nodes, 3, 2) as Change), text);
  assert.deepEqual(
    listParts(outline(text).nodes).map((each) => each.name?.text),
    ["instructions", "question", "excerpt {{ loop.index }}"],
  );
  assert.ok(text.includes("{{ question }}\n\n{% for"));
  const bare = "- name: a\n  content: x\n- name: b\n  content: y";
  const moved = apply(bare, moveNode(bare, outline(bare).nodes, 0, 1) as Change);
  assert.equal(moved, "- name: b\n  content: y\n- name: a\n  content: x");
});

test("a part is moved over several others, and back again", () => {
  const before = "- name: a\n  content: x\n\n- name: b\n  content: y\n# why\n- name: c\n  content: z\n";
  const { nodes } = outline(before);
  const after = apply(before, moveNode(before, nodes, 0, 3) as Change);
  assert.deepEqual(
    listParts(outline(after).nodes).map((each) => each.name?.text),
    ["b", "c", "a"],
  );
  assert.equal(apply(after, moveNode(after, outline(after).nodes, 3, 0) as Change), before);
  assert.equal(moveNode(before, nodes, 1, 1), null);
  assert.equal(moveNode(before, nodes, 1, 4), null);
});

test("a part is added at the end, and taken out whole", () => {
  const text = apply(TEXT, addPart(TEXT, "closing"));
  assert.equal(part(text, 3).name?.text, "closing");
  assert.equal(apply(text, dropNode(part(text, 3))), TEXT);
});

test("names are quoted where YAML would read something else", () => {
  assert.equal(quoteYaml("excerpt {{ loop.index }}"), "excerpt {{ loop.index }}");
  for (const name of ["true", "a: b", "# x", "- x", "", "12", "x "])
    assert.equal(quoteYaml(name), JSON.stringify(name));
});

test("a part without text can be written, emptied and written again", () => {
  const empty = "- name: a\n  content: |\n- name: b\n  content: |\n    Hi\n";
  const written = "- name: a\n  content: |\n    One\n- name: b\n  content: |\n    Hi\n";
  const write = (text: string, content: string): string => {
    const outline = readOutline(text, "parts");
    assert.ok(!("reason" in outline));
    const part = listParts(outline.nodes)[0];
    assert.ok(part?.content);
    const { from, to, insert } = writeContent(part, part.content, content);
    return text.slice(0, from) + insert + text.slice(to);
  };
  assert.equal(write(empty, "One"), written);
  const emptied = write(written, "");
  assert.equal(write(emptied, "One"), written);
  assert.equal(write(write(emptied, "One"), ""), emptied);
});
