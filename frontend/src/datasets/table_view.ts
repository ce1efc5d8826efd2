// Renders the head of the grid and the visible rows.
import { createElement } from "../dom.ts";
import { gettext, ngettext } from "../language.ts";
import { findProblem, KIND_WORDS, readCellText } from "./cells.ts";
import { listFixes } from "./fault_fixes.ts";
import { type Baseline, describeChange, isSameCell } from "./filters.ts";
import { splitTags } from "./tags.ts";
import { describeStructure, nameStructure } from "./typed_values.ts";
import type { Column, Fault, Grid, GridRow, Kind } from "./types.ts";

const WIDTHS: Record<Kind, number> = { text: 260, number: 110, boolean: 110, json: 240 };
const CHANGE_WORDS = { new: gettext("new"), edited: gettext("edited") };
const NAME_WIDTH = 150;
const TAGS_WIDTH = 150;
const TICK_WIDTH = 36;
const LIST_LENGTH = 48; // most characters shown of a list's first item
const SHOWN_LENGTH = 220; // most characters shown of a value; the editor has the rest

export interface CellPlace {
  row: number;
  column: string;
}

/** The data for rendering rows. */
export interface RowFacts {
  /** The visible ones. */
  columns: Grid["columns"];
  allColumns: Grid["columns"];
  /** The keys of removed rows that aren't saved yet. */
  removed: ReadonlySet<number>;
  baseline: Baseline;
  faults: ReadonlyMap<number, readonly Fault[]>;
  ticked: ReadonlySet<number>;
  active: CellPlace | null;
  isSelected: (place: CellPlace) => boolean;
}

/** Fixed column widths, and a head whose buttons open a column's form. */
export function drawHead(columns: readonly Column[]): { group: HTMLElement; head: HTMLElement; width: number } {
  const widths = [TICK_WIDTH, ...columns.map(computeWidth)];
  const group = createElement("colgroup");
  for (const width of widths) {
    const one = createElement("col");
    one.style.width = `${width}px`;
    group.append(one);
  }
  const corner = createElement(
    "th",
    { scope: "col", class: "grid-tick" },
    createElement("span", { class: "visually-hidden" }, gettext("Tick")),
  );
  const line = createElement("tr", { "aria-rowindex": 1 }, corner);
  for (const column of columns) line.append(drawColumnHead(column));
  return { group, head: createElement("thead", {}, line), width: widths.reduce((sum, width) => sum + width, 0) };
}

function computeWidth(column: Column): number {
  if (column.section === "id") return NAME_WIDTH;
  return column.section === "tags" ? TAGS_WIDTH : WIDTHS[column.kind];
}

function drawColumnHead(column: Column): HTMLElement {
  if (column.section === "id")
    return createElement("th", { scope: "col", class: "grid-name" }, createElement("b", {}, column.name));
  if (column.section === "tags") return createElement("th", { scope: "col" }, createElement("b", {}, column.name));
  const kindText = column.choices ? gettext("choice") : nameStructure(column.schema) || KIND_WORDS[column.kind];
  const aside = column.section === "expected" ? gettext("expected, {kind}", { kind: kindText }) : kindText;
  const button = createElement(
    "button",
    { type: "button", class: "grid-head", "data-edit-column": column.key, "aria-haspopup": "dialog" },
    createElement("b", {}, column.name),
    " ",
    createElement("span", { class: "note" }, aside),
  );
  return createElement(
    "th",
    { scope: "col", class: column.section === "expected" ? "is-expected" : undefined },
    button,
  );
}

/** The rows `first` to `end` between two spacers for the others. */
export function drawRows(
  rows: readonly GridRow[],
  range: { first: number; end: number; before: number; after: number },
  facts: RowFacts,
): HTMLElement[] {
  const drawn = rows.slice(range.first, range.end).map((row, offset) => drawRow(row, range.first + offset, facts));
  return [drawSpacer(range.before), ...drawn, drawSpacer(range.after)];
}

function drawSpacer(height: number): HTMLElement {
  const cell = createElement("td");
  cell.style.height = `${height}px`;
  const spacer = createElement("tr", { class: "grid-spacer", "aria-hidden": "true" }, cell);
  spacer.hidden = height === 0;
  return spacer;
}

function drawRow(row: GridRow, index: number, facts: RowFacts): HTMLElement {
  const faults = facts.faults.get(row.key) ?? [];
  const name = readCellText(row.cells.id, "text") || gettext("row {number}", { number: index + 1 });
  if (facts.removed.has(row.key)) return drawRemovedRow(row, name, index, facts);
  const tick = createElement("input", {
    type: "checkbox",
    "data-tick": row.key,
    "aria-label": gettext("Tick {name}", { name }),
    tabindex: -1,
  });
  tick.checked = facts.ticked.has(row.key);
  const line = createElement(
    "tr",
    { "data-row": row.key, "aria-rowindex": index + 2, class: faults.length ? "has-fault" : undefined },
    createElement("td", { class: "grid-tick" }, tick),
  );
  for (const column of facts.columns) {
    const own = faults.filter((fault) => fault.column === column.key).map((fault) => fault.message);
    const cell = column.section === "id" ? drawName(row, index, faults, facts) : drawValue(row, column, own, facts);
    cell.dataset.column = column.key;
    const place = { row: row.key, column: column.key };
    const isActive = facts.active?.row === row.key && facts.active.column === column.key;
    cell.tabIndex = isActive ? 0 : -1;
    if (facts.isSelected(place)) cell.setAttribute("aria-selected", "true");
    if (own.length) cell.setAttribute("aria-invalid", "true");
    line.append(cell);
  }
  return line;
}

