// Edits of the grid of a dataset: cells, rows, columns, filters, undo.

import assert from "node:assert/strict";
import { test } from "node:test";
import { readCell } from "../src/datasets/cells.ts";
import * as edits from "../src/datasets/edits.ts";
import { listFixes } from "../src/datasets/fault_fixes.ts";
import { listFaults, placeFaults } from "../src/datasets/faults.ts";
import { countChanges, describeChange, filterRows, makeBaseline, NO_FILTER } from "../src/datasets/filters.ts";
import { pushStep, redoStep, startHistory, undoStep } from "../src/datasets/history.ts";
import { formatRows, makeColumn, makeRow, parseRows } from "../src/datasets/rows.ts";
import { findTagsProblem, readRowTags } from "../src/datasets/tags.ts";
import type { Column, Grid, GridRow } from "../src/datasets/types.ts";
import { computeRowTops, findVisibleRange, ROW_HEIGHT } from "../src/datasets/visible_rows.ts";
import { makeRandom, randomInteger, randomText } from "./random_values.ts";

const makeGrid = (): Grid =>
  parseRows(
    ["late", "lost", "faulty"]
      .map((id, days) => JSON.stringify({ id, inputs: { question: `Is ${id} ok?`, days }, expected: { answer: "No" } }))
      .join("\n"),
  );
const keyAt = (grid: Grid, index: number): number => grid.rows[index]?.key ?? -1;
const values = (grid: Grid): unknown[] =>
  formatRows(grid)
    .trimEnd()
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line));

test("a cell is set and left out, and the other rows stay the same objects", () => {
  const grid = makeGrid();
  const edit = { row: keyAt(grid, 1), column: "inputs.question", cell: { source: '"Where?"' } };
  const edited = edits.setCells(grid, [edit]);
  assert.equal(edited.rows[0], grid.rows[0]);
  assert.deepEqual(edited.rows[1]?.cells["inputs.question"], { source: '"Where?"' });
  assert.equal(edits.setCells(edited, [{ ...edit, cell: undefined }]).rows[1]?.cells["inputs.question"], undefined);
});

test("rows are duplicated next to themselves under a name of their own, and removed", () => {
  const grid = makeGrid();
  const twice = edits.duplicateRows(edits.duplicateRows(grid, new Set([keyAt(grid, 0)])), new Set([keyAt(grid, 0)]));
  assert.deepEqual(
    values(twice).map((row) => (row as { id: string }).id),
    ["late", "late-3", "late-2", "lost", "faulty"],
  );
  assert.equal(edits.removeRows(grid, new Set([keyAt(grid, 0), keyAt(grid, 2)])).rows.length, 1);
});

test("columns are added in their section, renamed, duplicated and removed", () => {
  const grid = edits.addColumn(makeGrid(), "inputs", "tone", "text");
  assert.deepEqual(
    grid.columns.map((column) => column.key),
    ["id", "inputs.question", "inputs.days", "inputs.tone", "expected.answer", "tags"],
  );
  const renamed = edits.renameColumn(grid, "inputs.question", "message");
  assert.deepEqual(renamed.rows[0]?.cells["inputs.message"], { source: '"Is late ok?"' });
  const copied = edits.duplicateColumn(renamed, "inputs.message");
  assert.deepEqual(copied.rows[0]?.cells["inputs.message_2"], { source: '"Is late ok?"' });
  assert.deepEqual(values(edits.removeColumn(copied, "inputs.message_2")), values(renamed));
  assert.match(edits.findNameProblem(grid, "inputs", "tone"), /already/);
  assert.match(edits.findNameProblem(grid, "inputs", " "), /needs a name/);
  assert.equal(edits.findNameProblem(grid, "inputs", "tone", "inputs.tone"), "");
});

test("a column that becomes numbers says which of its values are none", () => {
  const grid = edits.changeKind(makeGrid(), "inputs.question", "number");
  const faults = listFaults(grid, []);
  assert.equal(faults.size, 3);
  assert.equal(listFaults(edits.changeKind(grid, "inputs.question", "text"), []).size, 0);
});

test("pasted cells fill what is there and add the rows that lack", () => {
  const grid = makeGrid();
  const visible = grid.rows.map((row) => row.key);
  const pasted = edits.pasteTable(grid, visible, { row: keyAt(grid, 2), column: "inputs.question" }, [
    ["One", "1"],
    ["Two", "many"],
  ]);
  assert.equal(pasted.rows.length, 4);
  assert.deepEqual(pasted.rows[2]?.cells["inputs.days"], { source: "1" });
  const [fault] = listFaults(pasted, []).get(keyAt(pasted, 3)) ?? [];
  assert.equal(fault?.column, "inputs.days");
  assert.equal(edits.pasteTable(grid, visible, { row: 1, column: "gone" }, [["x"]]), grid);
});

