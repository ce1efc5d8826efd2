// Import of CSV files and copied cells into the grid of a dataset.

import assert from "node:assert/strict";
import { test } from "node:test";
import { formatClipboard, guessDelimiter, parseClipboard, parseDelimited } from "../src/datasets/delimited.ts";
import { makeGivenValues, setReplacement } from "../src/datasets/given_values.ts";
import {
  applyImport,
  guessMapping,
  hasColumnNames,
  type ImportRules,
  listMisfits,
  listUnfilled,
  readImport,
} from "../src/datasets/mapping.ts";
import { readMapping, rememberMapping } from "../src/datasets/remembered_mapping.ts";
import { formatRows, parseRows } from "../src/datasets/rows.ts";
import { makeRandom, randomInteger, randomText } from "./random_values.ts";

const GRID = () =>
  parseRows(
    '{"id":"late","inputs":{"customer":{"name":"Nord","vip":true},"days":3,"question":"Why?"},' +
      '"expected":{"answer":"A"}}',
    [{ name: "tone", kind: "text", choices: ["formal", "warm"] }],
  );
const UPDATE: ImportRules = { sameName: "update", skipsAlike: false, given: makeGivenValues() };
const lines = (grid: ReturnType<typeof GRID>): { id?: string; inputs: Record<string, unknown> }[] =>
  formatRows(grid)
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));

const copied = (text: string): string[][] => parseClipboard(text).map(({ cells }) => cells);

test("copied cells come back as they were", () => {
  const random = makeRandom(13);
  for (let round = 0; round < 300; round += 1) {
    const width = 1 + randomInteger(random, 4);
    const table = Array.from({ length: 1 + randomInteger(random, 4) }, () =>
      Array.from({ length: width }, () => randomText(random)),
    );
    assert.deepEqual(copied(formatClipboard(table)), table);
  }
});

test("a spreadsheet's quoted line breaks stay in their cell", () => {
  assert.deepEqual(copied('a\t"one\r\ntwo ""x"""\r\nb\tc\r\n'), [
    ["a", 'one\ntwo "x"'],
    ["b", "c"],
  ]);
});

test("a quote that opens nothing is a character like others", () => {
  assert.deepEqual(copied('"late\tb'), [['"late', "b"]]);
  assert.deepEqual(copied('"5" wide\tb'), [['"5" wide', "b"]]);
});

test("a stray quote in one cell leaves the line breaks of the others in their cells", () => {
  assert.deepEqual(copied('"5" wide\t"one\ntwo"\n\nb\t"c\n'), [['"5" wide', "one\ntwo"], [""], ["b", '"c']]);
});

test("the first pasted row names columns if one is a column's, or if all are short words of an empty dataset", () => {
  const grid = parseRows('{"inputs": {"question": "Why?"}, "expected": {"answer": "So"}}');
  assert.equal(hasColumnNames(["ticket", "Question"], grid, false), true);
  assert.equal(hasColumnNames(["ticket", "7"], grid, false), false);
  assert.equal(hasColumnNames(["ticket", "days open"], grid, true), true);
  for (const cells of [
    ["T-1", "7"],
    ["a", "a"],
    ["a", ""],
    ["a", "b\nc"],
  ])
    assert.equal(hasColumnNames(cells, grid, true), false, cells.join());
});

test("rows of a CSV file know their line, and a broken quote is named by its own", () => {
  const table = parseDelimited('\ufeffa,b\n"x\ny",1\n\nz,2\n"open,3\n', ",");
  assert.deepEqual(
    table.rows.map((row) => row.line),
    [1, 2, 5],
  );
  assert.deepEqual(table.problems, [{ line: 6, text: '"open,3', message: "A quote is opened and never closed." }]);
});

test("the delimiter is what the first line has most of", () => {
  assert.equal(guessDelimiter("a;b;c\n1,2,3"), ";");
  assert.equal(guessDelimiter("a\tb"), "\t");
  assert.equal(guessDelimiter("a"), ",");
});

