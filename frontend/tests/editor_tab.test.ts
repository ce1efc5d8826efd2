// IDs of editor tabs.

import assert from "node:assert/strict";
import { test } from "node:test";
import { findSameDraft, makeTabId } from "../src/app/editor_tab.ts";

test("a number has 32 hexadecimal digits, and the same first 8 for the same draft", () => {
  const [first, again, other] = [makeTabId("shorter"), makeTabId("shorter"), makeTabId("")];
  assert.match(first, /^[0-9a-f]{32}$/);
  assert.notEqual(first, again);
  assert.equal(first.slice(0, 8), again.slice(0, 8));
  assert.notEqual(first.slice(0, 8), other.slice(0, 8));
});

test("only tabs of the same draft count, those of this browser first", () => {
  const number = (draft: string, browser: string, tab: string): string =>
    draft.repeat(8) + browser.repeat(8) + tab.repeat(16);
  const own = number("a", "1", "0");
  assert.equal(findSameDraft(own, [own]), "nowhere");
  assert.equal(findSameDraft(own, [own, number("b", "1", "3")]), "nowhere");
  assert.equal(findSameDraft(own, [own, number("a", "2", "3")]), "elsewhere");
  assert.equal(findSameDraft(own, [own, number("a", "2", "3"), number("a", "1", "4")]), "here");
});
