// The rows that an import would create, below the target columns.
import { createElement, createIcon } from "../dom.ts";
import { gettext } from "../language.ts";
import type { DelimitedProblem } from "./delimited.ts";
import type { ImportedRow, Mapping } from "./mapping.ts";
import type { Grid } from "./types.ts";

const PREVIEW_ROWS = 5;
const PREVIEW_PROBLEMS = 20;
const SHOWN_LENGTH = 120; // most characters shown of a text or a line
const OUTCOMES = {
  new: gettext("ready"),
  update: gettext("updates the row of this name"),
  skip: gettext("skipped, the name exists"),
};

/** The data of the table. problems: lines that can't be parsed and aren't skipped. */
export interface PreviewFacts {
  headers: readonly string[];
  mapping: Mapping;
  grid: Grid;
  imported: readonly ImportedRow[];
  problems: readonly DelimitedProblem[];
  map: (index: number, target: string) => void;
  skip: (line: number) => void;
}

/** The table of the first rows and of those with a problem. */
export function drawPreview({ headers, mapping, grid, imported, problems, map, skip }: PreviewFacts): HTMLElement {
  const head = createElement("tr", {}, createElement("th", { scope: "col" }, gettext("Line")));
  headers.forEach((header, index) => {
    const select = createTargetSelect(header, index, mapping, grid);
    select.addEventListener("change", () => map(index, select.value));
    const box = createElement("span", { class: "select" }, select, createIcon("chevrons-up-down"));
    head.append(createElement("th", { scope: "col" }, createElement("code", {}, header), box));
  });
  head.append(createElement("th", { scope: "col" }, gettext("Result")));
  const faulty = imported.filter((one) => one.outcome === "error");
  const alike = imported.filter((one) => one.outcome === "alike");
  const samples = [...faulty.slice(0, PREVIEW_PROBLEMS), ...alike.slice(0, PREVIEW_ROWS)];
  const previewRows = [...new Set([...imported.slice(0, PREVIEW_ROWS), ...samples])];
  const body = createElement("tbody", {}, ...previewRows.map((one) => drawImportedRow(one, headers.length, mapping)));
  const broken = problems.slice(0, PREVIEW_PROBLEMS).map((problem) => drawBrokenLine(problem, headers.length, skip));
  body.prepend(...broken); // nothing can be added until they are skipped
  return createElement("table", { class: "table" }, createElement("thead", {}, head), body);
}

/** A line that can't be parsed, as it is in the file, with a button to skip it. */
function drawBrokenLine(problem: DelimitedProblem, width: number, skip: (line: number) => void): HTMLElement {
  const { line, text, message } = problem;
  const label = gettext("Skip line {number}", { number: line });
  const button = createElement("button", { type: "button", class: "button button-small" }, label);
  button.addEventListener("click", () => skip(line));
  const excerpt = text.length > SHOWN_LENGTH ? `${text.slice(0, SHOWN_LENGTH)}…` : text;
  const cell = createElement("td", { colspan: width, class: "bad" }, message, " ", createElement("code", {}, excerpt));
  const head = createElement("th", { scope: "row" }, String(line));
  return createElement("tr", { class: "is-wrong" }, head, cell, createElement("td", {}, button));
}

function drawImportedRow(one: ImportedRow, width: number, mapping: Mapping): HTMLElement {
  const line = createElement("tr", { class: one.problem ? "is-wrong" : undefined });
  line.append(createElement("th", { scope: "row" }, String(one.line)));
  for (let index = 0; index < width; index += 1) {
    const text = one.texts[index] ?? "";
    const attributes = { class: mapping[index] ? "case-text" : "case-text faint", dir: "auto" };
    const excerpt = text.length > SHOWN_LENGTH ? `${text.slice(0, SHOWN_LENGTH)}…` : text;
    const replaced = one.replaced.get(index);
    if (replaced === undefined) line.append(createElement("td", attributes, excerpt));
    else line.append(createElement("td", attributes, createElement("del", {}, excerpt), ` ${replaced}`));
  }
  line.append(createElement("td", { class: one.problem ? "bad" : undefined }, describeOutcome(one)));
  return line;
}

function describeOutcome(one: ImportedRow): string {
  if (one.outcome === "error") return one.problem;
  if (one.outcome === "alike") return gettext("skipped, same as {row}", { row: one.alike });
  return OUTCOMES[one.outcome];
}

function createTargetSelect(header: string, index: number, mapping: Mapping, grid: Grid): HTMLSelectElement {
  const select = createElement("select", {
    "data-csv-column": index,
    "aria-label": gettext("Column {name} becomes", { name: header }),
  });
  const options = new Map<string, string>([
    ["", gettext("Don’t import")],
    ["id", gettext("Row name")],
  ]);
  for (const column of grid.columns)
    if (column.section === "tags") options.set("tags", column.name);
    else if (column.section !== "id")
      options.set(
        column.key,
        column.section === "expected" ? gettext("Expected {name}", { name: column.name }) : column.name,
      );
  const name = header.trim();
  if (name && !options.has(`inputs.${name}`))
    options.set(`inputs.${name}`, name.includes(".") ? name : gettext("New input {name}", { name }));
  if (name && !options.has(`expected.${name}`))
    options.set(`expected.${name}`, gettext("New expected {name}", { name }));
  if (!options.has("expected.answer")) options.set("expected.answer", gettext("Expected answer"));
  const own = mapping[index] ?? "";
  if (!options.has(own)) options.set(own, gettext("New {name}", { name: own.replace(/^(inputs|expected)\./, "") }));
  for (const [value, label] of options) {
    const isTaken = value !== "" && value !== own && mapping.includes(value);
    select.append(createElement("option", { value, disabled: isTaken }, label));
  }
  select.value = own;
  return select;
}
