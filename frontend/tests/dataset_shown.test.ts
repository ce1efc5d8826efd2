// What the grid of a dataset shows: removed rows, visible columns, lists and groups as fields.

import assert from "node:assert/strict";
import { test } from "node:test";
import { parseDelimited } from "../src/datasets/delimited.ts";
import * as edits from "../src/datasets/edits.ts";
import { listFilterSelects } from "../src/datasets/filter_selects.ts";
import { filterRows, makeBaseline, NO_FILTER } from "../src/datasets/filters.ts";
import { listRemoved, placeRemoved, putBackRow } from "../src/datasets/removed_rows.ts";
import { parseRows } from "../src/datasets/rows.ts";
import { findShownCells, keepPlace, NO_CELLS } from "../src/datasets/shown_cells.ts";
import { describeStructure, isEditedInFields, nameStructure, readForFields } from "../src/datasets/typed_values.ts";
import type { Column, Grid, GridRow } from "../src/datasets/types.ts";

const makeGrid = (): Grid =>
  parseRows(["a", "b", "c", "d"].map((id) => JSON.stringify({ id, inputs: { question: `${id}?` } })).join("\n"));
const nameOf = (row: GridRow): string => ("source" in (row.cells.id ?? {}) ? JSON.stringify(row.cells.id) : "");
const names = (rows: readonly GridRow[]): string =>
  rows
    .map((row) =>
      nameOf(row)
        .replace(/[^abcd]/g, "")
        .at(-1),
    )
    .join("");
const keysOf = (grid: Grid, letters: string): Set<number> =>
  new Set([...letters].map((letter) => grid.rows["abcd".indexOf(letter)]?.key ?? 0));

test("removed rows stand where they stood, also the first and several in a row", () => {
  const saved = makeGrid();
  const baseline = makeBaseline(saved);
  for (const gone of ["a", "d", "bc", "abcd"]) {
    const grid = edits.removeRows(saved, keysOf(saved, gone));
    const removed = listRemoved(grid, NO_FILTER, baseline);
    assert.equal(names(removed), gone);
    assert.equal(names(placeRemoved(grid.rows, removed, baseline)), "abcd");
  }
});

test("a removed row is put back in its place once, and an unknown one never", () => {
  const saved = makeGrid();
  const baseline = makeBaseline(saved);
  const grid = edits.removeRows(saved, keysOf(saved, "bd"));
  const [key = 0] = keysOf(saved, "b");
  const back = putBackRow(grid, key, baseline);
  assert.equal(names(back.rows), "abc");
  assert.equal(putBackRow(back, key, baseline), back);
  assert.equal(putBackRow(back, 1e9, baseline), back);
});

test("removed rows follow the search, and are no errors", () => {
  const saved = makeGrid();
  const baseline = makeBaseline(saved);
  const grid = edits.removeRows(saved, keysOf(saved, "bd"));
  assert.equal(names(listRemoved(grid, { ...NO_FILTER, query: "d?" }, baseline)), "d");
  assert.equal(names(listRemoved(grid, { ...NO_FILTER, show: "changed" }, baseline)), "bd");
  assert.equal(listRemoved(grid, { ...NO_FILTER, show: "faults" }, baseline).length, 0);
});

test("the chosen cell leaves a hidden column, and equal columns stay the same array", () => {
  const grid = makeGrid();
  const by = { filter: NO_FILTER, baseline: makeBaseline(grid), faults: new Map() };
  const all = findShownCells(grid, grid.columns, by, NO_CELLS);
  assert.equal(findShownCells(grid, [...grid.columns], by, all).columns, all.columns);
  const place = { row: grid.rows[2]?.key ?? 0, column: "inputs.question" };
  assert.equal(keepPlace(all, place), place);
  const without = grid.columns.filter((column) => column.key !== "inputs.question");
  const less = findShownCells(grid, without, by, all);
  assert.deepEqual(keepPlace(less, place), { row: grid.rows[0]?.key, column: "tags" });
  assert.equal(keepPlace(NO_CELLS, place), null);
});

test("a paste goes over the shown columns only", () => {
  const grid = edits.addColumn(edits.addColumn(makeGrid(), "inputs", "days", "number"), "inputs", "tone", "text");
  const shown = grid.columns.filter((column) => column.name !== "days");
  const at = { row: grid.rows[0]?.key ?? 0, column: "inputs.question" };
  const pasted = edits.pasteTable(grid, [at.row], at, [["Where?", "warm"]], shown);
  assert.equal(pasted.rows[0]?.cells["inputs.days"], undefined);
  assert.deepEqual(pasted.rows[0]?.cells["inputs.tone"], { source: '"warm"' });
});

