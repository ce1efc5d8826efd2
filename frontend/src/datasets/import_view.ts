// The panel that imports a CSV file into the grid: which column is which, and the rows it would make, before anything
// changes.
import { createElement, createIcon } from "../dom.ts";
import { gettext, ngettext } from "../language.ts";
import { guessDelimiter, parseDelimited } from "./delimited.ts";
import {
  guessMapping,
  type ImportedRow,
  type ImportRules,
  type Mapping,
  readImport,
  type SameName,
} from "./mapping.ts";
import { readMapping, rememberMapping } from "./remembered_mapping.ts";
import type { Grid } from "./types.ts";

const PREVIEW_ROWS = 5;
const PREVIEW_PROBLEMS = 20;
const OUTCOMES = {
  new: gettext("ready"),
  update: gettext("updates the row of this name"),
  skip: gettext("skipped, the name exists"),
};

/** A file to import. dataset: its name, empty for a new one. takesNew: unknown columns become inputs. */
export interface ImportFile {
  name: string;
  text: string;
  dataset: string;
  takesNew: boolean;
}

/** Shows a file in the panel; `add` gets the rows that can be added. */
export function openImport(
  panel: HTMLElement,
  file: ImportFile,
  grid: Grid,
  add: (mapping: Mapping, rows: ImportedRow[]) => void,
): void {
  const table = parseDelimited(file.text, guessDelimiter(file.text));
  const headers = table.rows[0]?.cells ?? [];
  const rows = table.rows.slice(1);
  const remembered = readMapping(file.dataset, headers);
  const mapping = remembered ?? guessMapping(headers, grid, rows, file.takesNew);
  const rules: ImportRules = { sameName: "update", skipsAlike: true };
  let imported: ImportedRow[] = [];

  const title = createElement("h3", {}, gettext("Import from CSV"));
  const facts = createElement(
    "p",
    { class: "note" },
    ngettext("{name}, {count} row", "{name}, {count} rows", rows.length, { name: file.name }),
    ...(remembered ? [". ", gettext("The columns are as in the last file with these names.")] : []),
  );
  const preview = createElement("div", { class: "table-scroll import-preview" });
  const summary = createElement("p", { role: "status" });
  const addButton = createElement("button", { type: "button", class: "button button-primary" });
  const cancel = createElement("button", { type: "button", class: "button button-quiet" }, gettext("Cancel"));

  const close = (): void => {
    panel.replaceChildren();
    panel.hidden = true;
  };
  const refresh = (): void => {
    imported = readImport(rows, mapping, grid, rules);
    const ready = imported.filter((one) => one.outcome === "new" || one.outcome === "update");
    const wrong = imported.filter((one) => one.outcome === "error").length + table.problems.length;
    const skipped = imported.filter((one) => one.outcome === "skip" || one.outcome === "alike").length;
    preview.replaceChildren(
      drawPreview(headers, mapping, grid, imported, table.problems, (index, target) => {
        mapping[index] = target;
        refresh();
        panel.querySelector<HTMLElement>(`[data-csv-column="${index}"]`)?.focus();
      }),
    );
    summary.textContent = [
      ngettext("{count} row ready.", "{count} rows ready.", ready.length),
      wrong
        ? ngettext("{count} row has an error and is left out.", "{count} rows have an error and are left out.", wrong)
        : "",
      skipped ? ngettext("{count} row is skipped.", "{count} rows are skipped.", skipped) : "",
    ].join(" ");
    addButton.textContent = ngettext("Add {count} row", "Add {count} rows", ready.length);
    addButton.setAttribute("aria-disabled", String(!ready.length));
  };
  addButton.addEventListener("click", () => {
    if (!imported.some((one) => one.outcome === "new" || one.outcome === "update")) return;
    close();
    rememberMapping(file.dataset, headers, remembers.checked ? mapping : null);
    add(mapping, imported);
  });
  cancel.addEventListener("click", close);
  const [same, readSame] = sameNameField(() => {
    rules.sameName = readSame();
    refresh();
  });
  const [alikeField, skipsAlike] = checkField("import-alike", gettext("Skip rows that say the same as another row"));
  skipsAlike.addEventListener("change", () => {
    rules.skipsAlike = skipsAlike.checked;
    refresh();
  });
  const [rememberField, remembers] = checkField("import-remember", gettext("Remember this mapping"));
  rememberField.hidden = !file.dataset;
  panel.replaceChildren(
    title,
    facts,
    preview,
    createElement("div", { class: "import-rules" }, same, alikeField),
    summary,
    createElement("div", { class: "buttons" }, addButton, cancel, rememberField),
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
    createElement("option", { value: "update" }, gettext("updates that row")),
    createElement("option", { value: "skip" }, gettext("is skipped")),
  );
  select.addEventListener("change", changed);
  const label = createElement("label", { for: select.id }, gettext("A row whose name exists"));
  const field = createElement(
    "div",
    { class: "field field-short" },
    label,
    createElement("span", { class: "select" }, select, createIcon("chevrons-up-down")),
  );
  return [field, () => select.value as SameName];
}

function checkField(id: string, words: string): [HTMLElement, HTMLInputElement] {
  const box = createElement("input", { type: "checkbox", id, checked: true });
  return [createElement("label", { class: "check", for: id }, box, ` ${words}`), box];
}

function drawPreview(
  headers: readonly string[],
  mapping: Mapping,
  grid: Grid,
  imported: readonly ImportedRow[],
  problems: readonly { line: number; message: string }[],
  map: (index: number, target: string) => void,
): HTMLElement {
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
  const found = [...faulty.slice(0, PREVIEW_PROBLEMS), ...alike.slice(0, PREVIEW_ROWS)];
  const shown = [...new Set([...imported.slice(0, PREVIEW_ROWS), ...found])];
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
  for (const [value, words] of options) {
    const isTaken = value !== "" && value !== own && mapping.includes(value);
    select.append(createElement("option", { value, disabled: isTaken }, words));
  }
  select.value = own;
  return select;
}
