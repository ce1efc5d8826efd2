// Stored texts of a draft: which are offered again, and a browser that stores nothing.

import assert from "node:assert/strict";
import { test } from "node:test";
import { isSentText, LocalTexts } from "../src/editor/local_texts.ts";

const SAMPLES = new Map([["a", { question: "Why?" }]]);
const SHOWN = { document: "text", samples: SAMPLES, message: "" };
const PACKED = { samples: { a: { question: "Why?" } }, sampleOrder: ["a"] };

function useStorage(storage: Pick<Storage, "getItem" | "setItem" | "removeItem">): void {
  Object.defineProperty(globalThis, "localStorage", { value: storage, configurable: true });
}

function useMemory(): Map<string, string> {
  const items = new Map<string, string>();
  useStorage({
    getItem: (key) => items.get(key) ?? null,
    setItem: (key, value) => void items.set(key, value),
    removeItem: (key) => void items.delete(key),
  });
  return items;
}

test("a text is offered until somebody chooses, whatever is kept of the page meanwhile", () => {
  useMemory();
  const texts = new LocalTexts("demo/a");
  texts.keep({ document: "older", ...PACKED, at: 1 });
  assert.deepEqual(
    texts.listLeft(SHOWN).map(({ document }) => document),
    ["older"],
  );
  texts.keep({ document: "newer", ...PACKED, at: 2 });
  texts.remove();
  texts.keep({ document: "newest", ...PACKED, at: 3 });
  const left = texts.listLeft(SHOWN);
  assert.deepEqual(
    left.map(({ document }) => document),
    ["older", "newest"],
  );
  texts.removeLeft({ document: "older", at: 1 });
  assert.equal(texts.listLeft(SHOWN).length, 1);
  texts.restoreLeft({ document: "older", at: 1 });
  assert.equal(texts.listLeft(SHOWN).length, 2);
});

test("what is on the page is not offered; other samples, their order and another message are", () => {
  const items = useMemory();
  const texts = new LocalTexts("demo/a");
  texts.keep({ document: "text", ...PACKED, message: "", at: 1 });
  assert.deepEqual(texts.listLeft(SHOWN), []);
  assert.equal(items.size, 0);
  const two = { a: { question: "Why?" }, b: {} };
  const shown = { ...SHOWN, samples: new Map(Object.entries(two)) };
  for (const [at, other] of [
    { samples: { a: { question: "How?" } }, sampleOrder: ["a"] },
    { samples: two, sampleOrder: ["b", "a"] },
    { samples: two, sampleOrder: ["a", "b"], message: "Stop" },
  ].entries())
    texts.restoreLeft({ document: "text", ...other, at });
  assert.equal(texts.listLeft(shown).length, 3);
});

test("a tab continues with its own text where the page shows what the text began from, or what it sent", () => {
  useMemory();
  const mine = new LocalTexts("demo/a", "mine");
  const origin = { revisions: [3, 4], base: "2" };
  const sent = [{ document: "sent", ...PACKED, message: "" }];
  const page = { ...SHOWN, base: "2" };
  mine.keep({ document: "typed", ...PACKED, at: 1, origin, sent });
  for (const revision of [3, 4]) assert.equal(mine.findOwn({ ...page, revision })?.document, "typed");
  assert.equal(mine.findOwn({ ...page, revision: 9, document: "sent" })?.document, "typed");
  assert.equal(mine.findOwn({ ...page, revision: 9 }), null);
  assert.equal(mine.findOwn({ ...page, revision: 3, base: "3" }), null);
  const other = new LocalTexts("demo/a", "other");
  assert.equal(other.findOwn({ ...page, revision: 3 }), null);
  other.remove();
  assert.equal(mine.findOwn({ ...page, revision: 3 })?.document, "typed");
  assert.equal(other.listLeft(SHOWN).length, 1);
  assert.equal(mine.findOwn({ ...page, revision: 3 }), null);
});

test("the server's draft is compared with a sent text by document, samples and their order", () => {
  const sent = { document: "text", ...PACKED };
  assert.equal(isSentText(sent, { document: "text", ...PACKED }), true);
  assert.equal(isSentText(sent, { document: "other", ...PACKED }), false);
  assert.equal(isSentText(sent, { document: "text", samples: {} }), false);
  assert.equal(isSentText(sent, {}), false);
});

test("a browser that is full or keeps nothing says so and stops nothing", () => {
  const refuse = (): never => {
    throw new Error("refused");
  };
  useStorage({ getItem: refuse, setItem: refuse, removeItem: refuse });
  const texts = new LocalTexts("demo/a");
  assert.equal(texts.keep({ document: "text", at: 1 }), false);
  texts.remove();
  assert.deepEqual(texts.listLeft(SHOWN), []);
});
