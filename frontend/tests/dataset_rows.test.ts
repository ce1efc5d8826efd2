// Rows of a dataset: JSON lines to grid cells and back.

import assert from "node:assert/strict";
import { test } from "node:test";
import { convertCell, findProblem, guessKind, readCell, readCellText } from "../src/datasets/cells.ts";
import { splitObject, writeCompactSource } from "../src/datasets/json_source.ts";
import { formatRows, makeColumn, parseRows } from "../src/datasets/rows.ts";
import { splitTags } from "../src/datasets/tags.ts";
import type { Kind } from "../src/datasets/types.ts";
import { makeRandom, randomJson, randomText } from "./random_values.ts";

const LINE =
  '{"expected":{"answer":"Yes"},"id":"late","inputs":{"days":1.0,"order":12345678901234567890,"question":"Why?"}}';

test("rows keep how their numbers are written", () => {
  const written = formatRows(parseRows(LINE));
  assert.match(written, /"days":1\.0/);
  assert.match(written, /"order":12345678901234567890/);
});

test("any rows come back as they were", () => {
  const random = makeRandom(7);
  for (let round = 0; round < 200; round += 1) {
    const rows = Array.from({ length: 4 }, (_, index) => ({
      id: index % 2 ? `row ${round} ${index}` : "",
      inputs: { [randomText(random)]: randomJson(random, 3), question: randomText(random) },
      expected: index === 3 ? null : index === 2 ? {} : { answer: randomJson(random, 2) },
    }));
    const text = rows.map((row) => JSON.stringify(row)).join("\n");
    const back = formatRows(parseRows(text)).trimEnd().split("\n");
    back.forEach((line, index) => {
      const row = JSON.parse(line);
      assert.deepEqual({ id: "", expected: null, ...row }, rows[index]);
    });
  }
});

test("a line that is no row is named", () => {
  assert.throws(() => parseRows(`${LINE}\n{`), /Line 2 is not valid JSON/);
  assert.throws(() => parseRows('{"inputs": 1}'), /Line 1: a row has an object "inputs"/);
  assert.throws(() => parseRows('{"inputs": {}, "notes": []}'), /has no "notes"/);
});

test("a bare expectation is the answer", () => {
  const grid = parseRows('{"inputs": {}, "expected": "Yes"}');
  assert.deepEqual(grid.rows[0]?.cells["expected.answer"], { source: '"Yes"' });
});

test("columns have the kind of all their values, and the template's where it declares one", () => {
  const text = '{"inputs":{"a":"x","b":1,"c":true,"d":[1],"e":1}}\n{"inputs":{"a":null,"b":2.5,"c":false,"e":"x"}}';
  const kinds = Object.fromEntries(parseRows(text).columns.map((column) => [column.name, column.kind]));
  assert.deepEqual(kinds, { Row: "text", a: "text", b: "number", c: "boolean", d: "json", e: "json", Tags: "text" });
  const declared = parseRows("", [{ name: "tone", kind: "text", choices: ["formal", "warm"] }]).columns;
  assert.deepEqual(declared[1]?.choices, ["formal", "warm"]);
});

test("tags are one text with commas in the grid, a list in the file, and absent without any", () => {
  const grid = parseRows('{"inputs": {"a": "x"}, "tags": ["late", "sale"]}\n{"inputs": {"a": "y"}, "tags": []}');
  assert.deepEqual(grid.rows[0]?.cells.tags, { source: '"late, sale"' });
  assert.equal(formatRows(grid), '{"inputs":{"a":"x"},"tags":["late","sale"]}\n{"inputs":{"a":"y"}}\n');
  assert.deepEqual(splitTags(" late,, in  May , late"), ["late", "in May"]);
});

test("the values of an object are split without touching them", () => {
  assert.deepEqual(splitObject('{"a": {"b,": [1, 2]}, "c" : 1.0 ,"d\\"":"}"}'), [
    ["a", '{"b,": [1, 2]}'],
    ["c", "1.0"],
    ['d"', '"}"'],
  ]);
  assert.deepEqual(splitObject("{}"), []);
  assert.equal(writeCompactSource('{ "a b" : [ 1.0 ,\n "x y" ] }'), '{"a b":[1.0,"x y"]}');
});

test("what is typed becomes a value of the column's kind, or says what is wrong", () => {
  const cases: [string, Kind, string][] = [
    ["12", "text", '"12"'],
    [" -1.50 ", "number", "-1.50"],
    ["yes", "boolean", "true"],
    ["No", "boolean", "false"],
    ['{"a": 1.0}', "json", '{"a":1.0}'],
  ];
  for (const [text, kind, source] of cases) assert.deepEqual(readCell(text, kind), { source });
  for (const [text, kind] of [
    ["1,5", "number"],
    ["007", "number"],
    ["maybe", "boolean"],
    ["{", "json"],
  ] as const) {
    const cell = readCell(text, kind);
    assert.ok(cell && "problem" in cell && cell.problem);
    assert.equal(readCellText(cell, kind), text, "the typed text stays");
  }
  for (const kind of ["text", "number", "boolean", "json"] as const) assert.equal(readCell("", kind), undefined);
});

test("a text is typed as it is shown", () => {
  const random = makeRandom(11);
  for (let round = 0; round < 200; round += 1) {
    const source = JSON.stringify(`${randomText(random)}x`);
    assert.deepEqual(readCell(readCellText({ source }, "text"), "text"), { source });
    const json = JSON.stringify(randomJson(random, 3));
    assert.deepEqual(readCell(readCellText({ source: json }, "json"), "json"), { source: json });
  }
});

test("a column of another kind reads its values again and keeps those that do not fit", () => {
  assert.deepEqual(convertCell({ source: '"12"' }, "text", "number"), { source: "12" });
  assert.deepEqual(convertCell({ source: "12" }, "number", "text"), { source: '"12"' });
  assert.deepEqual(convertCell({ source: '"x"' }, "text", "json"), { source: '"x"' });
  const kept = convertCell({ source: '"x"' }, "text", "number");
  assert.equal(readCellText(kept, "number"), "x");
});

test("a choice that the template does not list is named with those it lists", () => {
  const column = makeColumn("inputs", "tone", { choices: ["formal", "warm"] });
  assert.equal(findProblem({ source: '"friendly"' }, column), "Must be formal or warm.");
  assert.equal(findProblem({ source: '"warm"' }, column), "");
  assert.equal(guessKind([]), "text");
});