test("columns are matched by name, nested ones too, each once", () => {
  const headers = ["ID", "Question", "customer.name", "expected", "note", "question"];
  assert.deepEqual(guessMapping(headers, GRID()), [
    "id",
    "inputs.question",
    "inputs.customer.name",
    "expected.answer",
    "",
    "",
  ]);
});

test("a column whose name says nothing is matched by its values", () => {
  const grid = parseRows(
    '{"id": "a", "inputs": {"request": "Where?", "days": 3}, "expected": {"answer": "refund"}}\n' +
      '{"id": "b", "inputs": {"request": "When?", "days": 4}, "expected": {"answer": "refuse"}}',
  );
  const rows = parseDelimited("b,refund,3,Hats?,Ann\nc,refuse,4,When?,Bob\nd,refund,9,Who?,Cy\n", ",").rows;
  const headers = ["ticket", "outcome", "age", "message", "agent"];
  assert.deepEqual(guessMapping(headers, grid, rows), ["", "expected.answer", "inputs.days", "", ""]);
  assert.deepEqual(guessMapping(headers.slice(0, 2), grid, []), ["", ""]);
  assert.deepEqual(guessMapping(headers.slice(0, 2), grid, [], true), ["inputs.ticket", "inputs.outcome"]);
});

test("a file makes rows of the columns' kinds, new columns and nested values", () => {
  const grid = GRID();
  const table = parseDelimited("id,question,customer.name,days,note\nlost,Where?,Süd,007,x\nnew,When?,Ost,7,y\n", ",");
  const mapping = guessMapping(table.rows[0]?.cells ?? [], grid, [], true);
  const imported = readImport(table.rows.slice(1), mapping, grid, UPDATE);
  assert.deepEqual(
    imported.map((one) => [one.outcome, one.problem]),
    [
      ["error", "days: Not a number. Write it as 12 or 1.5."],
      ["new", ""],
    ],
  );
  const [, added] = lines(applyImport(grid, mapping, imported));
  assert.deepEqual(added, { id: "new", inputs: { customer: { name: "Ost" }, days: 7, note: "y", question: "When?" } });
});

test("a row of a known name is updated where the file has a value, or skipped", () => {
  const grid = GRID();
  const table = parseDelimited("id,question,customer.name\nlate,,Süd\n", ",");
  const mapping = guessMapping(table.rows[0]?.cells ?? [], grid);
  const updated = applyImport(grid, mapping, readImport(table.rows.slice(1), mapping, grid, UPDATE));
  assert.deepEqual(lines(updated)[0]?.inputs, { customer: { name: "Süd", vip: true }, days: 3, question: "Why?" });
  const skipped = applyImport(
    grid,
    mapping,
    readImport(table.rows.slice(1), mapping, grid, { ...UPDATE, sameName: "skip" }),
  );
  assert.equal(formatRows(skipped), formatRows(grid));
});

test("a row says why it can't be added", () => {
  const grid = GRID();
  const table = parseDelimited("id,tone\na,friendly\nb,warm\nb,warm\nc\n", ",");
  const imported = readImport(table.rows.slice(1), guessMapping(["id", "tone"], grid), grid, UPDATE);
  assert.deepEqual(
    imported.map((one) => one.problem),
    ["tone: Must be formal or warm.", "", "Line 3 already has this name.", "1 cell, the first line has 2."],
  );
});

test("a column that is not imported leaves nothing", () => {
  const grid = GRID();
  const rows = [{ cells: ["x", "Where?"], line: 2 }];
  const after = applyImport(grid, ["", "inputs.question"], readImport(rows, ["", "inputs.question"], grid, UPDATE));
  assert.deepEqual(lines(after)[1]?.inputs, { question: "Where?" });
});

