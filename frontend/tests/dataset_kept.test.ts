// Unsaved changes of a dataset's rows: restored on the same version, and on another one.

import assert from "node:assert/strict";
import { test } from "node:test";
import { listReplacedNames, packRows, unpackRows } from "../src/datasets/kept_rows.ts";
import { formatRows, makeRow, parseRows } from "../src/datasets/rows.ts";

const row = (id: string, question: string): string =>
  `{"id":"${id}","inputs":{"question":"${question}"},"expected":null}`;
const SAVED = [row("a", "one"), row("b", "two"), row("c", "three")].join("\n");

function change() {
  const saved = parseRows(SAVED);
  const [first, second, third] = saved.rows as [(typeof saved.rows)[0], (typeof saved.rows)[0], (typeof saved.rows)[0]];
  const edited = { ...second, cells: { ...second.cells, "inputs.question": { source: '"other"' } } };
  const added = makeRow({ id: { source: '"d"' }, "inputs.question": { source: '"four"' } });
  const wrong = makeRow({ "inputs.question": { text: "{", problem: "no JSON" } });
  return { saved, grid: { ...saved, rows: [third, first, edited, added, wrong] } };
}

test("a change of rows, their order and wrong values comes back as it was", () => {
  const { saved, grid } = change();
  const kept = JSON.parse(JSON.stringify(packRows(grid, saved, "one", 5)));
  assert.deepEqual(kept.rows.slice(0, 2), [2, 0]);
  const back = unpackRows(kept, saved, "one");
  assert.deepEqual(
    back.rows.map(({ cells }) => cells),
    grid.rows.map(({ cells }) => cells),
  );
  assert.deepEqual(
    back.rows.slice(0, 3).map(({ key }) => key),
    grid.rows.slice(0, 3).map(({ key }) => key),
  );
});

test("on another version edited rows go by their name, and nothing of that version is lost", () => {
  const { saved, grid } = change();
  const kept = packRows({ ...grid, rows: grid.rows.slice(1, 4) }, saved, "one", 5);
  const later = parseRows([row("z", "new"), row("b", "two"), row("c", "changed")].join("\n"));
  const merged = unpackRows(kept, later, "two");
  const texts = formatRows(merged)
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line))
    .map(({ id, inputs }) => [id, inputs.question]);
  assert.deepEqual(texts, [
    ["z", "new"],
    ["b", "other"],
    ["c", "changed"],
    ["d", "four"],
  ]);
});

test("rows of another version that changed rows take the place of are named, and no others", () => {
  const { saved, grid } = change();
  const kept = packRows(grid, saved, "one", 5);
  assert.deepEqual(listReplacedNames(kept, saved, "one"), []);
  const later = parseRows([row("b", "newer"), row("c", "three"), row("e", "new")].join("\n"));
  assert.deepEqual(listReplacedNames(kept, later, "two"), ["b"]);
  const same = parseRows([row("b", "other"), row("c", "three")].join("\n"));
  assert.deepEqual(listReplacedNames(kept, same, "two"), []);
});
