// The panel that imports a CSV file or pasted cells into the grid: the column mapping, and a preview of the rows.
import { createElement, createIcon } from "../dom.ts";
import { gettext, ngettext } from "../language.ts";
import type { DelimitedRow, DelimitedTable } from "./delimited.ts";
import { makeGivenValues } from "./given_values.ts";
import { drawGivenValues } from "./given_values_view.ts";
import { drawPreview } from "./import_preview.ts";
import {
  guessMapping,
  hasColumnNames,
  type ImportedRow,
  type ImportRules,
  type Mapping,
  readImport,
  type SameName,
} from "./mapping.ts";
import { readMapping, rememberMapping } from "./remembered_mapping.ts";
import type { Grid } from "./types.ts";

/** A table to import. dataset: its name, empty for a new one. takesNew: unknown columns become inputs. */
export interface ImportedTable {
  /** The name of the file; empty for pasted cells. */
  file: string;
  table: DelimitedTable;
  dataset: string;
  takesNew: boolean;
  /** Asks for another file, which is then shown instead. */
  chooseFile: () => void;
}

/** The rows of a file under its column names: those in its first row, or else `column_1`, `column_2`. */
function nameColumns(rows: readonly DelimitedRow[], hasNames: boolean): { headers: string[]; rows: DelimitedRow[] } {
  if (hasNames) return { headers: rows[0]?.cells ?? [], rows: rows.slice(1) };
  const width = Math.max(0, ...rows.slice(0, 100).map((row) => row.cells.length));
  return { headers: Array.from({ length: width }, (_, index) => `column_${index + 1}`), rows: [...rows] };
}

/** Shows a file in the panel; `add` is called with the rows that can be added. */
export function openImport(
  panel: HTMLElement,
  source: ImportedTable,
  grid: Grid,
  add: (mapping: Mapping, rows: ImportedRow[]) => void,
): void {
  const { table } = source;
  const isPasted = !source.file;
  const skipped = new Set<number>(); // lines that can't be parsed
  const beginsWithNames = !isPasted || hasColumnNames(table.rows[0]?.cells ?? [], grid, source.takesNew);
  let { headers, rows } = nameColumns(table.rows, beginsWithNames);
  let remembered = readMapping(source.dataset, headers);
  let mapping = remembered ?? guessMapping(headers, grid, rows, source.takesNew);
  const rules: ImportRules = { sameName: "update", skipsAlike: true, given: makeGivenValues() };
  let imported: ImportedRow[] = [];
  let canAdd = false;

  const title = createElement("h3", {}, isPasted ? gettext("Import pasted cells") : gettext("Import from CSV"));
  const facts = createElement("p", { class: "note" });
  const [namesField, hasNames] = checkField("import-names", gettext("The first row has column names"));
  hasNames.checked = beginsWithNames;
  hasNames.addEventListener("change", () => {
    ({ headers, rows } = nameColumns(table.rows, hasNames.checked));
    remembered = readMapping(source.dataset, headers);
    mapping = remembered ?? guessMapping(headers, grid, rows, source.takesNew);
    rules.given = makeGivenValues();
    refresh();
  });
  const otherFileButton = createElement(
    "button",
    { type: "button", class: "button button-quiet" },
    gettext("Choose another file"),
  );
  otherFileButton.addEventListener("click", source.chooseFile);
  otherFileButton.hidden = isPasted;
  const preview = createElement("div", { class: "table-scroll import-preview" });
  const values = createElement("div", { class: "import-rules" });
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
    const errorCount = imported.filter((one) => one.outcome === "error").length;
    const skippedCount = imported.filter((one) => one.outcome === "skip" || one.outcome === "alike").length;
    const problems = table.problems.filter((problem) => !skipped.has(problem.line));
    facts.textContent = [
      isPasted
        ? gettext("The cells reach beyond the last column. Choose what each column becomes")
        : ngettext("{name}, {count} row", "{name}, {count} rows", rows.length, { name: source.file }),
      ...(remembered ? [gettext("The columns are as in the last file with these names.")] : []),
    ].join(". ");
    const map = (index: number, target: string): void => {
      mapping[index] = target;
      refresh();
      panel.querySelector<HTMLElement>(`[data-csv-column="${index}"]`)?.focus();
    };
    const skip = (line: number): void => {
      skipped.add(line);
      refresh();
      (preview.querySelector<HTMLElement>("tbody button") ?? addButton).focus();
    };
    preview.replaceChildren(drawPreview({ headers, mapping, grid, imported, problems, map, skip }));
    values.replaceChildren(
      ...drawGivenValues(rows, mapping, grid, rules.given, (id) => {
        refresh();
        document.getElementById(id)?.focus();
      }),
    );
    values.hidden = !values.childElementCount;
    const added = imported.filter((one) => one.outcome === "new").length;
    const surplus = grid.rows.length + added - Number(panel.closest<HTMLElement>("[data-most]")?.dataset.most);
    summary.textContent = [
      rows.length || table.problems.length
        ? ngettext("{count} row ready.", "{count} rows ready.", ready.length)
        : gettext("There is no row below the column names."),
      surplus > 0
        ? ngettext(
            "That is {count} row more than a dataset can have.",
            "That is {count} rows more than a dataset can have.",
            surplus,
          )
        : "",
      errorCount
        ? ngettext(
            "{count} row has an error and is left out.",
            "{count} rows have an error and are left out.",
            errorCount,
          )
        : "",
      skippedCount + skipped.size
        ? ngettext("{count} row is skipped.", "{count} rows are skipped.", skippedCount + skipped.size)
        : "",
      problems.length
        ? ngettext("Skip {count} line that can’t be read.", "Skip {count} lines that can’t be read.", problems.length)
        : "",
    ].join(" ");
    addButton.textContent = ngettext("Add {count} row", "Add {count} rows", ready.length);
    canAdd = ready.length > 0 && !problems.length && !(surplus > 0);
    addButton.setAttribute("aria-disabled", String(!canAdd));
  };
  addButton.addEventListener("click", () => {
    if (!canAdd) return;
    close();
    rememberMapping(source.dataset, headers, remembers.checked ? mapping : null);
    add(mapping, imported);
  });
  cancel.addEventListener("click", close);
  const [same, readSame] = createSameNameField(() => {
    rules.sameName = readSame();
    refresh();
  });
  const [alikeField, skipsAlike] = checkField("import-alike", gettext("Skip rows that say the same as another row"));
  skipsAlike.addEventListener("change", () => {
    rules.skipsAlike = skipsAlike.checked;
    refresh();
  });
  const [rememberField, remembers] = checkField("import-remember", gettext("Remember this mapping"));
  rememberField.hidden = !source.dataset;
  panel.replaceChildren(
    title,
    createElement("div", { class: "import-rules" }, facts, otherFileButton, namesField),
    preview,
    values,
    createElement("div", { class: "import-rules" }, same, alikeField),
    summary,
    createElement("div", { class: "buttons" }, addButton, cancel, rememberField),
  );
  panel.hidden = false;
  refresh();
  panel.scrollIntoView({ block: "nearest" });
  panel.querySelector<HTMLElement>("select")?.focus();
}

function createSameNameField(changed: () => void): [HTMLElement, () => SameName] {
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

function checkField(id: string, label: string): [HTMLElement, HTMLInputElement] {
  const box = createElement("input", { type: "checkbox", id, checked: true });
  return [createElement("label", { class: "check", for: id }, box, ` ${label}`), box];
}