test("rows that a filter hides are not pasted over", () => {
  const grid = makeGrid();
  const at = { row: keyAt(grid, 0), column: "inputs.question" };
  const pasted = edits.pasteTable(grid, [keyAt(grid, 0), keyAt(grid, 2)], at, [["One"], ["Two"]]);
  assert.deepEqual(pasted.rows[1], grid.rows[1]);
  assert.deepEqual(pasted.rows[2]?.cells["inputs.question"], { source: '"Two"' });
});

test("any steps are undone to the beginning and redone to the end", () => {
  const random = makeRandom(3);
  for (let round = 0; round < 50; round += 1) {
    const first = makeGrid();
    let history = startHistory(first);
    for (let step = 0; step < 12; step += 1) {
      const { grid } = history;
      const key = keyAt(grid, randomInteger(random, Math.max(1, grid.rows.length)));
      const cell = { source: JSON.stringify(randomText(random)) };
      const choices = [
        () => edits.setCells(grid, [{ row: key, column: "inputs.question", cell }]),
        () => edits.removeRows(grid, new Set([key])),
        () => edits.duplicateRows(grid, new Set([key])),
        () => edits.insertRows(grid, 0, [makeRow()]),
        () => edits.changeKind(grid, "inputs.days", random() < 0.5 ? "text" : "number"),
      ];
      history = pushStep(history, (choices[randomInteger(random, choices.length)] as () => Grid)(), "edit");
    }
    const last = history.grid;
    while (history.past.length) history = undoStep(history);
    assert.equal(history.grid, first);
    while (history.future.length) history = redoStep(history);
    assert.equal(history.grid, last);
  }
});

test("a step after an undo forgets what was undone", () => {
  const grid = makeGrid();
  let history = pushStep(startHistory(grid), edits.removeRows(grid, new Set([keyAt(grid, 0)])), "remove");
  history = pushStep(undoStep(history), edits.insertRows(grid, 0, [makeRow()]), "add");
  assert.equal(history.future.length, 0);
  assert.equal(undoStep(history).grid, grid);
  assert.equal(undoStep(undoStep(history)).grid, grid);
});

test("changes are counted against the saved rows, and an edit taken back is none", () => {
  const grid = makeGrid();
  const baseline = makeBaseline(grid);
  const edit = { row: keyAt(grid, 0), column: "inputs.days", cell: { source: "9" } };
  const edited = edits.insertRows(edits.setCells(grid, [edit]), 0, [makeRow()]);
  const less = edits.removeRows(edited, new Set([keyAt(grid, 2)]));
  assert.deepEqual(countChanges(less, baseline), { added: 1, edited: 1, removed: 1 });
  const back = edits.setCells(edited, [{ ...edit, cell: { source: "0" } }]);
  assert.deepEqual(
    back.rows.map((row) => describeChange(row, baseline)),
    ["new", "", "", ""],
  );
});

test("rows are filtered by words, by column, by change and by error", () => {
  const grid = makeGrid();
  const baseline = makeBaseline(grid);
  const search = (filter: Partial<typeof NO_FILTER>, rows = grid): number =>
    filterRows(rows, { ...NO_FILTER, ...filter }, baseline, listFaults(rows, [])).length;
  assert.equal(search({}), 3);
  assert.equal(search({ query: "LOST ok" }), 1);
  assert.equal(search({ query: "no", column: "inputs.question" }), 0);
  assert.equal(search({ show: "changed" }), 0);
  const wrong = edits.setCells(grid, [
    { row: keyAt(grid, 0), column: "inputs.days", cell: { text: "x", problem: "Not a number." } },
  ]);
  assert.equal(search({ show: "changed" }, wrong), 1);
  assert.equal(search({ show: "faults" }, wrong), 1);
});

test("rows are found by their tags, and get and lose them together", () => {
  const grid = makeGrid();
  const keys = new Set([keyAt(grid, 0), keyAt(grid, 1)]);
  const tagged = edits.tagRows(grid, keys, ["sale", "gift card"], true);
  assert.equal(tagged.rows[2], grid.rows[2]);
  assert.deepEqual(readRowTags(tagged.rows[0] as GridRow), ["sale", "gift card"]);
  const baseline = makeBaseline(grid);
  const count = (words: string, rows = tagged): number =>
    filterRows(rows, { ...NO_FILTER, query: words }, baseline, new Map()).length;
  assert.equal(count("tag:sale"), 2);
  assert.equal(count("TAG:Sale lost"), 1);
  assert.equal(count('tag:"Gift card"'), 2);
  assert.equal(count("tag:sal"), 0);
  assert.equal(count("tag:sale tag:late"), 0);
  const less = edits.tagRows(tagged, new Set([keyAt(grid, 0)]), ["sale", "gift card"], false);
  assert.equal(less.rows[0]?.cells.tags, undefined);
  assert.equal(count("tag:sale", less), 1);
});

