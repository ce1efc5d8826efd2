// The fields below the preview of a CSV file: a replacement for texts that aren't a choice, and a value for all rows in
// columns that the file lacks.
import { createElement, createIcon } from "../dom.ts";
import type { Schema } from "../editor/types.ts";
import { gettext, ngettext } from "../language.ts";
import { readCell } from "./cells.ts";
import type { DelimitedRow } from "./delimited.ts";
import { openFieldsDialog } from "./fields_dialog.ts";
import { type GivenValues, replaceText, setReplacement } from "./given_values.ts";
import { listMisfits, listUnfilled, type Mapping } from "./mapping.ts";
import { describeStructure, isEditedInFields } from "./typed_values.ts";
import type { Cell, Column, Grid } from "./types.ts";

const MAX_TEXTS = 8; // per column, shown individually
const MAX_COLUMNS = 6; // without a column in the file
const SHOWN_LENGTH = 80; // characters of a list or a group
const STAYS = "stays"; // choices have a prefix, so this can't be one
const LEFT_OUT = "left-out";

/** The fields; nothing if every value fits and every input has a column. */
export function drawGivenValues(
  rows: readonly DelimitedRow[],
  mapping: Mapping,
  grid: Grid,
  given: GivenValues,
  changed: (id: string) => void,
): HTMLElement[] {
  const misfits = listMisfits(rows, mapping, grid).map(({ column, texts }) =>
    drawMisfits(column, texts, given, changed),
  );
  const unfilled = listUnfilled(mapping, grid).slice(0, MAX_COLUMNS);
  if (!unfilled.length) return misfits;
  const fields = unfilled.map((column) => drawConstant(column, given, changed));
  const legend = createElement(
    "legend",
    {},
    gettext("No column of the file"),
    " ",
    createElement("span", { class: "aside" }, gettext("one value for all rows, or empty")),
  );
  return [...misfits, createElement("fieldset", { class: "import-values" }, legend, ...fields)];
}

function drawMisfits(
  column: Column,
  texts: readonly [string, number][],
  given: GivenValues,
  changed: (id: string) => void,
): HTMLElement {
  const legend = createElement("legend", {}, gettext("Not a choice of {column}", { column: column.name }));
  const draw = (id: string, title: string, concerned: readonly string[]): HTMLElement => {
    const chosen = new Set(concerned.map((text) => replaceText(given, column, text)));
    const common = chosen.size === 1 ? [...chosen][0] : undefined;
    const select = createElement(
      "select",
      { id },
      createElement("option", { value: STAYS }, gettext("is an error")),
      ...(column.choices ?? []).map((choice) =>
        createElement("option", { value: `=${choice}` }, gettext("becomes {value}", { value: choice })),
      ),
      createElement("option", { value: LEFT_OUT }, gettext("is left empty")),
    );
    select.value = common === undefined ? STAYS : common ? `=${common}` : LEFT_OUT;
    select.addEventListener("change", () => {
      const { value } = select;
      const choice = value === STAYS ? undefined : value === LEFT_OUT ? "" : value.slice(1);
      setReplacement(given, column, concerned, choice);
      changed(id);
    });
    const box = createElement("span", { class: "select" }, select, createIcon("chevrons-up-down"));
    return createElement("div", { class: "field" }, createElement("label", { for: id }, title), box);
  };
  const base = `import-choice-${column.key}`;
  const all = texts.map(([text]) => text);
  const fields = texts.slice(0, MAX_TEXTS).map(([text, count], index) => {
    const label = ngettext("“{text}”, {count} row", "“{text}”, {count} rows", count, { text });
    return draw(`${base}-${index}`, label, [text]);
  });
  const values = ngettext("all {count} value", "all {count} values", all.length);
  if (all.length > 1) fields.unshift(draw(base, values, all));
  return createElement("fieldset", { class: "import-values" }, legend, ...fields);
}

/** A button with the list or group for all rows, which opens its fields. */
function drawStructureButton(
  column: Column & { schema: Schema },
  id: string,
  value: string,
  set: (text: string) => void,
  openSource: () => void,
): HTMLElement {
  const cell = readCell(value, column.kind);
  const structure = describeStructure(cell, column);
  const text = structure ? `${structure.first} ${structure.count}`.trim() : value || gettext("is left empty");
  const excerpt = text.slice(0, SHOWN_LENGTH);
  const button = createElement("button", { type: "button", class: "button", id, "aria-haspopup": "dialog" }, excerpt);
  const commit = (newCell: Cell | undefined): void => set(newCell && "source" in newCell ? newCell.source : "");
  button.addEventListener("click", () => {
    const label = gettext("{column}, one value for all rows", { column: column.name });
    openFieldsDialog({ column, cell, label, commit, cancel: () => button.focus(), openSource });
  });
  return button;
}

function drawConstant(column: Column, given: GivenValues, changed: (id: string) => void): HTMLElement {
  const id = `import-constant-${column.key}`;
  const set = (text: string): void => {
    given.constants.set(column.key, text);
    changed(id);
  };
  const value = given.constants.get(column.key) ?? "";
  const label = createElement("label", { for: id }, column.name);
  const openSource = (): void => {
    given.typedAsJson.add(column.key);
    changed(id);
  };
  const isTyped = given.typedAsJson.has(column.key);
  if (column.schema && !isTyped && isEditedInFields(readCell(value, column.kind), column)) {
    const button = drawStructureButton({ ...column, schema: column.schema }, id, value, set, openSource);
    return createElement("div", { class: "field" }, label, button);
  }
  if (!column.choices) {
    const input = createElement("input", { id, value, maxlength: "20000", autocomplete: "off" });
    input.addEventListener("change", () => set(input.value));
    return createElement("div", { class: "field" }, label, input);
  }
  const select = createElement(
    "select",
    { id },
    createElement("option", { value: "" }, gettext("is left empty")),
    ...column.choices.map((choice) => createElement("option", { value: choice }, choice)),
  );
  select.value = value;
  select.addEventListener("change", () => set(select.value));
  const box = createElement("span", { class: "select" }, select, createIcon("chevrons-up-down"));
  return createElement("div", { class: "field" }, label, box);
}