/** A removed row: struck out, with a button to restore it. Its cells can't be edited. */
function drawRemovedRow(row: GridRow, name: string, index: number, facts: RowFacts): HTMLElement {
  const back = createElement(
    "button",
    { type: "button", "data-put-back": row.key, "aria-label": gettext("Put {name} back", { name }) },
    gettext("Put back"),
  );
  const mark = createElement("span", { class: "grid-mark" }, gettext("removed"), ", ", back);
  const head = createElement("th", { scope: "row", class: "grid-name" }, createElement("b", {}, name), mark);
  const cells = facts.columns.slice(1).map((column) => drawValue(row, column, [], facts));
  const attributes = { class: "is-removed", "aria-rowindex": index + 2 };
  return createElement("tr", attributes, createElement("td", { class: "grid-tick" }), head, ...cells);
}

function drawName(row: GridRow, index: number, faults: readonly Fault[], facts: RowFacts): HTMLElement {
  const name = readCellText(row.cells.id, "text");
  const change = describeChange(row, facts.baseline);
  const cell = createElement(
    "th",
    { scope: "row", class: "grid-name" },
    name
      ? createElement("b", {}, name.slice(0, 60))
      : createElement("span", { class: "note" }, gettext("row {number}", { number: index + 1 })),
  );
  if (faults.length) {
    cell.append(
      createElement("span", { class: "grid-mark bad" }, ngettext("{count} error", "{count} errors", faults.length)),
    );
    const [fault] = faults as [Fault];
    const column = facts.allColumns.find((one) => one.key === fault.column);
    const more = faults.length > 1 ? [" ", gettext("And {count} more.", { count: faults.length - 1 })] : [];
    const nodes = [createElement("b", {}, column?.name ?? ""), ` ${fault.message}`, ...more];
    const fixes = listFixes(row, column).map((fix, number) =>
      createElement("button", { type: "button", class: "button button-small", "data-fix": number }, fix.text),
    );
    const link = linkToChoices(row, column);
    cell.append(createElement("span", { class: "grid-fault" }, createElement("span", {}, ...nodes), ...fixes, ...link));
  } else if (change)
    cell.append(createElement("span", { class: `grid-mark ${change === "new" ? "ok" : ""}` }, CHANGE_WORDS[change]));
  return cell;
}

/** A link to where a text can be added to the column's choices. */
function linkToChoices(row: GridRow, column: Column | undefined): HTMLElement[] {
  const text = column && row.cells[column.key] ? readCellText(row.cells[column.key], column.kind).trim() : "";
  if (!column?.choicesUrl || !text || column.choices?.includes(text)) return [];
  const label = gettext("Add “{value}” as a choice", { value: text.slice(0, 30) });
  return [createElement("a", { href: column.choicesUrl, target: "_blank" }, label)];
}

function drawValue(row: GridRow, column: Column, messages: readonly string[], facts: RowFacts): HTMLElement {
  const cellValue = row.cells[column.key];
  const text = readCellText(cellValue, column.kind);
  const before = facts.baseline.rows.get(row.key);
  const structure = describeStructure(cellValue, column);
  const classes = [column.section === "tags" ? "is-tags" : `is-${structure ? "text" : column.kind}`];
  if (messages.length || findProblem(cellValue, column)) classes.push("is-wrong");
  else if (before && !isSameCell(before, row, column.key)) classes.push("is-changed");
  const content = cellValue
    ? createElement("span", { class: "grid-text", dir: "auto" }, shorten(text, SHOWN_LENGTH) || gettext("empty text"))
    : createElement("span", { class: "grid-text faint" }, column.section === "tags" ? "" : gettext("left out"));
  if (structure) {
    const count = structure.count ? [" ", createElement("span", { class: "badge" }, structure.count)] : [];
    content.replaceChildren(shorten(structure.first, LIST_LENGTH), ...count);
    content.classList.toggle("faint", structure.first === gettext("none"));
  }
  if (column.section === "tags" && cellValue)
    content.replaceChildren(...splitTags(text).flatMap((tag) => [createElement("span", { class: "badge" }, tag), " "]));
  if (cellValue && !text) content.classList.add("faint");
  const cell = createElement("td", { class: classes.join(" ") }, content);
  if (messages.length) cell.title = messages.join(" ");
  return cell;
}

const shorten = (text: string, limit: number): string => (text.length > limit ? `${text.slice(0, limit)}…` : text);