test("a tag that is too long and a row with too many tags are refused before", () => {
  const grid = makeGrid();
  const keys = new Set([keyAt(grid, 0)]);
  const many = Array.from({ length: 20 }, (_, index) => `tag ${index}`);
  assert.equal(findTagsProblem(grid, keys, many, true), "");
  assert.match(findTagsProblem(edits.tagRows(grid, keys, many, true), keys, ["more"], true), /at most 20 tags/);
  assert.match(findTagsProblem(grid, keys, ["x".repeat(41)], true), /at most 40 characters/);
  assert.equal(findTagsProblem(grid, keys, ["x".repeat(41)], false), "");
});

test("a name that two rows have is an error of the second", () => {
  const grid = edits.setCells(makeGrid(), []);
  const same = edits.setCells(grid, [{ row: keyAt(grid, 2), column: "id", cell: { source: '"late"' } }]);
  assert.deepEqual(listFaults(same, []).get(keyAt(same, 2)), [
    { row: keyAt(same, 2), column: "id", message: "Row 1 has this name already." },
  ]);
});

test("what the server refuses stands at its cell until the row is edited", () => {
  const grid = makeGrid();
  const { placed, others } = placeFaults(
    { "row 2 (lost).inputs.question[0].x": "is missing.", "row 9.inputs.x": "is unknown.", text: "there is no row." },
    grid,
  );
  assert.deepEqual(listFaults(grid, placed).get(keyAt(grid, 1)), [
    { row: keyAt(grid, 1), column: "inputs.question", message: "Is missing." },
  ]);
  assert.deepEqual(others, ["row 9.inputs.x: is unknown.", "There is no row."]);
  const edit = { row: keyAt(grid, 1), column: "inputs.question", cell: { source: '"x"' } };
  assert.equal(listFaults(edits.setCells(grid, [edit]), placed).size, 0);
});

test("a refusal that begins with the column's name does not say it twice", () => {
  const grid = makeGrid();
  const { placed } = placeFaults(
    { "row 2.inputs.question": "`question` has 9 characters; at most 2 are allowed" },
    grid,
  );
  assert.equal(placed[0]?.message, "has 9 characters; at most 2 are allowed");
});

test("the rows in view cover the window, and with the spacers the whole list", () => {
  const random = makeRandom(5);
  for (let round = 0; round < 200; round += 1) {
    const count = randomInteger(random, 400);
    const tall = new Set(Array.from({ length: 5 }, () => randomInteger(random, 400)));
    const tops = computeRowTops(count, (index) => tall.has(index));
    const from = Math.floor(random() * (tops[count] ?? 0));
    const { first, end, before, after } = findVisibleRange(tops, from, 300);
    assert.ok(before <= from);
    assert.ok((tops[end] ?? 0) >= Math.min(from + 300, tops[count] ?? 0));
    assert.equal(before + ((tops[end] ?? 0) - (tops[first] ?? 0)) + after, tops[count]);
    assert.ok(end - first <= 300 / ROW_HEIGHT + 23);
  }
});

const fixesOf = (text: string, column: Partial<Column>): string[] => {
  const one = makeColumn("inputs", "value", column);
  const cell = readCell(text, one.kind);
  return listFixes(makeRow(cell ? { [one.key]: cell } : {}), one).map((fix) => fix.text);
};

test("a fault offers the nearest choices, the number in a text, a text for JSON, and to leave the value out", () => {
  assert.deepEqual(fixesOf("Exchang", { choices: ["ask", "refuse", "exchange"] }), [
    "Use exchange",
    "Use ask",
    "Leave out",
  ]);
  assert.deepEqual(fixesOf("12,5 days", { kind: "number" }), ["Use 12.5", "Leave out"]);
  assert.deepEqual(fixesOf("many", { kind: "number" }), ["Leave out"]);
  assert.deepEqual(fixesOf("{", { kind: "json" }), ["Use it as text", "Leave out"]);
  assert.deepEqual(fixesOf("maybe", { kind: "boolean" }), ["Leave out"]);
  assert.deepEqual(fixesOf("", { kind: "number" }), []);
});

test("a name that is used twice gets the first number that is free", () => {
  const grid = parseRows(["a", "a-2", "a"].map((id) => JSON.stringify({ id, inputs: { x: 1 } })).join("\n"));
  const [fix] = listFixes(grid.rows[2] as GridRow, grid.columns[0]);
  assert.deepEqual(fix?.makeCell(grid), { source: '"a-3"' });
});