test("a line of which nothing is imported adds no row", () => {
  const rows = parseDelimited("T-1,Ann\n,Bob\n", ",").rows;
  const unmapped = readImport(rows, ["", ""], GRID(), UPDATE);
  assert.deepEqual(
    unmapped.map((one) => [one.outcome, one.problem]),
    [
      ["error", "No value of this line is imported."],
      ["error", "No value of this line is imported."],
    ],
  );
  const named = readImport(rows, ["id", ""], GRID(), UPDATE);
  assert.deepEqual(
    named.map((one) => one.outcome),
    ["new", "error"],
  );
});

test("a dotted name makes an object where no column is of that name", () => {
  const grid = GRID();
  const mapping = guessMapping(["order.id", "order.lines"], grid, [], true);
  const imported = readImport([{ cells: ["HB-1", "[1, 2]"], line: 2 }], mapping, grid, UPDATE);
  const after = applyImport(grid, mapping, imported);
  assert.deepEqual(lines(after)[1]?.inputs, { order: { id: "HB-1", lines: [1, 2] } });
  assert.equal(after.columns.filter((column) => column.name === "order").length, 1);
});

test("a column of tags fills the tags of rows, unless there is an input of this name", () => {
  const mapping = guessMapping(["id", "question", "labels"], GRID());
  assert.deepEqual(mapping, ["id", "inputs.question", "tags"]);
  const rows = parseDelimited('new,Who?,"sale, late"\n', ",").rows;
  const grid = applyImport(GRID(), mapping, readImport(rows, mapping, GRID(), UPDATE));
  assert.deepEqual(JSON.parse(formatRows(grid).trimEnd().split("\n")[1] ?? "").tags, ["sale", "late"]);
  const labelled = parseRows('{"inputs": {"labels": "x"}}');
  assert.deepEqual(guessMapping(["labels"], labelled), ["inputs.labels"]);
});

test("rows that say what another row says are left out, apart from case, spaces and punctuation", () => {
  const grid = parseRows(
    '{"id": "late", "inputs": {"question": "Where is it?", "days": 3}}\n{"inputs": {"question": "Now?", "days": 1}}',
  );
  const table = parseDelimited(
    "id,question,days\na,where  is IT,3\nb,Where is it?,4\nc,Hats?,1\nd,hats,1\n" +
      "late,Hats!,1\ne,?!,1\nf,?!,1\ng,now,1\n",
    ",",
  );
  const mapping = ["id", "inputs.question", "inputs.days"];
  const imported = readImport(table.rows.slice(1), mapping, grid, {
    ...UPDATE,
    skipsAlike: true,
  });
  assert.deepEqual(
    imported.map((one) => [one.outcome, one.alike]),
    [
      ["alike", "late"],
      ["new", ""],
      ["new", ""],
      ["alike", "c"],
      ["update", ""],
      ["new", ""],
      ["new", ""],
      ["alike", "2"],
    ],
  );
  assert.equal(applyImport(grid, mapping, imported).rows.length, 6);
  const all = readImport(table.rows.slice(1), mapping, grid, UPDATE);
  assert.equal(all.filter((one) => one.outcome === "new").length, 7);
});

test("what the columns became is remembered for the same columns of the same dataset", () => {
  const store = new Map<string, string>();
  const storage = {
    getItem: (key: string) => store.get(key) ?? null,
    setItem: (key: string, value: string) => store.set(key, value),
  };
  Object.assign(globalThis, { localStorage: storage, document: { body: { dataset: { person: "author" } } } });
  rememberMapping("support/gold", ["ticket", "text"], ["id", "inputs.question"]);
  assert.deepEqual(readMapping("support/gold", ["ticket", "text"]), ["id", "inputs.question"]);
  assert.equal(readMapping("support/gold", ["text", "ticket"]), null);
  assert.equal(readMapping("support/other", ["ticket", "text"]), null);
  rememberMapping("support/gold", ["ticket", "text"], null);
  assert.equal(readMapping("support/gold", ["ticket", "text"]), null);
  rememberMapping("", ["ticket"], ["id"]);
  assert.equal(readMapping("", ["ticket"]), null);
  for (const wrong of ["{", "3", '[["[\\"a\\"]",["__proto__"]]]', '[["[\\"a\\"]",["id","id"]]]']) {
    store.set("csv-columns:author:support/gold", wrong);
    assert.equal(readMapping("support/gold", ["a"]), null);
  }
  for (let file = 0; file < 12; file += 1) rememberMapping("support/gold", [`a${file}`], ["id"]);
  assert.equal(readMapping("support/gold", ["a1"]), null);
  assert.deepEqual(readMapping("support/gold", ["a2"]), ["id"]);
});

