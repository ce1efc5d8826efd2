import assert from "node:assert/strict";
import { test } from "node:test";
import { ensureSyntaxTree } from "@codemirror/language";
import { EditorState } from "@codemirror/state";
import { highlightTree } from "@lezer/highlight";
import { type Format, formatOf, frontMatterEnd, highlighter, languageOf } from "../src/editor/language.ts";

const state = (doc: string, format: Format = "parts"): EditorState =>
  EditorState.create({ doc, extensions: [languageOf(format)] });

/** What the highlighter says of each piece of text: `class: text`. */
function looks(doc: string, format: Format = "parts"): string[] {
  const start = state(doc, format);
  const tree = ensureSyntaxTree(start, doc.length, 5000);
  assert.ok(tree);
  const found: string[] = [];
  highlightTree(tree, highlighter, (from, to, look) => found.push(`${look}: ${doc.slice(from, to)}`));
  return found;
}

test("front matter exists where line 1 opens it and a later line closes it", () => {
  assert.equal(frontMatterEnd(state("---\na: 1\n---\n- name: x")), 3);
  assert.equal(frontMatterEnd(state("---\na: 1\n")), 0);
  assert.equal(frontMatterEnd(state("- name: x\n---\n")), 0);
});

test("the format is read from the front matter and is parts without one", () => {
  assert.equal(formatOf(state('---\nformat: "text"\n---\nformat: shaped')), "text");
  assert.equal(formatOf(state("---\nmodel: x\n---\nformat: text")), "parts");
  assert.equal(formatOf(state("- name: x")), "parts");
});

test("keys are marked in front matter and body, through loops around them", () => {
  const marked = looks("---\ntoken_limit: 6\n---\n{% for x in y %}\n- name: a\n  content: hi {{ x }}\n{% endfor %}\n");
  for (const key of ["token_limit", "name", "content"]) assert.ok(marked.includes(`tok-key: ${key}`), key);
});

test("a block of text is not taken for YAML", () => {
  const marked = looks("- name: a\n  content: |\n    Note: this is prose\n");
  assert.ok(!marked.some((each) => each.includes("Note")));
});

test("the body of a text document has no keys", () => {
  assert.deepEqual(
    looks("name: {{ x }}", "text").filter((each) => each.startsWith("tok-key")),
    [],
  );
});
