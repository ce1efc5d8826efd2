// Texts in the reader's language: catalogue, plural forms, numbers.

import assert from "node:assert/strict";
import { afterEach, test } from "node:test";
import { formatNumber, gettext, ngettext } from "../src/language.ts";

const page = globalThis as { django?: unknown; document?: unknown };

afterEach(() => {
  delete page.django;
  delete page.document;
});

test("a text without a catalogue is English, with its values", () => {
  assert.equal(gettext("Saved {name}", { name: "{reply}" }), "Saved {reply}");
  assert.equal(gettext("{unknown} stays"), "{unknown} stays");
});

test("a count picks its form and is written with separators", () => {
  assert.equal(ngettext("{count} row", "{count} rows", 1), "1 row");
  assert.equal(ngettext("{count} row", "{count} rows", 1200), "1,200 rows");
});

test("a catalogue translates before values are filled in", () => {
  page.django = {
    gettext: (text: string) => (text === "Saved {name}" ? "{name} gespeichert" : text),
    ngettext: (one: string, many: string, count: number) => (count === 1 ? one : many.replace("rows", "Zeilen")),
  };
  page.document = { documentElement: { lang: "de" } };
  assert.equal(gettext("Saved {name}", { name: "reply" }), "reply gespeichert");
  assert.equal(ngettext("{count} row", "{count} rows", 1200), "1.200 Zeilen");
  assert.equal(formatNumber(0.5), "0,5");
});