const TONES = parseDelimited("a,kind\nb,kind\nc,warm\nd,stiff\n", ",").rows;
const BY_TONE = ["id", "inputs.tone"];
const toneOf = (grid: ReturnType<typeof GRID>) => grid.columns.find((column) => column.key === "inputs.tone");

test("texts that are no choice are listed with how many rows have them", () => {
  const [misfit, ...others] = listMisfits(TONES, BY_TONE, GRID());
  assert.equal(misfit?.column.name, "tone");
  assert.deepEqual(misfit?.texts, [
    ["kind", 2],
    ["stiff", 1],
  ]);
  assert.deepEqual(others, []);
  assert.deepEqual(listMisfits(TONES, ["id", "inputs.question"], GRID()), []);
});

test("one choice replaces a text in all rows, another text is left empty or stays an error", () => {
  const grid = GRID();
  const tone = toneOf(grid);
  assert.ok(tone);
  const rules = { ...UPDATE, given: makeGivenValues() };
  setReplacement(rules.given, tone, ["kind"], "warm");
  const first = readImport(TONES, BY_TONE, grid, rules);
  assert.deepEqual(
    first.map((one) => one.outcome),
    ["new", "new", "new", "error"],
  );
  assert.deepEqual([...(first[0]?.replaced ?? [])], [[1, "warm"]]);
  setReplacement(rules.given, tone, ["stiff"], "");
  const both = readImport(TONES, BY_TONE, grid, rules);
  const tones = lines(applyImport(grid, BY_TONE, both)).map((row) => row.inputs.tone);
  assert.deepEqual(tones, [undefined, "warm", "warm", "warm", undefined]);
  setReplacement(rules.given, tone, ["kind", "stiff"], undefined);
  assert.equal(readImport(TONES, BY_TONE, grid, rules).filter((one) => one.outcome === "error").length, 3);
});

test("an input without a column gets one value in new rows, and updated ones keep theirs", () => {
  const grid = GRID();
  const rows = parseDelimited("late,When?\nnew,Who?\n", ",").rows;
  const mapping = ["id", "inputs.question"];
  assert.deepEqual(
    listUnfilled(mapping, grid).map((column) => column.name),
    ["tone", "customer", "days"],
  );
  const given = makeGivenValues();
  given.constants.set("inputs.days", " 14 ");
  given.constants.set("inputs.tone", "formal");
  const imported = readImport(rows, mapping, grid, { ...UPDATE, given });
  const [late, added] = lines(applyImport(grid, mapping, imported));
  assert.deepEqual([late?.inputs.days, late?.inputs.tone], [3, undefined]);
  assert.deepEqual(added?.inputs, { days: 14, question: "Who?", tone: "formal" });
});

test("one value that does not fit its column is named in each row", () => {
  const given = makeGivenValues();
  given.constants.set("inputs.days", "soon");
  const rows = parseDelimited("a,Who?\n", ",").rows;
  const [read] = readImport(rows, ["id", "inputs.question"], GRID(), { ...UPDATE, given });
  assert.deepEqual([read?.outcome, read?.problem], ["error", "days: Not a number. Write it as 12 or 1.5."]);
});