const LIST: Column = {
  key: "inputs.excerpts",
  section: "inputs",
  name: "excerpts",
  kind: "json",
  schema: { type: "array", items: { type: "string" } },
};
const GROUP: Column = { ...LIST, schema: { type: "object", properties: { name: { type: "string" } } } };

test("lists and groups are edited in fields, and what fields would change as JSON", () => {
  assert.ok(isEditedInFields({ source: '["a"]' }, LIST));
  assert.ok(isEditedInFields(undefined, LIST));
  assert.ok(isEditedInFields({ source: '{"name":"a"}' }, GROUP));
  assert.ok(!isEditedInFields({ source: '{"name":1.0}' }, GROUP), "1.0 would become 1");
  assert.ok(!isEditedInFields({ source: '"a"' }, LIST));
  assert.ok(!isEditedInFields({ source: "null" }, LIST));
  assert.ok(!isEditedInFields({ source: "[]" }, GROUP));
  assert.ok(!isEditedInFields({ text: "[", problem: "Not JSON" }, LIST));
  const { schema: _, ...undeclared } = LIST;
  assert.ok(!isEditedInFields({ source: '["a"]' }, undeclared));
  assert.equal(readForFields({ source: "12345678901234567890" }), null);
  assert.equal(nameStructure({ type: "object" }), "", "a group without names has no fields");
});

test("a list reads as its first item with how many there are, a group as its fields", () => {
  const describe = (source: string, column: Column) => describeStructure({ source }, column);
  assert.deepEqual(describe('["a","b"]', LIST), { first: "a", count: "2 items" });
  assert.deepEqual(describe("[]", LIST), { first: "none", count: "" });
  assert.deepEqual(describe('{"name":"Mia","age":12}', GROUP), { first: "name: Mia, age: 12", count: "" });
  assert.deepEqual(describe("{}", GROUP), { first: "none", count: "" });
  assert.deepEqual(describe('[{"content":"One."},{"content":"Two."}]', LIST), {
    first: "content: One.",
    count: "2 items",
  });
  assert.equal(describe("[1]", LIST), null);
  assert.equal(describe("null", GROUP), null);
  assert.equal(describe('{"age":1.0}', GROUP), null, "a number that would be written otherwise stays JSON");
  assert.equal(describeStructure(undefined, GROUP), null);
  assert.equal(describeStructure({ text: "[", problem: "Not JSON" }, LIST), null);
  const { schema: _, ...undeclared } = LIST;
  assert.equal(describe('["a"]', undeclared), null);
});

test("tags and columns of choices are offered to filter by, and the rows that hold the pick are left", () => {
  const lines = [
    { id: "a", inputs: { tone: "warm" }, expected: { decision: "refund" }, tags: ["sale", "late"] },
    { id: "b", inputs: { tone: "formal" }, expected: { decision: "refuse" }, tags: ["sale"] },
    { id: "c", inputs: { tone: "warm" } },
  ];
  const read = parseRows(lines.map((line) => JSON.stringify(line)).join("\n"));
  assert.deepEqual(
    listFilterSelects(read).map((select) => select.key),
    ["tags"],
  );
  const choices: Record<string, string[]> = { "inputs.tone": ["formal", "warm"], "expected.decision": ["refund"] };
  const columns = read.columns.map((column) => ({ ...column, choices: choices[column.key] ?? [] }));
  const grid = { ...read, columns };
  const keys = listFilterSelects(grid).map(({ key, values }) => [key, ...values]);
  assert.deepEqual(keys, [
    ["tags", "late", "sale"],
    ["expected.decision", "refund"],
    ["inputs.tone", "formal", "warm"],
  ]);
  const pick = (picks: Record<string, string>) =>
    filterRows(grid, { ...NO_FILTER, picks }, makeBaseline(grid), new Map())
      .map((row) => nameOf(row).match(/[abc](?=\W*$)/)?.[0])
      .join("");
  assert.equal(pick({ tags: "sale" }), "ab");
  assert.equal(pick({ tags: "sale", "inputs.tone": "warm" }), "a");
  assert.equal(pick({ "inputs.tone": "warm" }), "ac");
  assert.equal(pick({ tags: "gone" }), "");
  assert.equal(listFilterSelects(makeGrid()).length, 0);
});

test("a line that can't be read is told as it stands in the file", () => {
  const table = parseDelimited('a,b\nx,"y"z\n"open,3\n', ",");
  assert.deepEqual(
    table.problems.map(({ line, text }) => [line, text]),
    [
      [2, 'x,"y"z'],
      [3, '"open,3'],
    ],
  );
});
