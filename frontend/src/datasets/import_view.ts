// The panel between a CSV file and the grid: which column is which, and what each row comes to, before anything changes.
import { createElement, pluralize } from "../dom.ts";
import { guessDelimiter, parseDelimited } from "./delimited.ts";
import { guessMapping, type ImportedRow, type Mapping, readImport, type SameName } from "./mapping.ts";
import type { Grid } from "./types.ts";

const PREVIEW_ROWS = 5;
const PREVIEW_PROBLEMS = 20;
const OUTCOMES = { new: "ready", update: "updates the row of this name", skip: "skipped, the name exists", error: "" };

/** Shows a file in the panel; `add` gets the rows that can be added. */
export function openImport(
  panel: HTMLElement,
  file: { name: string; text: string },
  grid: Grid,
  add: (mapping: Mapping, rows: ImportedRow[]) => void,
): void {
  const table = parseDelimited(file.text, guessDelimiter(file.text));
  const headers = table.rows[0]?.cells ?? [];
  const rows = table.rows.slice(1);
  const mapping = guessMapping(headers, grid.columns);
  let sameName: SameName = "update";
  let imported: ImportedRow[] = [];

  const title = createElement("h3", {}, "Import from CSV");
  const facts = createElement("p", { class: "note" }, `${file.name}, ${pluralize(rows.length, "row")}`);
  const preview = createElement("div", { class: "table-scroll import-preview" });
  const summary = createElement("p", { role: "status" });
  const addButton = createElement("button", { type: "button", class: "button button-primary" });
  const cancel = createElement("button", { type: "button", class: "button button-quiet" }, "Cancel");

  const close = (): void => {
    panel.replaceChildren();
    panel.hidden = true;
  };
  const refresh = (): void => {
    imported = readImport(rows, mapping, grid, sameName);
    const ready = imported.filter((one) => one.outcome === "new" || one.outcome === "update");
    const wrong = imported.filter((one) => one.outcome === "error").length + table.problems.length;
    const skipped = imported.filter((one) => one.outcome === "skip").length;
    preview.replaceChildren(
      drawPreview(headers, mapping, grid, imported, table.problems, (index, target) => {
        mapping[index] = target;
        refresh();
        panel.querySelector<HTMLElement>(`[data-csv-column="${index}"]`)?.focus();
      }),
    );
    summary.textContent = [
      `${pluralize(ready.length, "row")} ready.`,
      wrong ? `${pluralize(wrong, "row has", "rows have")} an error and ${wrong === 1 ? "is" : "are"} left out.` : "",
      skipped ? `${pluralize(skipped, "row is", "rows are")} skipped.` : "",
    ].join(" ");
    addButton.textContent = `Add ${pluralize(ready.length, "row")}`;
    addButton.setAttribute("aria-disabled", String(!ready.length));
  };
  addButton.addEventListener("click", () => {
    if (!imported.some((one) => one.outcome === "new" || one.outcome === "update")) return;
    close();
    add(mapping, imported);
  });
  cancel.addEventListener("click", close);
  const [same, readSame] = sameNameField(() => {
    sameName = readSame();
    refresh();
  });
  panel.replaceChildren(
    title,
    facts,
    preview,
    same,
    summary,
    createElement("div", { class: "buttons" }, addButton, cancel),
  );
  panel.hidden = false;
  refresh();
  panel.scrollIntoView({ block: "nearest" });
  panel.querySelector<HTMLElement>("select")?.focus();
}

function sameNameField(changed: () => void): [HTMLElement, () => SameName] {
  const select = createElement(
    "select",
    { id: "import-same-name" },
    createElement("option", { value: "update" }, "updates that row"),
    createElement("option", { value: "skip" }, "is skipped"),
  );
  select.addEventListener("change", changed);
  const label = createElement("label", { for: select.id }, "A row whose name exists");
  const field = createElement(
    "div",
    { class: "field field-short" },
    label,
    createElement("span", { class: "select" }, select),
  );
  return [field, () => select.value as SameName];
}

function drawPreview(
  headers: readonly string[],
  mapping: Mapping,
  grid: Grid,
  imported: readonly ImportedRow[],
  problems: readonly { line: number; message: string }[],
  map: (index: number, target: string) => void,
): HTMLElement {
  const head = createElement("tr", {}, createElement("th", { scope: "col" }, "Line"));
  headers.forEach((header, index) => {
    const select = createTargetSelect(header, index, mapping, grid);
    select.addEventListener("change", () => map(index, select.value));
    const box = createElement("span", { class: "select" }, select);
    head.append(createElement("th", { scope: "col" }, createElement("code", {}, header), box));
  });
  head.append(createElement("th", { scope: "col" }, "Result"));
  const faulty = imported.filter((one) => one.outcome === "error");
  const shown = [...new Set([...imported.slice(0, PREVIEW_ROWS), ...faulty.slice(0, PREVIEW_PROBLEMS)])];
  const body = createElement("tbody", {}, ...shown.map((one) => drawImportedRow(one, headers.length, mapping)));
  for (const { line, message } of problems.slice(0, PREVIEW_PROBLEMS)) {
    const cell = createElement("td", { colspan: headers.length + 1, class: "bad" }, message);
    body.append(createElement("tr", { class: "is-wrong" }, createElement("th", { scope: "row" }, String(line)), cell));
  }
  return createElement("table", { class: "table" }, createElement("thead", {}, head), body);
}

function drawImportedRow(one: ImportedRow, width: number, mapping: Mapping): HTMLElement {
  const line = createElement("tr", { class: one.problem ? "is-wrong" : undefined });
  line.append(createElement("th", { scope: "row" }, String(one.line)));
  for (let index = 0; index < width; index += 1) {
    const text = one.texts[index] ?? "";
    const attributes = { class: mapping[index] ? "case-text" : "case-text faint", dir: "auto" };
    line.append(createElement("td", attributes, text.length > 120 ? `${text.slice(0, 120)}…` : text));
  }
  line.append(createElement("td", { class: one.problem ? "bad" : undefined }, one.problem || OUTCOMES[one.outcome]));
  return line;
}

function createTargetSelect(header: string, index: number, mapping: Mapping, grid: Grid): HTMLSelectElement {
  const select = createElement("select", { "data-csv-column": index, "aria-label": `Column ${header} becomes` });
  const options = new Map<string, string>([
    ["", "Don’t import"],
    ["id", "Row name"],
  ]);
  for (const column of grid.columns)
    if (column.section !== "id")
      options.set(column.key, column.section === "expected" ? `Expected ${column.name}` : column.name);
  const name = header.trim();
  if (name && !options.has(`inputs.${name}`))
    options.set(`inputs.${name}`, name.includes(".") ? name : `New input ${name}`);
  if (name && !options.has(`expected.${name}`)) options.set(`expected.${name}`, `New expected ${name}`);
  if (!options.has("expected.answer")) options.set("expected.answer", "Expected answer");
  const own = mapping[index] ?? "";
  if (!options.has(own)) options.set(own, own.replace(/^(inputs|expected)\./, "New "));
  for (const [value, words] of options) {
    const isTaken = value !== "" && value !== own && mapping.includes(value);
    select.append(createElement("option", { value, disabled: isTaken }, words));
  }
  select.value = own;
  return select;
}
